"""Somebody says whether an answer helped."""

from dataclasses import replace
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.buttons import read_vote
from bot.blocks.feedback import TITLE, feedback_modal
from bot.blocks.interaction import Interaction
from bot.blocks.modals import text_modal
from bot.listeners.interaction import open_modal, read_interaction, show, tell
from bot.listeners.votes import THANKS, record
from core.language.i18n.translation import say


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
    said = record(client, context["team_id"], slack_user_id, interaction.request_id, verdict="up")
    tell(client, slack_user_id, interaction, said if isinstance(said, str) else say(THANKS))


def _vote_down(body: dict[str, Any], context: BoltContext, client: WebClient, interaction: Interaction) -> None:
    """Record that it did not help, which counts whatever becomes of the modal that asks why."""
    slack_user_id = body["user"]["id"]
    view_id = open_modal(client, body, say(TITLE))
    said = record(client, context["team_id"], slack_user_id, interaction.request_id, verdict="down")
    view = text_modal(say(TITLE), said) if isinstance(said, str) else feedback_modal(interaction, said.opinion)
    if not show(client, view_id, view):
        tell(client, slack_user_id, interaction, said if isinstance(said, str) else say(THANKS))
