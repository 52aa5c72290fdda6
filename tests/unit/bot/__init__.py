"""The bot's pure parts."""
