"""List Footnote's features in a workspace besides conversation: names from the app's manifest."""

from django.conf import settings

from slack_emulator.shapes import Json

COMMAND = "/footnote"
IS_AGENT = True  # the manifest has agent_view; an app of the time before has assistant_view in its place
HEARS_STOPS = True  # the manifest subscribes to agent_session_stopped
MAKES_CANVASES = True  # the manifest has the scope canvases:write

# What the composer offers when somebody types "/".
COMMAND_HINTS: list[Json] = [
    {"text": f"{COMMAND} help", "says": "what can be asked, and how"},
    {"text": f"{COMMAND} sources", "says": "the documents that you may read"},
    {"text": f"{COMMAND} why", "says": "how the last answer to you came about"},
    {"text": f"{COMMAND} research ", "says": "and a topic: a plan of a page about it"},
    {"text": f"{COMMAND} ", "says": "and a question: only you see the answer"},
]

# What the menu at each message offers.
SHORTCUTS: list[Json] = [{"callback_id": "ask_about_message", "name": "Ask about this message"}]
REACT = "react"  # one of them, where an emoji asks

CHAT_SUBTYPE = "assistant_app_thread"  # of the message that begins a chat in the direct messages
NEW_CHAT = "New chat"


def list_shortcuts() -> list[Json]:
    """List the shortcuts, and the emoji that asks, which in Slack is chosen beside them."""
    emoji = settings.SLACK_ASK_EMOJI
    return [*SHORTCUTS, {"callback_id": REACT, "name": f"React with :{emoji}:"}] if emoji else SHORTCUTS
