"""Handle events: messages and changes that the bot hears of."""
