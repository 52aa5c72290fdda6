"""Data sources: runs, readers, and each kind against a real server on this machine."""
