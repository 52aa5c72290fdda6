"""Examine an answer model on the library's own questions before it answers anybody.

candidates.py finds questions in a passage, questions.py chooses them over the library and adds those of people;
asking.py asks each of the model and of the key-free road; judging.py reads what came; running.py does it all in the
worker; deciding.py starts, stops, admits, refuses and lets an admission lapse; words.py shows the words of it.
"""
