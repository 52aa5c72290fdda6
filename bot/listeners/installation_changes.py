"""Hear that the app was removed, lost its token, or may be used in more or fewer workspaces of an organisation."""

import datetime as dt
from typing import Any

from slack_bolt import BoltContext

from bot.installations.oauth import end_installation
from bot.installations.organisations import revoke
from core.infrastructure import queue


def on_app_uninstalled(body: dict[str, Any], context: BoltContext) -> None:
    """End the installation at once."""
    end_installation(_find_ended(context), before=_read_time(body), because="app_uninstalled")


def on_tokens_revoked(body: dict[str, Any], context: BoltContext) -> None:
    """End the installation at once when the bot's token is among those that were revoked."""
    if (body["event"].get("tokens") or {}).get("bot"):
        end_installation(_find_ended(context), before=_read_time(body), because="tokens_revoked")


def _read_time(body: dict[str, Any]) -> dt.datetime:
    """Return the end of the second in which it happened: Slack tells whole seconds."""
    return dt.datetime.fromtimestamp(int(body["event_time"]) + 1, tz=dt.UTC)


def _find_ended(context: BoltContext) -> str:
    """Return the workspace that this is about, or the organisation when it is about that one's own installation."""
    is_whole = context.is_enterprise_install or not context.team_id
    return (context.enterprise_id if is_whole else context.team_id) or ""


def on_team_access_granted(context: BoltContext) -> None:
    """Let the worker ask Slack in which workspaces the app may be used now."""
    queue.list_workspaces(context.enterprise_id or "")


def on_team_access_revoked(body: dict[str, Any], context: BoltContext) -> None:
    """Serve these workspaces no longer."""
    revoke(context.enterprise_id or "", body["event"]["team_ids"], before=_read_time(body))
