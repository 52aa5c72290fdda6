"""Copy Slack's directory: the channels that we are in and the usergroups, for administrators to choose from."""

import logging
from collections.abc import Iterator
from typing import Any

from django.db import models, transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.identity.audiences import find_members_audience
from bot.identity.own_account import find_own_team_id
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import UnknownTeamError, find_client, get_client, has_installations, is_set_up, list_teams
from core.infrastructure import queue
from core.models import SlackChannel, SlackUsergroup

logger = logging.getLogger(__name__)

_PER_PAGE = 200  # what Slack recommends for users.conversations; at most 999


def queue_all() -> None:
    """Queue that every connected team is asked what there is."""
    for team_id in find_connected_teams():
        queue.take_stock(team_id)


def find_connected_teams() -> list[str]:
    """Return the teams that we are connected with; that of a single token is asked for."""
    if has_installations():
        return list_teams()
    return [find_own_team_id(get_client())] if is_set_up() else []


def take_stock(team_id: str) -> None:
    """Write down which channels we are in and which usergroups there are; what is gone goes.

    What Slack refuses to tell stays as it was. SlackUnavailableError when it cannot be asked now.
    """
    try:
        client = find_client(team_id)
    except UnknownTeamError:  # not installed any more: nothing of it can be chosen
        SlackChannel.objects.filter(team_id=team_id).delete()
        SlackUsergroup.objects.filter(team_id=team_id).delete()
        return
    for model, key, told in (
        (SlackChannel, "channel_id", _list_channels),
        (SlackUsergroup, "usergroup_id", _list_usergroups),
    ):
        try:
            _keep_rows(model, key, team_id, dict(told(client)))
        except SlackRefusedError as error:
            logger.warning("stock_not_taken", extra={"of": model._meta.model_name, "code": error.code})


def note_readers(team_id: str, channel_id: str) -> None:
    """Ask who reads a channel, and write down their roles for whoever previews as it."""
    audience = find_members_audience(find_client(team_id), team_id=team_id, channel_id=channel_id)
    SlackChannel.objects.filter(team_id=team_id, channel_id=channel_id).update(
        role_sets=[sorted(str(role) for role in roles) for roles in audience.role_sets], readers_at=timezone.now()
    )


def _list_channels(client: WebClient) -> Iterator[tuple[str, dict[str, Any]]]:
    with translate_errors():
        for page in client.users_conversations(
            types="public_channel,private_channel", exclude_archived=True, limit=_PER_PAGE
        ):
            for told in page.get("channels") or []:
                name, is_private = str(told.get("name") or "")[:100], bool(told.get("is_private"))
                yield told["id"], {"name": name, "is_private": is_private}


def _list_usergroups(client: WebClient) -> Iterator[tuple[str, dict[str, Any]]]:
    with translate_errors():
        for told in client.usergroups_list().get("usergroups") or []:
            names = {"handle": str(told.get("handle") or "")[:100], "name": str(told.get("name") or "")[:200]}
            yield told["id"], names


def _keep_rows(model: type[models.Model], key: str, team_id: str, told: dict[str, dict[str, Any]]) -> None:
    """Let the rows of a team be what was told, in one transaction."""
    rows = model._default_manager.filter(team_id=team_id)
    with transaction.atomic():
        rows.exclude(**{f"{key}__in": list(told)}).delete()
        model._default_manager.bulk_create(
            (model(team_id=team_id, **{key: name}, **values) for name, values in told.items()),
            update_conflicts=True,
            unique_fields=["team_id", key],
            update_fields=list(next(iter(told.values()), {})) or ["team_id"],
        )
