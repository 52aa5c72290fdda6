"""Citations: quotes are looked up word for word in what was retrieved, outside the agent, whatever the model claims.

verification.py leads. cleaning.py says what a statement may hold at all, folding.py finds quotes, support.py holds a
statement against its quotes: addresses.py, figures.py, dates.py, names.py, clauses.py, polarity.py and quantifiers.py
each look at one thing. All of it is pure.
"""
