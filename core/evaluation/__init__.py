"""How good the answers are: scores of the RAG triad, through TruLens, and verdicts over datasets.

The three scores: relevance (question against the passages that the model last saw), groundedness (answer against those
passages) and answer relevance (question against answer), each 0..1. In triad/ `evaluate` is the door. `exchange` reads
what is scored, `local` and `judge` are the two ways to score, `metrics` hands them to TruLens, and `recorder` records
there. TruLens is imported lazily: only the worker and the command `evaluate` pay for it.

In datasets/ `runs` is the door: `dataset` reads the lines, `observation` reads from the database what came of a
question, `verdict` holds it against what is expected, `metrics` counts, and `comparison` sets two runs side by side.
"""
