"""The admin against the real database."""
