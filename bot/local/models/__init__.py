"""What the local page remembers of the workspace it plays. Its people are Footnote's own users."""

from bot.local.models.assistant import LocalAssistantThread, clear_status
from bot.local.models.files import LARGEST_FILE, LocalFile, add_file
from bot.local.models.messages import LocalChannel, LocalMessage, add_message, now_ts
from bot.local.models.responses import LIFETIME, MOST_USES, ResponseAddress, new_response_address
from bot.local.models.usergroups import LocalUsergroup
from bot.local.models.views import MOST_VIEWS, LocalHome, LocalView, views_of

__all__ = [
    "LARGEST_FILE",
    "LIFETIME",
    "MOST_USES",
    "MOST_VIEWS",
    "LocalAssistantThread",
    "LocalChannel",
    "LocalFile",
    "LocalHome",
    "LocalMessage",
    "LocalUsergroup",
    "LocalView",
    "ResponseAddress",
    "add_file",
    "add_message",
    "clear_status",
    "new_response_address",
    "now_ts",
    "views_of",
]
