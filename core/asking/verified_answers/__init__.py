"""Verified answers: what a person wrote or took over, given first to who asks the same and may read all its sources.

quoting.py       the sentences of an answer compared with the quotes that support them
staleness.py     whether its quotes still occur unchanged
matching.py      the ways to ask for one, with their embeddings, and the one that fits a question, for an audience
editing.py       writing, taking over, verifying and retiring them, each with its row in the audit trail
wording.py       who verified one and when, in words; pure
suggestions.py   answers that were voted up often, to be taken over
"""
