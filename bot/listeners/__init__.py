"""What the bot hears: one listener per file."""

import re

from slack_bolt import App

from bot.blocks.answer import FEEDBACK_DOWN, FEEDBACK_UP, SHOW_QUOTES
from bot.listeners.actions import acknowledge
from bot.listeners.actions.feedback import on_feedback
from bot.listeners.actions.show_quotes import on_show_quotes
from bot.listeners.events.app_mention import on_mention
from bot.listeners.events.installation_ended import on_app_uninstalled, on_tokens_revoked
from bot.listeners.events.message import on_message
from bot.listeners.events.user_change import on_user_change
from bot.listeners.events.usergroup_changed import on_usergroup_members_changed, on_usergroup_updated


def register(app: App) -> None:
    """Everything the bot hears. Clicks are acknowledged at once and acted on after that."""
    app.event("app_mention")(on_mention)
    app.event("message")(on_message)
    app.event("app_uninstalled")(on_app_uninstalled)
    app.event("tokens_revoked")(on_tokens_revoked)
    app.event("subteam_members_changed")(on_usergroup_members_changed)
    app.event("subteam_updated")(on_usergroup_updated)
    app.event("user_change")(on_user_change)
    app.action(re.compile(f"^({FEEDBACK_UP}|{FEEDBACK_DOWN})$"))(ack=acknowledge, lazy=[on_feedback])
    app.action(SHOW_QUOTES)(ack=acknowledge, lazy=[on_show_quotes])
