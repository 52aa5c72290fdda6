"""The tables of the bot."""

from bot.models.delivery import Reply, SlackEvent, WatchedThread
from bot.models.uploads import Upload

__all__ = ["Reply", "SlackEvent", "Upload", "WatchedThread"]
