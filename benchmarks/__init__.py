"""Measurements, each with the command that repeats it. No test depends on them."""
