"""Slack's assistant pane: what it suggests to ask."""
