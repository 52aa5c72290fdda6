"""Somebody wants everyone to see an answer that they alone got."""

from typing import Any
from uuid import UUID

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.identity import audiences
from bot.identity.clicks import NotAskedByYouError, asked_by
from bot.listeners.interaction import clicked_in, sentence_for, tell
from bot.models import SlackEvent
from core import api
from core.errors import FootnoteError, NotFoundError
from core.i18n.translation import say, translatable

NOT_FOR_ALL = translatable("I cannot share this here: not everyone in this channel may read all of its sources.")


def on_share(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Share an answer if everyone in the channel may read what it cites; the worker asks that again, and posts."""
    clicked, slack_user_id = clicked_in(body), body["user"]["id"]
    try:
        query_id = asked_by(client, context["team_id"], slack_user_id, clicked.request_id)
        incoming = _sharing(query_id, clicked.request_id)
        audience = audiences.audience_here(
            client, team_id=incoming.team_id, channel_id=incoming.channel_id, slack_user_id=slack_user_id
        )
        api.stored_result(clicked.request_id, audience=audience)
    except NotFoundError:
        tell(client, slack_user_id, clicked, say(NOT_FOR_ALL))
    except FootnoteError as error:
        tell(client, slack_user_id, clicked, sentence_for(error))
    else:
        intake.receive(incoming)


def _sharing(query_id: UUID, request_id: str) -> intake.Incoming:
    """The sharing of an answer beside the question it is about, wherever the button was pressed."""
    event = SlackEvent.objects.filter(reply__query=query_id, kind__in=SlackEvent.BESIDE_A_CHANNEL).first()
    if event is None:
        raise NotAskedByYouError
    return intake.Incoming(
        event_id=f"share-{request_id}",
        team_id=event.team_id,
        channel_id=event.channel_id,
        user_id=event.user_id,
        kind=SlackEvent.Kind.SHARE,
        thread_ts=event.thread_ts,
        about=query_id,
    )
