"""Links to documents that people post: shown below the message, or beside it, to those who may read the document.

They are stored together with the job that shows where they lead, which is done once, however many attempts and
processes it takes. Nobody but those who can read the message at that moment decides. What is shown stays, as a shared
answer does, also where rights end later: Slack has no call that takes a preview back. Whoever opens the card of a
document is asked for their rights anew, and shown what they may read, or else as if there were no document.
"""

import logging
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.entities import Card, build_entity
from bot.channels.settings import find_language, find_setting, list_collections
from bot.identity import audiences
from bot.models import Unfurl
from bot.slack.errors import find_code, translate_errors
from bot.slack.workspace import find_client
from core import api
from core.errors import FootnoteError, NotFoundError
from core.infrastructure import queue
from core.infrastructure.public_address import OpenedPlace, build_citation_address, build_document_address, read_address
from core.language.i18n.translation import speak_language
from core.types import Audience

logger = logging.getLogger(__name__)

MOST_LINKS = 5  # of one message; whoever posts more shows a list, and needs no cards

# One of the statuses of https://docs.slack.dev/reference/methods/entity.presentDetails. It is said of what somebody may
# not read as well: "restricted" would say that there is something.
_NOT_FOUND = {"status": "not_found"}
# Slack may refresh the card below a message, which others read, by what one person is shown here, where that is newer:
# https://docs.slack.dev/messaging/work-objects-implementation. The first second there is is older than every message.
_NEVER_NEWER = 1


def receive_links(
    *, event_id: str, team_id: str, channel_id: str, user_id: str, message_ts: str, urls: list[str]
) -> bool:
    """Store the links that lead to this installation and queue that they are shown, both or neither.

    Return False where none of them does, and for an event that was stored before.
    """
    own = [url for url in dict.fromkeys(urls) if read_address(url) is not None][:MOST_LINKS]
    if not own:
        return False
    try:
        with transaction.atomic():
            row = Unfurl.objects.create(
                event_id=event_id,
                team_id=team_id,
                channel_id=channel_id,
                user_id=user_id,
                message_ts=message_ts,
                urls=own,
            )
            # An edit of the message is another event: the later one is shown last.
            lock = f"unfurl/{team_id}/{channel_id}/{message_ts}"
            queue.enqueue(queue.UNFURL, lock=lock, unfurl=str(row.pk))
    except IntegrityError:
        logger.info("event_known", extra={"event_id": event_id})
        return False
    logger.info("links_stored", extra={"unfurl": str(row.pk), "links": len(own)})
    return True


def show_links(unfurl_id: UUID) -> None:
    """Show the links of a message, unless that has ended. SlackUnavailableError when a later attempt may succeed.

    Slack changes the previews of a message where it is called again, so that another attempt adds none.
    """
    row = _begin_attempt(unfurl_id)
    if row is None:
        return
    client = find_client(row.team_id)
    entities = _build_entities(client, row)
    if entities:
        with translate_errors():
            client.chat_unfurl(channel=row.channel_id, ts=row.message_ts, metadata={"entities": entities})
    _end_unfurl(row, Unfurl.State.SHOWN if entities else Unfurl.State.SILENT)


def fail_links(unfurl_id: UUID, *, code: str) -> None:
    """End what could not be shown. Nobody waits for it: the links are there."""
    row = Unfurl.objects.filter(pk=unfurl_id, state=Unfurl.State.WAITING).first()
    if row is not None:
        _end_unfurl(row, Unfurl.State.FAILED, code=code)
    logger.warning("unfurl_failed", extra={"unfurl": str(unfurl_id), "code": code})


def _begin_attempt(unfurl_id: UUID) -> Unfurl | None:
    """Return the row, with an attempt counted; None when it has ended."""
    with transaction.atomic():
        row = Unfurl.objects.select_for_update().filter(pk=unfurl_id, state=Unfurl.State.WAITING).first()
        if row is None:
            return None
        row.attempts += 1
        row.save(update_fields=["attempts"])
    return row


def _build_entities(client: WebClient, row: Unfurl) -> list[dict[str, Any]]:
    """Build the cards of the links that everyone may read who can read the message at this moment.

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
                card = _find_card(place, audience=audience, collections=collections)
            except NotFoundError:
                continue
            entities.append(build_entity(card, posted_as=url, modified_at=int(float(row.message_ts))))
    return entities


def _end_unfurl(row: Unfurl, state: Unfurl.State, *, code: str = "") -> None:
    row.state, row.error_code, row.urls, row.finished_at = state, code, [], timezone.now()
    row.save(update_fields=["state", "error_code", "urls", "finished_at"])
    logger.info("unfurl_ended", extra={"unfurl": str(row.pk), "state": state.value, "code": code})


def present_details(
    client: WebClient, *, team_id: str, slack_user_id: str, channel_id: str, address: str, trigger_id: str
) -> None:
    """Show a person the document that one of our addresses opens, or that there is none.

    channel_id: of the message below which they opened it; empty where that is not told. What is shown there is what
    they and everyone who reads the channel may read, since the card of the message may be refreshed by it.
    """
    place = read_address(address)
    try:
        audience = _find_audience(client, team_id, slack_user_id, channel_id)
        with translate_errors():
            _present_card(client, place, audience, trigger_id)
    except FootnoteError as error:
        logger.info("details_not_shown", extra={"code": find_code(error)})


def _find_audience(client: WebClient, team_id: str, slack_user_id: str, channel_id: str) -> Audience:
    _, own = audiences.find_account_audience(client, team_id, slack_user_id)
    if not channel_id:
        return own
    there = audiences.find_channel_audience(client, team_id=team_id, channel_id=channel_id, slack_user_id=slack_user_id)
    # A channel's own roles would stand in for those of its members: they widen nothing for who opens it alone.
    return Audience.of([*own.role_sets, *there.role_sets])


def _present_card(client: WebClient, place: OpenedPlace | None, audience: Audience, trigger_id: str) -> None:
    try:
        if place is None:
            raise NotFoundError
        card = _find_card(place, audience=audience)
    except NotFoundError:
        client.entity_presentDetails(trigger_id=trigger_id, error=_NOT_FOUND)
        return
    client.entity_presentDetails(trigger_id=trigger_id, metadata=build_entity(card, modified_at=_NEVER_NEWER))


def _find_card(place: OpenedPlace, *, audience: Audience, collections: frozenset[str] = frozenset()) -> Card:
    """Return what everyone in the audience may be shown of a document, or of a citation in it.

    collections: names of those to which it is kept; without any, all.

    NotFoundError where one of them may not read that edition, and where there is none.
    """
    is_citation = place.kind == "citation"
    open_place = api.open_citation if is_citation else api.open_document
    opened = open_place(place.id, audience=audience)
    if collections and opened.collection not in collections:
        raise NotFoundError
    quoted = next((part for part in opened.parts if part.mark), None)
    return Card(
        ref=f"{place.kind}-{place.id}",  # under which Slack tells of it again
        url=build_citation_address(place.id) if is_citation else build_document_address(place.id),
        title=opened.name,
        day=opened.document_date,
        source_url=opened.source_url,
        section=(quoted.section or quoted.chapter) if quoted else "",
        page_number=opened.page_number if quoted else None,
        # Only while it is in the document: a quote of an earlier edition says nothing of what opens.
        quote=quoted.text[slice(*quoted.mark)] if quoted and quoted.mark else "",
    )
