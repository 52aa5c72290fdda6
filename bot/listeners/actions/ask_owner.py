"""Somebody asks the owner of a source whether it still holds, and the owner says so."""

from typing import Any
from uuid import UUID

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.owners import words_modal
from bot.identity.audiences import find_account_audience
from bot.identity.interactions import check_interaction
from bot.listeners.interaction import describe_error, read_interaction, tell
from bot.models import OwnerQuestion
from bot.owners import asking
from bot.slack.errors import translate_errors
from core import api
from core.errors import FootnoteError, NotFoundError
from core.i18n.translation import say, translatable
from core.owners import StaleSource, find_stale_sources

ASKED = translatable("{owner} is asked. I will send you the answer in a direct message.")
ALREADY_ASKED = translatable("{owner} has been asked already. I will send you the answer in a direct message.")
HOLDS_BY_NOW = translatable("This source has changed or was confirmed since. Ask me again to see what it says now.")


def on_ask_owner(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Ask the owner once, whoever presses, if they see the answer and may read it now."""
    interaction = read_interaction(body)
    slack_user_id, team_id = body["user"]["id"], context["team_id"]
    request_id, _, document_id = interaction.request_id.partition(" ")
    try:
        user_id, reply = check_interaction(client, team_id, slack_user_id, request_id)
        _, audience = find_account_audience(client, team_id, slack_user_id)
        result = api.stored_result(request_id, audience=audience, viewer=user_id)
        source = _find_source(result, document_id)
        if source is None:
            said = say(HOLDS_BY_NOW)
        else:
            is_new = asking.receive(reply, source, asked_by=slack_user_id)
            said = say(ASKED if is_new else ALREADY_ASKED, owner=source.owner.name_without_address)
    except FootnoteError as error:
        said = describe_error(error)
    tell(client, slack_user_id, interaction, said)


def on_holds(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Take from the owner that the source still holds."""
    _answer(body, context, client, OwnerQuestion.Verdict.HOLDS)


def on_outdated(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Take from the owner that the source is out of date."""
    _answer(body, context, client, OwnerQuestion.Verdict.OUTDATED)


def on_write(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the window in which the owner writes an answer."""
    interaction = read_interaction(body)
    try:
        with translate_errors():
            view = words_modal(interaction.request_id, interaction.channel_id)
            client.views_open(trigger_id=body["trigger_id"], view=view)
    except FootnoteError as error:
        tell(client, body["user"]["id"], interaction, describe_error(error))


def read_question_id(value: str) -> UUID:
    """Read the id of a question. NotFoundError for anything else."""
    try:
        return UUID(value)
    except ValueError:
        raise NotFoundError from None


def _find_source(result: Any, document_id: str) -> StaleSource | None:
    sources = find_stale_sources(getattr(result, "citations", ()))
    return next((source for source in sources if str(source.edition.document_id) == document_id), None)


def _answer(body: dict[str, Any], context: BoltContext, client: WebClient, verdict: OwnerQuestion.Verdict) -> None:
    """Record what the owner pressed and say so in the message; what is refused is told to them."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        question_id = read_question_id(interaction.request_id)
        row = asking.answer(client, question_id, team_id=context["team_id"], by=slack_user_id, verdict=verdict)
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
        return
    asking.show_answered(client, row)
