"""Commands of the local page."""
