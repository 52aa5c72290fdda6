"""Footnote in Slack: what it hears, who is who, what it says and how it gets there exactly once."""
