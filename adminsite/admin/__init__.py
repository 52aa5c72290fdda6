"""The admin, a module for each thing that it shows. Django finds this package by its name."""

from adminsite.admin import (
    answers,
    benchmarks,
    chunks,
    collections,
    documents,
    evaluation_runs,
    hand_overs,
    ingestion,
    operations,
    people,
    quality,
    questions,
    slack,
    tokens,
    usergroups,
)

__all__ = [
    "answers",
    "benchmarks",
    "chunks",
    "collections",
    "documents",
    "evaluation_runs",
    "hand_overs",
    "ingestion",
    "operations",
    "people",
    "quality",
    "questions",
    "slack",
    "tokens",
    "usergroups",
]
