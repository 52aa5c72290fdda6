"""A question handed to people."""
