"""A burst of questions from Slack, put to the real processes."""
