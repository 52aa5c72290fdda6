"""Filters of the admin's own templates."""
