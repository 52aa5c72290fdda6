"""Citations: what carries a statement is found word for word in what was retrieved, whatever the model claims.

statements.py leads, and says what a judge is asked. layout.py reads lists and tables, cleaning.py says what a statement
may hold at all, quote_normalisation.py finds quotes, attribution.py the sentences that carry a statement. support.py
holds a statement against its quotes: addresses.py, numbers.py, dates.py, names.py, clauses.py, conditions.py,
polarity.py, quantifiers.py and subjects.py each look at one thing. All of it is pure, but for entailment.py, which asks
a model to judge.
"""
