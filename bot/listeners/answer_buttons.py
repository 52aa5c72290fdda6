"""Handle the buttons that show, explain, share or remove an answer, and the one that asks for it in private."""

import logging
from typing import Any
from uuid import UUID

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.blocks.modals import text_modal
from bot.blocks.quotes import TITLE as QUOTES_TITLE
from bot.blocks.quotes import quotes_modal
from bot.blocks.why import TITLE as WHY_TITLE
from bot.blocks.why import why_modal
from bot.delivery import removing
from bot.identity import audiences
from bot.identity.explanations import find_explanation
from bot.identity.interactions import NotAskedByYouError, find_own_question
from bot.listeners.interaction import FAILED, describe_error, open_modal, read_interaction, show, tell
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core import api
from core.errors import FootnoteError, NotFoundError
from core.language.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

QUOTES_FAILED = translatable("The quotes could not be shown. Please try again in a moment.")

NOT_FOR_ALL = translatable("I cannot share this here: not everyone in this channel may read all of its sources.")


def on_show_quotes(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show in a modal those quotes that who pressed, whoever asked the question, may read now."""
    interaction = read_interaction(body)
    view_id = open_modal(client, body, say(QUOTES_TITLE))
    try:
        user_id, audience = audiences.find_account_audience(client, context["team_id"], body["user"]["id"])
        view = quotes_modal(api.stored_quotes(interaction.request_id, audience=audience, viewer=user_id))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("quotes_not_shown", extra={"code": error.code})
        view = text_modal(say(QUOTES_TITLE), say(QUOTES_FAILED))
    if not show(client, view_id, view) and not view_id:
        tell(client, body["user"]["id"], interaction, say(QUOTES_FAILED))


def on_why(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show in a modal how the answer came about, as who pressed may know it, whoever asked the question."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    view_id = open_modal(client, body, say(WHY_TITLE))
    try:
        found = find_explanation(client, context["team_id"], slack_user_id, interaction.request_id)
        view = why_modal(found.told, is_public=found.is_public, is_asker=found.is_asker)
    except FootnoteError as error:
        view = text_modal(say(WHY_TITLE), describe_error(error))
    if not show(client, view_id, view) and not view_id:
        tell(client, slack_user_id, interaction, say(FAILED))


def on_answer_privately(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Store the wish; the worker answers where the offer stands."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        query_id = find_own_question(client, context["team_id"], slack_user_id, interaction.request_id)
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
        return
    intake.receive(
        intake.Incoming(
            event_id=f"private-{interaction.request_id}",
            team_id=context["team_id"],
            channel_id=interaction.channel_id,
            user_id=slack_user_id,
            kind=SlackEvent.Kind.PRIVATE,
            thread_ts=interaction.thread_ts,
            response_url=interaction.response_url,
            about=query_id,
        )
    )


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
    """Build the sharing of an answer beside the question it is about, wherever the button was pressed."""
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


def on_remove(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Put a line in the place of the answer; who did not ask for it, or has no luck, is told so."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        removing.remove(
            client,
            interaction.request_id,
            team_id=context["team_id"],
            channel_id=interaction.channel_id,
            ts=(body.get("container") or {}).get("message_ts") or "",
            slack_user_id=slack_user_id,
        )
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
