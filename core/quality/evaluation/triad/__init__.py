"""Scores of the RAG triad (context relevance, groundedness, answer relevance), through TruLens."""
