"""Find out who can read a channel besides its members: asked of Slack, or as it said just now.

A public channel is read by the whole workspace: every full member can find it, look into it, and join it. If Slack
refuses to answer, or answers in words that we do not know, it counts as read by everybody.

https://docs.slack.dev/reference/objects/conversation-object
"""

import datetime as dt
from typing import Any

from django.utils import timezone
from slack_sdk import WebClient

from bot.identity.membership import is_recent_enough
from bot.models import ChannelKind
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import find_acted_in

LIFE = dt.timedelta(minutes=1)  # how long Slack's word on a channel may be believed where a recent one will do

ReadBy = ChannelKind.ReadBy

# Shared with an organisation that is not ours, or about to be. Its administrators may add people as ours may.
_CONNECTED = ("is_ext_shared", "is_pending_ext_shared")
# Shared with other workspaces of the own organisation: their people can open it when it is public.
_SHARED = (*_CONNECTED, "is_org_shared")


def find_read_by(client: WebClient, team_id: str, channel_id: str) -> ReadBy:
    """Find out who reads a channel of the workspace that the client's token belongs to, or that it acts in.

    A token of a whole organisation sees the channels of all its workspaces. One that is not surely in the workspace
    that the client acts in counts as read by everybody: a decision for that workspace does not apply to it. A refusal
    by Slack is not remembered.

    SlackUnavailableError when Slack cannot be asked now.
    """
    if is_recent_enough():
        fresh = ChannelKind.objects.filter(team_id=team_id, channel_id=channel_id, checked_at__gt=timezone.now() - LIFE)
        known = fresh.values_list("read_by", flat=True).first()
        if known:
            return ReadBy(known)
    said = _ask_channel(client, channel_id)
    if not said:
        forget(channel_id)
        return ReadBy.OTHERS
    kind = _classify_channel(said) if _is_here(client, said) else ReadBy.OTHERS
    ChannelKind.objects.bulk_create(
        [ChannelKind(team_id=team_id, channel_id=channel_id, read_by=kind, checked_at=timezone.now())],
        update_conflicts=True,
        unique_fields=["team_id", "channel_id"],
        update_fields=["read_by", "checked_at"],
    )
    return kind


def forget(channel_id: str) -> None:
    """Believe nothing any more of what Slack said of a channel, in whichever team."""
    ChannelKind.objects.filter(channel_id=channel_id).delete()


def _ask_channel(client: WebClient, channel_id: str) -> dict[str, Any]:
    """Ask Slack to describe a channel; empty when it refuses to."""
    try:
        with translate_errors():
            said = client.conversations_info(channel=channel_id).get("channel")
    except SlackRefusedError:
        return {}
    return said if isinstance(said, dict) else {}


def _is_here(client: WebClient, said: dict[str, Any]) -> bool:
    """Return True if a channel is one of the client's workspace; always if the token is that workspace's own.

    Direct and group messages have no workspace, and a private channel that several workspaces share has its members.
    """
    acted_in = find_acted_in(client)
    if (
        acted_in is None
        or said.get("is_im") is True
        or said.get("is_mpim") is True
        or said.get("is_org_shared") is True
    ):
        return True
    told = {said.get("context_team_id")}
    for name in ("shared_team_ids", "internal_team_ids"):
        told |= set(said.get(name) or [])
    return told - {None, acted_in.organisation_id} == {acted_in.team_id}


def _classify_channel(said: dict[str, Any]) -> ReadBy:
    if said.get("is_im") is True or said.get("is_mpim") is True:
        return ReadBy.MEMBERS
    if said.get("is_private") is True:
        return ReadBy.OTHERS if any(said.get(flag) for flag in _CONNECTED) else ReadBy.MEMBERS
    is_ours_alone = said.get("is_private") is False and all(said.get(flag) is False for flag in _SHARED)
    return ReadBy.WORKSPACE if is_ours_alone else ReadBy.OTHERS
