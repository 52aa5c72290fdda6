"""Somebody wants everyone to see an answer that they alone got."""

from typing import Any
from uuid import UUID

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.identity import audiences
from bot.identity.interactions import NotAskedByYouError, find_own_question
from bot.listeners.interaction import describe_error, read_interaction, tell
from bot.models import SlackEvent
from core import api
from core.errors import FootnoteError, NotFoundError
from core.language.i18n.translation import say, translatable

NOT_FOR_ALL = translatable("I cannot share this here: not everyone in this channel may read all of its sources.")


def on_share(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Share an answer if everyone in the channel may read what it cites; the worker asks that again, and posts."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        query_id = find_own_question(client, context["team_id"], slack_user_id, interaction.request_id)
        incoming = _build_sharing(query_id, interaction.request_id)
        audience = audiences.find_channel_audience(
            client, team_id=incoming.team_id, channel_id=incoming.channel_id, slack_user_id=slack_user_id
        )
        api.stored_result(interaction.request_id, audience=audience)
    except NotFoundError:
        tell(client, slack_user_id, interaction, say(NOT_FOR_ALL))
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
    else:
        intake.receive(incoming)


def _build_sharing(query_id: UUID, request_id: str) -> intake.Incoming:
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
