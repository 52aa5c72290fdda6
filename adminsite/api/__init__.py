"""REST under /api/v1/. Thin: it checks the form of a request, asks core.api, and writes JSON."""
