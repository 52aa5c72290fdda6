"""Decide questions without storing them: for previews, replays and trials.

running.py takes the one way of every question (core.asking.answering.decision) and builds its result; trace.py records
each step of it, replay.py asks a logged question again on the passages of then, trials.py for another person.
"""
