"""Understand a question by itself, by rules over English words. Pure.

reading.py leads. annotations.py finds once what stands in the question: times (dates.py), kinds of documents, places,
and what it compares (comparisons.py). kinds.py (what is to be done), parts.py (joined questions), whole.py (a document
as a whole) and synonyms.py each look at one thing. follow_ups.py makes a question stand alone (places.py has where
another thing goes), meanings.py lists what it may mean, choices.py narrows it to an option; plain.py, spelling.py and
languages.py look at its words; values.py and plan.py have what is found.
"""
