"""Contradictions: pairs of documents that answer one question differently, found in the whole library.

finding.py   pairs of passages that the reader takes for answers to one question, with values that differ
store.py     a pair that was found, kept once as two places
looking.py   the jobs that look: soon after a text came, and by night

What is kept is shown and decided in core/library/contradictions.
"""
