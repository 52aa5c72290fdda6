"""Telling in Slack that the source of an answer has changed: once, in its thread, to nobody who may not read it.

`telling` leads, `marking` marks the answers that were shared. What is found, and how much of it is told, is decided in
core.quality.footnotes.
"""
