"""Measure how good the answers are: scores of the RAG triad, through TruLens, and verdicts over datasets.

The three scores: relevance (question against the passages that the model last saw), groundedness (answer against those
passages) and answer relevance (question against answer), each 0..1. In triad/ `evaluate` is the public interface.
`exchange` reads what is scored, `local` and `judge` are the two ways to score, `metrics` hands them to TruLens, and
`recorder` records there. TruLens is imported lazily: only the worker and the command `evaluate` pay for it.

In datasets/ `runs` is the public interface: `dataset` reads the lines, `observation` reads the stored result of a
question, `verdict` compares it with the expected one, `metrics` counts, and `comparison` compares two runs.

`secret_formats` makes up keys and tokens for the dataset of secrets.
"""
