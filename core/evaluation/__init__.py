"""How good the answers are: scores of the RAG triad, through TruLens, and verdicts over datasets.

The three scores: relevance (question against the passages that the model last saw), groundedness (answer against those
passages) and answer relevance (question against answer), each 0..1. `evaluate` is the door. `exchange` reads what is
scored, `local` and `judge` are the two ways to score, `metrics` hands them to TruLens, and `recorder` records there.
TruLens is imported lazily: only the worker and the command `evaluate` pay for it.

Over a dataset `runs` is the door: `dataset` reads the lines, `observing` reads from the database what came of a
question, `judging` holds it against what is expected, `figures` counts, and `comparison` sets two runs side by side.
"""
