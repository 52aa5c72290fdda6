"""Let somebody ask the owner of a source whether it still holds, and the owner answer."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.modals import Interaction
from bot.blocks.owners import read_words, words_modal
from bot.channels.settings import find_language
from bot.identity.interactions import check_interaction
from bot.listeners.interaction import describe_error, open_view, read_id, read_interaction, tell
from bot.models import OwnerQuestion
from bot.owners import asking
from core.errors import FootnoteError
from core.language.i18n.translation import say, speak_language, translatable
from core.library.owners import find_stale_sources
from core.types import Answer

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
        result = press.result
        stale = find_stale_sources(result.citations, result.contradiction) if isinstance(result, Answer) else []
        source = next((one for one in stale if str(one.edition.document_id) == document_id), None)
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
    _record_verdict(body, context, client, OwnerQuestion.Verdict.HOLDS)


def on_outdated(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Take from the owner that the source is out of date."""
    _record_verdict(body, context, client, OwnerQuestion.Verdict.OUTDATED)


def on_write(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the window in which the owner writes an answer."""
    interaction = read_interaction(body)
    try:
        open_view(client, body["trigger_id"], words_modal(interaction.request_id, interaction.channel_id))
    except FootnoteError as error:
        tell(client, body["user"]["id"], interaction, describe_error(error))


def _record_verdict(
    body: dict[str, Any], context: BoltContext, client: WebClient, verdict: OwnerQuestion.Verdict
) -> None:
    """Record what the owner pressed and say so in the message; what is refused is told to them."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        question_id = read_id(interaction.request_id)
        row = asking.answer(client, question_id, team_id=context["team_id"], by=slack_user_id, verdict=verdict)
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
        return
    asking.show_answered(client, row)


def on_owner_wrote(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record the words and pass them on; what is refused is told to the owner."""
    question_id, channel_id, words = read_words(body["view"])
    slack_user_id = body["user"]["id"]
    with speak_language(find_language(context["team_id"], channel_id)):
        try:
            row = asking.answer(
                client,
                read_id(question_id),
                team_id=context["team_id"],
                by=slack_user_id,
                verdict=OwnerQuestion.Verdict.WRITTEN,
                words=words,
            )
        except FootnoteError as error:
            place = Interaction(request_id=question_id, channel_id=channel_id)
            tell(client, slack_user_id, place, describe_error(error))
            return
        asking.show_answered(client, row)
