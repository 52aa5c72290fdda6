"""Somebody says what was wrong with an answer."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.feedback import read_feedback
from bot.channels.languages import find_language
from bot.listeners.interaction import tell
from bot.listeners.votes import THANKS, record
from core.i18n.translation import say, speak_language


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
        tell(client, slack_user_id, interaction, said if isinstance(said, str) else say(THANKS))
