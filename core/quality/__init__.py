"""Measure how good answers are, and keep them true.

evaluation     scores of single answers, and datasets of questions with known answers
contradictions pairs of documents that answer one question differently
examination    questions made of the library itself, on which a model is admitted
footnotes      answers whose source has changed are asked again
gaps           what the library did not answer
reports        figures by day, role, person and so on
benchmarks     retrieval, measured
"""
