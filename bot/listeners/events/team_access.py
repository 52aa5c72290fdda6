"""An organisation adds the app to workspaces, or takes it away from some."""

from typing import Any

from slack_bolt import BoltContext

from bot.installations.organisations import revoke
from bot.listeners.events.installation_ended import read_time
from core.infrastructure import queue


def on_team_access_granted(context: BoltContext) -> None:
    """Let the worker ask Slack in which workspaces the app may be used now."""
    queue.list_workspaces(context.enterprise_id or "")


def on_team_access_revoked(body: dict[str, Any], context: BoltContext) -> None:
    """Serve these workspaces no longer."""
    revoke(context.enterprise_id or "", body["event"]["team_ids"], before=read_time(body))
