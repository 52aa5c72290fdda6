"""Questions that are decided and not stored: for previews, replays and trials.

running.py takes the one way of every question (core.answering.decision) and builds what it came to; trace.py tells
each step of it, replay.py asks a logged question again on the passages of then, trials.py for somebody else.
"""
