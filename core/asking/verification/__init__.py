"""Citations: what carries a statement is found word for word in what was retrieved, whatever the model claims.

statements.py leads. layout.py reads lists and tables, cleaning.py says what a statement may hold at all,
quote_normalisation.py finds quotes, attribution.py the sentences that carry a statement, judge.py is what a judge is
asked. support.py holds a statement against its quotes: addresses.py, numbers.py, dates.py, names.py, clauses.py,
polarity.py and quantifiers.py each look at one thing. All of it is pure.
"""
