"""Showing what the links of a message lead to: once, however many attempts and processes it takes.

Nobody but those who can read the message at that moment decides. What is shown stays, as a shared answer does, also
where rights end later: Slack has no call that takes a preview back. Whoever opens it is asked for their rights anew.
"""

import logging
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.entities import build_entity
from bot.channels.languages import find_language
from bot.channels.settings import find_setting, list_collections
from bot.identity import audiences
from bot.links.cards import find_card
from bot.models import Unfurl
from bot.slack.errors import translate_errors
from bot.slack.workspace import find_client
from core.errors import NotFoundError
from core.infrastructure.public_address import read_address
from core.language.i18n.translation import speak_language

logger = logging.getLogger(__name__)


def show(unfurl_id: UUID) -> None:
    """Show the links of a message, unless that has ended. SlackUnavailableError when a later attempt may succeed.

    Slack changes the previews of a message where it is called again, so that another attempt adds none.
    """
    row = _begin(unfurl_id)
    if row is None:
        return
    client = find_client(row.team_id)
    entities = _build_entities(client, row)
    if entities:
        with translate_errors():
            client.chat_unfurl(channel=row.channel_id, ts=row.message_ts, metadata={"entities": entities})
    _end(row, Unfurl.State.SHOWN if entities else Unfurl.State.SILENT)


def fail(unfurl_id: UUID, *, code: str) -> None:
    """End what could not be shown. Nobody waits for it: the links are there."""
    row = Unfurl.objects.filter(pk=unfurl_id, state=Unfurl.State.WAITING).first()
    if row is not None:
        _end(row, Unfurl.State.FAILED, code=code)
    logger.warning("unfurl_failed", extra={"unfurl": str(unfurl_id), "code": code})


def _begin(unfurl_id: UUID) -> Unfurl | None:
    """The row, with an attempt counted; None when it has ended."""
    with transaction.atomic():
        row = Unfurl.objects.select_for_update().filter(pk=unfurl_id, state=Unfurl.State.WAITING).first()
        if row is None:
            return None
        row.attempts += 1
        row.save(update_fields=["attempts"])
    return row


def _build_entities(client: WebClient, row: Unfurl) -> list[dict[str, Any]]:
    """The cards of the links that everyone may read who can read the message now, as asked right before they are shown.

    The one who posted it counts among them: a link shows nobody a document that they may not read.
    """
    setting = find_setting(row.team_id, row.channel_id)
    if setting and not setting.enabled:
        return []
    collections = frozenset(list_collections(setting))
    audience = audiences.find_channel_audience(
        client, team_id=row.team_id, channel_id=row.channel_id, slack_user_id=row.user_id
    )
    entities = []
    with speak_language(find_language(row.team_id, row.channel_id)):
        for url in row.urls:
            place = read_address(url)
            if place is None:
                continue
            try:
                card = find_card(place, audience=audience, collections=collections)
            except NotFoundError:
                continue
            entities.append(build_entity(card, posted_as=url, modified_at=int(float(row.message_ts))))
    return entities


def _end(row: Unfurl, state: Unfurl.State, *, code: str = "") -> None:
    row.state, row.error_code, row.urls, row.finished_at = state, code, [], timezone.now()
    row.save(update_fields=["state", "error_code", "urls", "finished_at"])
    logger.info("unfurl_ended", extra={"unfurl": str(row.pk), "state": state.value, "code": code})
