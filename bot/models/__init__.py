"""The tables of the bot."""

from bot.models.delivery import Reply, SlackEvent, WatchedThread
from bot.models.handovers import HandOver

__all__ = ["HandOver", "Reply", "SlackEvent", "WatchedThread"]
