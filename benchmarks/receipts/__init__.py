"""Measure receipts: every kind of change that somebody could make to one, and what they cost."""
