"""What a question says of itself. Rules over English words; pure.

reading.py leads: dates.py, cues.py (kinds of documents, selectors), kinds.py (what is to be done), parts.py (joined
questions), whole.py (a document as a whole) and synonyms.py each look at one thing. follow_ups.py makes a question
stand alone; plain.py, spelling.py and languages.py look at its words; values.py and plan.py have what is found.
"""
