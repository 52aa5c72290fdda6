"""Who is who in Slack, what they may do, and who reads."""
