"""Verified answers: who is given them, when, and who looks after them."""
