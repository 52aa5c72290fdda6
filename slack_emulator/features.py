"""What Footnote offers in a workspace besides conversation: names that Slack knows from the app's manifest."""

from slack_emulator.shapes import Json

COMMAND = "/footnote"

# What the composer offers when somebody types "/".
COMMAND_HINTS: list[Json] = [
    {"text": f"{COMMAND} help", "says": "what can be asked, and how"},
    {"text": f"{COMMAND} sources", "says": "the documents that you may read"},
    {"text": f"{COMMAND} ", "says": "and a question: only you see the answer"},
]

# What the menu at each message offers.
SHORTCUTS: list[Json] = [{"callback_id": "ask_about_message", "name": "Ask about this message"}]

CHAT_SUBTYPE = "assistant_app_thread"  # of the message that begins a chat in the direct messages
NEW_CHAT = "New chat"
