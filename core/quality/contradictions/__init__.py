"""Contradictions: pairs of documents that answer one question differently, found in the whole library.

claims.py      what a passage claims, sentence by sentence, each as a value and a question in its own words; pure
comparing.py   whether two claims that answer one question contradict each other; pure
rules.py       the same for what is allowed and forbidden, needed and not; pure
finding.py     finds pairs: searches for each question in other documents, and has the reader read both
store.py       a pair that was found, kept once as two places
looking.py     the jobs that look: soon after a text came, and by night

What is kept is shown and decided in core/library/contradictions.
"""
