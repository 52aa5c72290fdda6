"""The admin's one language."""
