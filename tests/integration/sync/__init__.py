"""Data sources: runs, readers, and each kind against a server of its protocol."""
