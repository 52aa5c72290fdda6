"""Store the workspace that the local page plays. Its people are Footnote's own users."""

from slack_emulator.models.assistant import LocalAssistantThread, clear_status
from slack_emulator.models.canvases import LocalCanvas
from slack_emulator.models.cards import LocalDetails, LocalUnfurl
from slack_emulator.models.files import LARGEST_FILE, LocalFile, add_file
from slack_emulator.models.messages import LocalChannel, LocalMessage, add_message, make_ts
from slack_emulator.models.responses import LIFETIME, MOST_USES, ResponseAddress, create_response_address
from slack_emulator.models.usergroups import LocalUsergroup
from slack_emulator.models.views import MOST_VIEWS, LocalHome, LocalView, list_views

__all__ = [
    "LARGEST_FILE",
    "LIFETIME",
    "MOST_USES",
    "MOST_VIEWS",
    "LocalAssistantThread",
    "LocalCanvas",
    "LocalChannel",
    "LocalDetails",
    "LocalFile",
    "LocalHome",
    "LocalMessage",
    "LocalUnfurl",
    "LocalUsergroup",
    "LocalView",
    "ResponseAddress",
    "add_file",
    "add_message",
    "clear_status",
    "create_response_address",
    "list_views",
    "make_ts",
]
