"""What the bot hears: one listener per file."""

import re

from slack_bolt import App

from bot.blocks.buttons import FEEDBACK_DOWN, FEEDBACK_UP, SHOW_QUOTES
from bot.listeners.actions import acknowledge
from bot.listeners.actions.feedback import on_feedback
from bot.listeners.actions.show_quotes import on_show_quotes
from bot.listeners.events.app_mention import on_mention
from bot.listeners.events.message import on_message


def register(app: App) -> None:
    """Everything the bot hears. Clicks are acknowledged at once and acted on after that."""
    app.event("app_mention")(on_mention)
    app.event("message")(on_message)
    app.action(re.compile(f"^({FEEDBACK_UP}|{FEEDBACK_DOWN})$"))(ack=acknowledge, lazy=[on_feedback])
    app.action(SHOW_QUOTES)(ack=acknowledge, lazy=[on_show_quotes])
