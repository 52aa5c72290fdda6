"""Somebody says what was wrong with an answer."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient
from slack_sdk.models.blocks import Block

from bot.blocks.feedback import read_feedback
from bot.channels.languages import find_language
from bot.listeners.interaction import tell
from bot.listeners.votes import THANKS, Vote, record
from bot.owners.offering import build_offer
from core.language.i18n.translation import say, speak_language
from core.types import Answer, FeedbackReason


def on_feedback_sent(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Add the reasons and the comment to a vote, if the person may still read the answer."""
    interaction, opinion = read_feedback(body["view"])
    slack_user_id = body["user"]["id"]
    with speak_language(find_language(context["team_id"], interaction.channel_id)):
        said = record(
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
        else:
            tell(client, slack_user_id, interaction, say(THANKS), offer=_offer_owner(interaction.request_id, said))


def _offer_owner(request_id: str, vote: Vote) -> list[Block]:
    """Return an offer to ask the owner of a source, to somebody who says that the sources are bad or out of date."""
    if FeedbackReason.BAD_SOURCE not in vote.opinion.reasons or not isinstance(vote.result, Answer):
        return []
    return build_offer(vote.result)
