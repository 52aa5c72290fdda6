"""Answering who opens the card of a document: with what they may read, and else as if there were no document."""

import logging

from slack_sdk import WebClient

from bot.blocks.entities import build_entity
from bot.identity import audiences
from bot.links.cards import find_card
from bot.slack.errors import find_code, translate_errors
from core.errors import FootnoteError, NotFoundError
from core.infrastructure.public_address import OpenedPlace, read_address
from core.types import Audience

logger = logging.getLogger(__name__)

# One of the statuses of https://docs.slack.dev/reference/methods/entity.presentDetails. It is said of what somebody may
# not read as well: "restricted" would say that there is something.
_NOT_FOUND = {"status": "not_found"}
# Slack may refresh the card below a message, which others read, by what one person is shown here, where that is newer:
# https://docs.slack.dev/messaging/work-objects-implementation. The first second there is is older than every message.
_NEVER_NEWER = 1


def present(
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
            _present(client, place, audience, trigger_id)
    except FootnoteError as error:
        logger.info("details_not_shown", extra={"code": find_code(error)})


def _find_audience(client: WebClient, team_id: str, slack_user_id: str, channel_id: str) -> Audience:
    _, own = audiences.find_account_audience(client, team_id, slack_user_id)
    if not channel_id:
        return own
    there = audiences.find_channel_audience(client, team_id=team_id, channel_id=channel_id, slack_user_id=slack_user_id)
    # A channel's own roles would stand in for those of its members: they widen nothing for who opens it alone.
    return Audience.of([*own.role_sets, *there.role_sets])


def _present(client: WebClient, place: OpenedPlace | None, audience: Audience, trigger_id: str) -> None:
    try:
        if place is None:
            raise NotFoundError
        card = find_card(place, audience=audience)
    except NotFoundError:
        client.entity_presentDetails(trigger_id=trigger_id, error=_NOT_FOUND)
        return
    client.entity_presentDetails(trigger_id=trigger_id, metadata=build_entity(card, modified_at=_NEVER_NEWER))
