"""Originals: the files that documents were read from, kept as they came.

storage     where they lie, under their SHA-256: on disk, or wherever STORAGES["originals"] says
keeping     put there before a document's row refers to them, deleted with the last one that does
sweeping    what a crash left
"""
