"""Slack itself: its clients, its errors, its addresses, and messages that are posted once."""
