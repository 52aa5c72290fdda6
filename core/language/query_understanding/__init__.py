"""Understand a question by itself, by rules over English words. Pure.

reading.py leads: it finds what is to be done and the questions that are joined. annotations.py finds once what is in
the question: times (dates.py), kinds of documents, places, and what it compares (comparisons.py). whole.py (a document
as a whole) and synonyms.py each look at one thing. follow_ups.py makes a question independent of the ones before it
(places.py has where another thing goes), meanings.py lists what it may mean, choices.py narrows it to an option;
plain.py, spelling.py and languages.py look at its words; values.py has what is found.
"""
