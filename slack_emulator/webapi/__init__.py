"""The part of Slack's Web API that the local page plays, so that the bot's own client works unchanged."""
