"""The tables of the bot."""

from bot.models.delivery import Reply, SlackEvent, WatchedThread
from bot.models.handovers import HandOver
from bot.models.uploads import Upload

__all__ = ["HandOver", "Reply", "SlackEvent", "Upload", "WatchedThread"]
