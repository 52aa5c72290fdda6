"""Somebody changed a usergroup, or who is in it."""

from typing import Any

from slack_bolt import BoltContext

from bot.identity.usergroups import queue_synchronisation


def on_usergroup_updated(body: dict[str, Any], context: BoltContext) -> None:
    """It was renamed, switched off or on."""
    queue_synchronisation(context["team_id"], body["event"]["subteam"]["id"])


def on_usergroup_members_changed(body: dict[str, Any], context: BoltContext) -> None:
    """Somebody came or went."""
    queue_synchronisation(context["team_id"], body["event"]["subteam_id"])
