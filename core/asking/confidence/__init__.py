"""Estimate how sure an answer from some passages is.

evidence.py has the figures that speak for it and against it, estimate.py the probability that was fitted to them,
judgement.py what that makes of a question and its sub-questions, and endings.py what the question ends with, by the
limit of threshold.py.
"""
