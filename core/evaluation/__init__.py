"""Scoring of answers with the RAG triad, through TruLens.

The three scores: relevance (question against the passages that the model last saw), groundedness (answer against those
passages) and answer relevance (question against answer), each 0..1. `evaluate` is the door. `exchange` reads what is
scored, `local` and `judge` are the two ways to score, `metrics` hands them to TruLens, and `recorder` records there.
TruLens is imported lazily: only the worker and the command `evaluate` pay for it.
"""
