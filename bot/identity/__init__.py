"""Identify people and channels in Slack, their rights, and the readers of a reply."""
