"""Record whether an answer helped, from its buttons, and what was wrong with it, from the window."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.buttons import read_vote
from bot.blocks.feedback import TITLE, feedback_modal, read_feedback
from bot.blocks.modals import Interaction, text_modal
from bot.channels.settings import find_language
from bot.identity.interactions import check_interaction
from bot.listeners.interaction import open_modal, read_interaction, show, tell
from bot.owners.asking import build_offer
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core import api
from core.errors import FootnoteError
from core.language.i18n.translation import say, speak_language, translatable
from core.types import Answer, FeedbackReason, Opinion, Refusal

logger = logging.getLogger(__name__)

THANKS = translatable("Thank you, your feedback is recorded.")
FAILED = translatable("Your feedback could not be recorded. Please try again in a moment.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """Holds a vote that was stored, and the answer that it is about as the voter may read it."""

    opinion: Opinion
    result: Answer | Refusal


def _record_vote(
    client: WebClient,
    team_id: str,
    slack_user_id: str,
    request_id: str,
    *,
    verdict: str,
    reasons: Iterable[str] | None = None,
    comment: str | None = None,
) -> Vote | str:
    """Store the vote of somebody who may read the answer now. Return it, or a sentence that says why nothing is stored.

    reasons, comment: None leaves what was said before with the same verdict.
    """
    try:
        press = check_interaction(client, team_id, slack_user_id, request_id)
        opinion = api.give_feedback(
            request_id, user_id=press.user_id, verdict=verdict, reasons=reasons, comment=comment
        )
        return Vote(opinion=opinion, result=press.result)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("feedback_failed", extra={"code": error.code})
        return say(FAILED)
    except FootnoteError as error:
        return say(error.message)


def on_vote(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record what was pressed of Slack's pair of feedback buttons. What is no vote of ours does nothing."""
    interaction = read_interaction(body)
    request_id, verdict = read_vote(interaction.request_id)
    if verdict:
        vote = _vote_up if verdict == "up" else _vote_down
        vote(body, context, client, replace(interaction, request_id=request_id))


def on_vote_up(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record that it helped, from a button of its own."""
    _vote_up(body, context, client, read_interaction(body))


def on_vote_down(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record that it did not help, from a button of its own."""
    _vote_down(body, context, client, read_interaction(body))


def _vote_up(body: dict[str, Any], context: BoltContext, client: WebClient, interaction: Interaction) -> None:
    """Record that it helped, and tell who pressed alone what became of that."""
    slack_user_id = body["user"]["id"]
    said = _record_vote(client, context["team_id"], slack_user_id, interaction.request_id, verdict="up")
    tell(client, slack_user_id, interaction, said if isinstance(said, str) else say(THANKS))


def _vote_down(body: dict[str, Any], context: BoltContext, client: WebClient, interaction: Interaction) -> None:
    """Record that it did not help, which counts whatever becomes of the modal that asks why."""
    slack_user_id = body["user"]["id"]
    view_id = open_modal(client, body, say(TITLE))
    said = _record_vote(client, context["team_id"], slack_user_id, interaction.request_id, verdict="down")
    view = text_modal(say(TITLE), said) if isinstance(said, str) else feedback_modal(interaction, said.opinion)
    if not show(client, view_id, view):
        tell(client, slack_user_id, interaction, said if isinstance(said, str) else say(THANKS))


def on_feedback_sent(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Add the reasons and the comment to a vote, if the person may still read the answer."""
    interaction, opinion = read_feedback(body["view"])
    slack_user_id = body["user"]["id"]
    with speak_language(find_language(context["team_id"], interaction.channel_id)):
        said = _record_vote(
            client,
            context["team_id"],
            slack_user_id,
            interaction.request_id,
            verdict=opinion.verdict,
            reasons=opinion.reasons,
            comment=opinion.comment,
        )
        if isinstance(said, str):
            tell(client, slack_user_id, interaction, said)
            return
        # Whoever says that the sources are bad or out of date can ask the owner of one.
        blames_sources = FeedbackReason.BAD_SOURCE in said.opinion.reasons
        offer = build_offer(said.result) if blames_sources and isinstance(said.result, Answer) else []
        tell(client, slack_user_id, interaction, say(THANKS), offer=offer)
