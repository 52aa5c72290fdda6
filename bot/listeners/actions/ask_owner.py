"""Somebody asks the owner of a source whether it still holds, and the owner says so."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.owners import words_modal
from bot.identity.interactions import check_interaction
from bot.listeners.interaction import describe_error, open_view, read_id, read_interaction, tell
from bot.models import OwnerQuestion
from bot.owners import asking
from core.errors import FootnoteError
from core.language.i18n.translation import say, translatable
from core.library.owners import StaleSource, find_stale_sources
from core.types import Answer, Refusal

ASKED = translatable("{owner} is asked. I will send you the answer in a direct message.")
ALREADY_ASKED = translatable("{owner} has been asked already. I will send you the answer in a direct message.")
HOLDS_BY_NOW = translatable("This source has changed or was confirmed since. Ask me again to see what it says now.")


def on_ask_owner(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Ask the owner once, whoever presses, if they see the answer and may read it now."""
    interaction = read_interaction(body)
    slack_user_id = body["user"]["id"]
    request_id, _, document_id = interaction.request_id.partition(" ")
    try:
        press = check_interaction(client, context["team_id"], slack_user_id, request_id)
        source = _find_source(press.result, document_id)
        if source is None:
            said = say(HOLDS_BY_NOW)
        else:
            is_new = asking.receive(press.reply, source, asked_by=slack_user_id)
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
        open_view(client, body["trigger_id"], words_modal(interaction.request_id, interaction.channel_id))
    except FootnoteError as error:
        tell(client, body["user"]["id"], interaction, describe_error(error))


def _find_source(result: Answer | Refusal, document_id: str) -> StaleSource | None:
    sources = find_stale_sources(result.citations, result.contradiction) if isinstance(result, Answer) else []
    return next((source for source in sources if str(source.edition.document_id) == document_id), None)


def _answer(body: dict[str, Any], context: BoltContext, client: WebClient, verdict: OwnerQuestion.Verdict) -> None:
    """Record what the owner pressed and say so in the message; what is refused is told to them."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        question_id = read_id(interaction.request_id)
        row = asking.answer(client, question_id, team_id=context["team_id"], by=slack_user_id, verdict=verdict)
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
        return
    asking.show_answered(client, row)
