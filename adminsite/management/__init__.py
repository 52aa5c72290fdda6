"""Commands of the web side."""
