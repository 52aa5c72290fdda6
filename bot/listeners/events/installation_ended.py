"""A workspace removed the app, or took its token back."""

import datetime as dt
from typing import Any

from slack_bolt import BoltContext

from bot.installations.oauth import end_installation


def on_app_uninstalled(body: dict[str, Any], context: BoltContext) -> None:
    """End the installation at once."""
    end_installation(context["team_id"], before=_read_time(body), because="app_uninstalled")


def on_tokens_revoked(body: dict[str, Any], context: BoltContext) -> None:
    """End the installation at once when the bot's token is among those that were revoked."""
    if (body["event"].get("tokens") or {}).get("bot"):
        end_installation(context["team_id"], before=_read_time(body), because="tokens_revoked")


def _read_time(body: dict[str, Any]) -> dt.datetime:
    """The end of the second in which it happened: Slack tells whole seconds."""
    return dt.datetime.fromtimestamp(int(body["event_time"]) + 1, tz=dt.UTC)
