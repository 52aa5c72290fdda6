"""Signing in to the admin: by password or single sign-on, with a second factor, within limits and on record."""
