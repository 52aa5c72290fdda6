"""The tables of the bot."""

from bot.models.delivery import Reply, SlackEvent, WatchedThread
from bot.models.installations import Installation
from bot.models.socket import SocketHeartbeat

__all__ = ["Installation", "Reply", "SlackEvent", "SocketHeartbeat", "WatchedThread"]
