"""Somebody hands a question to people, or says that it was answered."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.handoff import posting
from bot.identity.interactions import check_interaction
from bot.listeners.interaction import describe_error, read_id, read_interaction, tell
from core.errors import FootnoteError
from core.language.i18n.translation import say, translatable

ON_ITS_WAY = translatable("Your question is on its way to {people}.")
ALREADY = translatable("This question has already been handed to {people}.")

KEPT = translatable("The replies of those who were asked become a draft. Somebody looks through it before it is given.")


def on_ask_a_person(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Hand the question on once, whoever presses, if they see its answer and may read it now."""
    interaction = read_interaction(body)
    slack_user_id = body["user"]["id"]
    try:
        press = check_interaction(client, context["team_id"], slack_user_id, interaction.request_id)
        people, is_new = posting.receive(press.reply, asked_by=slack_user_id)
        said = say(ON_ITS_WAY if is_new else ALREADY, people=people.in_words)
    except FootnoteError as error:
        said = describe_error(error)
    tell(client, slack_user_id, interaction, said)


def on_resolve(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Mark a handed-on question as resolved; only somebody who has no part in it, or no luck, is told anything."""
    _resolve_hand_over(body, context, client, keeps=False)


def on_resolve_and_keep(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Mark it as resolved, and make a draft of the reply, about which whoever looks after verified answers decides."""
    _resolve_hand_over(body, context, client, keeps=True)


def _resolve_hand_over(body: dict[str, Any], context: BoltContext, client: WebClient, *, keeps: bool) -> None:
    interaction = read_interaction(body)
    slack_user_id = body["user"]["id"]
    try:
        posting.resolve(
            client,
            read_id(interaction.request_id),
            team_id=context["team_id"],
            channel_id=interaction.channel_id,
            ts=body["container"]["message_ts"],
            by=slack_user_id,
            keeps=keeps,
        )
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
        return
    if keeps:
        tell(client, slack_user_id, interaction, say(KEPT))
