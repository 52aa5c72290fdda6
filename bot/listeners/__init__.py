"""What the bot hears: one listener per file."""

import re

from slack_bolt import App

from bot.blocks.answer import FEEDBACK_DOWN, FEEDBACK_UP, SHOW_QUOTES
from bot.blocks.uploads import ADD_FILES, KEEP_OUT
from bot.listeners.actions import acknowledge
from bot.listeners.actions.feedback import on_feedback
from bot.listeners.actions.share_files import on_add_files, on_keep_out
from bot.listeners.actions.show_quotes import on_show_quotes
from bot.listeners.commands.ask import list_sources, take_command
from bot.listeners.events.app_home_opened import on_home_opened
from bot.listeners.events.app_mention import on_mention
from bot.listeners.events.assistant_thread_started import on_thread_started
from bot.listeners.events.message import on_message
from bot.listeners.views.add_files import on_files_chosen


def register(app: App) -> None:
    """Everything the bot hears. Clicks are acknowledged at once and acted on after that."""
    app.event("app_mention")(on_mention)
    app.event("message")(on_message)
    app.event("app_home_opened")(ack=acknowledge, lazy=[on_home_opened])
    app.event("assistant_thread_started")(ack=acknowledge, lazy=[on_thread_started])
    app.command(re.compile(r"^/.+"))(ack=take_command, lazy=[list_sources])
    app.action(re.compile(f"^({FEEDBACK_UP}|{FEEDBACK_DOWN})$"))(ack=acknowledge, lazy=[on_feedback])
    app.action(SHOW_QUOTES)(ack=acknowledge, lazy=[on_show_quotes])
    app.action(ADD_FILES)(ack=acknowledge, lazy=[on_add_files])
    app.action(KEEP_OUT)(ack=acknowledge, lazy=[on_keep_out])
    app.view(ADD_FILES)(on_files_chosen)
