"""Ask the owner of a document which of two holds, in one direct message, at the wish of who looks after the library.

What the message says is read as the owner, who may read both documents or is not asked. Whoever has no account in Slack
finds the pair in their list of contradictions alone.
"""

import logging
from uuid import UUID

from slack_sdk import WebClient

from bot.blocks.contradicted import NEWER_HOLDS, OLDER_HOLDS, SaidSide, contradiction_message
from bot.blocks.message import Message
from bot.channels.settings import find_language
from bot.handoff.people_to_ask import find_account
from bot.identity.people import find_person
from bot.slack.addresses import open_direct_messages
from bot.slack.idempotent import IdempotentMessage
from core import api
from core.access.audiences import audience_of
from core.errors import NotFoundError
from core.language.i18n.translation import speak_language
from core.models import SourceContradiction, User
from core.values.contradictions import KeptContradiction

logger = logging.getLogger(__name__)

_BUTTONS = {"newer": NEWER_HOLDS, "older": OLDER_HOLDS}


def post(contradiction_id: UUID) -> None:
    """Ask the owner, unless an earlier attempt did, or somebody decided meanwhile.

    SlackUnavailableError when a later attempt may succeed.
    """
    rows = SourceContradiction.objects.select_related("owner_asked")
    row = rows.filter(pk=contradiction_id, state=SourceContradiction.State.ASKED).first()
    if row is None or row.owner_asked is None or row.asked_at is None:
        return
    owner = row.owner_asked
    account = find_account(owner)
    if account is None:
        fail(contradiction_id, code="owner_not_reached")
        return
    client, team_id = account.client, account.team_id
    channel_id = open_direct_messages(client, account.slack_user_id)
    sent = _build_message(client, team_id, channel_id, row.pk, since=f"{row.asked_at.timestamp():.6f}")
    with speak_language(find_language(team_id, channel_id)):
        try:
            sent.ensure(lambda: _compose(contradiction_id, owner))
        except NotFoundError:
            fail(contradiction_id, code="owner_not_reached")


def fail(contradiction_id: UUID, *, code: str) -> None:
    """Say in the log that an owner was not asked in Slack. The pair is in their list all the same."""
    logger.warning("owner_not_asked", extra={"contradiction": str(contradiction_id), "code": code})


def answer(
    client: WebClient, contradiction_id: UUID, side: str, *, team_id: str, by: str, channel_id: str, ts: str
) -> None:
    """Note which document holds, and say so in the message. by: the Slack account that pressed.

    NotFoundError for whoever may not decide about the pair, and where it is gone.
    """
    person = find_person(client, team_id, by)
    user = User.objects.filter(pk=person.user_id, is_active=True).first() if person.user_id else None
    if user is None:
        raise NotFoundError
    api.say_that_one_holds(contradiction_id, side, by=user)
    _build_message(client, team_id, channel_id, contradiction_id, ts=ts).edit(_compose(contradiction_id, user))


def _build_message(
    client: WebClient, team_id: str, channel_id: str, contradiction_id: UUID, *, ts: str = "", since: str = ""
) -> IdempotentMessage:
    return IdempotentMessage(
        client=client,
        team_id=team_id,
        channel_id=channel_id,
        thread_ts="",
        marker=f"contradiction-{contradiction_id}",
        ts=ts,
        since=since,
        record=lambda _: None,
    )


def _compose(contradiction_id: UUID, reader: User) -> Message:
    """Return the message as it should stand now. NotFoundError where the reader may not read both any more."""
    found = api.list_contradictions(reader, audience=audience_of([reader.pk]), ids=[contradiction_id], limit=1)
    row = next((row for row in found.rows if row.question), None)
    if row is None:
        raise NotFoundError
    return _write(row)


def _write(row: KeptContradiction) -> Message:
    sides = tuple(
        SaidSide(
            action_id=_BUTTONS[side.side],
            document_name=side.document_name,
            document_date=side.document_date,
            quote=side.quote,
            opens_at=side.opens_at,
            holds=side.holds,
        )
        for side in row.sides
    )
    both_hold = row.state == SourceContradiction.State.BOTH_HOLD
    return contradiction_message(str(row.contradiction_id), row.question, sides, both_hold=both_hold)
