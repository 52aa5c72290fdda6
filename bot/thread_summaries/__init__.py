"""Summaries of a thread: the messages in which something was decided, asked or mainly said, quoted with their links."""
