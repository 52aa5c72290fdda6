"""From passages to a draft: statements, each with its quotes, that nothing has been believed of yet.

draft.py leads one run of smolagents: agent.py has the models that it is given, tools.py the tools, modes.py says who
leads, the model or the code, and prompts/ what a model is told. markup.py writes passages into a prompt and reads them
out of it; prose.py and streamed.py read what a model wrote. extractive/ is the model without a key: it selects
sentences.
"""
