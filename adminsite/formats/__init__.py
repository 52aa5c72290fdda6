"""Format dates in the admin, by language."""
