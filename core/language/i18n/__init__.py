"""Footnote's own words in other languages: translation.py says them, locale/ has the catalogues."""
