"""The bot between a database and a server that plays Slack."""
