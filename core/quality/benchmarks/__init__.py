"""Retrieval, measured under the rule of access: how right, how fast, how large.

retrieval.py judges rankings on a benchmark in BEIR's layout (beir.py). The other modules compare ways to
search vectors at every share of permission, over drawn or loaded libraries.
"""
