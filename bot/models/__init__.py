"""The tables of the bot."""

from bot.models.delivery import Reply, SlackEvent, WatchedThread

__all__ = ["Reply", "SlackEvent", "WatchedThread"]
