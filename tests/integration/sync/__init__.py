"""Data sources, against real servers on this machine."""
