"""Commands of the bot."""
