"""Decide questions without storing them: for previews, replays and trials.

running.py takes the one way of every question (core.asking.answering.decision) and builds or traces its result;
replay.py asks a logged question again, on the passages of then or for another person.
"""
