"""Draft an answer from passages: statements, each with its quotes, not yet verified.

draft.py leads one run of smolagents: agent.py has the models that it is given, tools.py the tools, modes.py decides who
leads, the model or the code, and prompts/ holds the prompts. markup.py writes passages into a prompt and reads them out
of it; prose.py and streamed.py parse a model's text. extractive/ is the model without a key: it selects sentences.
"""
