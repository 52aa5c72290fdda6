"""REST against the real database."""
