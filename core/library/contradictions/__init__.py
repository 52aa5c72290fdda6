"""Pairs of documents that contradict each other, as they are kept: followed, shown and decided.

following.py   into new editions, for as long as both still have the words
listing.py     for a viewer who may read both sides, with the quotes as they stand there now
deciding.py    one holds, both hold, ask the owner; each is in the audit trail

core/quality/contradictions finds them.
"""
