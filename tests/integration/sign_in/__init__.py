"""Signing in to the admin: limits, what is left of it, the second factor, single sign-on."""
