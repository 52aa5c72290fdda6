"""Take the slash command: help and refusals at once, questions and topics for the worker, all else a moment later."""

import logging
from typing import Any

from slack_bolt import Ack, BoltContext, Respond
from slack_sdk import WebClient

from bot import intake
from bot.blocks.asker_notes import note_elsewhere
from bot.blocks.guide import help_message
from bot.blocks.library import sources_message
from bot.blocks.message import Message, notice
from bot.blocks.why import why_message
from bot.command_line import Help, Question, Research, Sources, Why, parse
from bot.identity import audiences
from bot.identity.explanations import find_answer_in_message, find_explanation, find_last_answer
from bot.listeners.interaction import describe_error
from bot.models import Reply, SlackEvent
from bot.slack.addresses import build_channel_address, open_direct_messages
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, find_code, translate_errors
from core import api
from core.errors import FootnoteError, InvalidFilterError
from core.language.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

SHOWN_SOURCES = 100
_NOT_LISTED = translatable("I could not make the list. Please try again in a moment.")


def take_command(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store a question and say where its answer comes, or what is wrong with it; only who typed it sees this.

    The answer comes in the direct messages: what is sent to a command's response_url cannot be replaced, nor found
    again, so that a worker that was killed could not know whether it was said.
    """
    try:
        command = parse(body.get("text") or "")
    except InvalidFilterError as error:
        _acknowledge_with(ack, notice(say(error.message)))
        return
    match command:
        case Help():
            _acknowledge_with(ack, help_message(body["command"]))
        case Sources() | Why():
            ack()
        case Question() | Research():
            address = _find_direct_messages(context["team_id"], body["user_id"])
            # Where the direct messages are not known yet, one note is enough: tell_later sends it with its link.
            note_url = "" if address else body.get("response_url") or ""
            intake.receive(_build_incoming(command, body, context["team_id"], note_url=note_url))
            if note_url:
                ack()
            else:
                _acknowledge_with(ack, note_elsewhere(address, is_plan=isinstance(command, Research)))


def tell_later(body: dict[str, Any], context: BoltContext, client: WebClient, respond: Respond) -> None:
    """Send what takes longer than Slack waits: a list, how an answer came about, or where it comes for the first time.

    Only who typed the command sees this.
    """
    try:
        command = parse(body.get("text") or "")
    except InvalidFilterError:
        return  # told already
    match command:
        case Sources():
            said = _list_sources(command, client, context["team_id"], body["user_id"])
        case Why():
            said = _explain_answer(command, client, context["team_id"], body)
        case Question() | Research():
            is_plan = isinstance(command, Research)
            _point_to_messages(client, context["team_id"], body, respond, is_plan=is_plan)
            return
        case _:
            return
    _send_to_typist(respond, said)


def _point_to_messages(
    client: WebClient, team_id: str, body: dict[str, Any], respond: Respond, *, is_plan: bool
) -> None:
    """Open the direct messages of somebody to whom we never wrote, and say that the answer comes there.

    The worker tells where the answer is in its place, when Slack takes no such note now.
    """
    waiting = Reply.objects.filter(event__event_id=_name_event(body)).exclude(note_url="")
    if not waiting.exists():
        return
    try:
        address = build_channel_address(team_id, open_direct_messages(client, body["user_id"]))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.info("direct_messages_not_opened", extra={"code": error.code})
        return
    if _send_to_typist(respond, note_elsewhere(address, is_plan=is_plan)):
        waiting.update(note_url="")


def _send_to_typist(respond: Respond, said: Message) -> bool:
    """Send a message to who typed the command. False when Slack does not take it."""
    try:
        with translate_errors():
            respond(text=said.text, blocks=said.blocks, response_type="ephemeral", replace_original=False)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("asker_not_told", extra={"code": error.code})
        return False
    return True


def _list_sources(command: Sources, client: WebClient, team_id: str, slack_user_id: str) -> Message:
    try:
        filters = api.parse_filters(command.filters)
        _, audience = audiences.find_account_audience(client, team_id, slack_user_id)
        return sources_message(api.readable_documents(audience, filters=filters, limit=SHOWN_SOURCES), filters)
    except FootnoteError as error:
        logger.warning("sources_not_listed", extra={"code": find_code(error)})
        return notice(say(_NOT_LISTED))


def _explain_answer(command: Why, client: WebClient, team_id: str, body: dict[str, Any]) -> Message:
    slack_user_id = body["user_id"]
    try:
        if command.ts:
            request_id = find_answer_in_message(team_id, command.channel_id, command.ts)
        else:
            request_id = find_last_answer(team_id, body["channel_id"], slack_user_id)
        found = find_explanation(client, team_id, slack_user_id, request_id)
        return why_message(found.told, is_public=found.is_public, is_asker=found.is_asker)
    except FootnoteError as error:
        return notice(describe_error(error))


def _name_event(body: dict[str, Any]) -> str:
    return f"command-{body['trigger_id']}"


def _build_incoming(
    command: Question | Research, body: dict[str, Any], team_id: str, *, note_url: str
) -> intake.Incoming:
    return intake.Incoming(
        event_id=_name_event(body),
        team_id=team_id,
        channel_id=body["channel_id"],
        user_id=body["user_id"],
        kind=SlackEvent.Kind.RESEARCH if isinstance(command, Research) else SlackEvent.Kind.COMMAND,
        text=command.text,
        filters=command.filters,
        note_url=note_url,
    )


def _acknowledge_with(ack: Ack, said: Message) -> None:
    ack(text=said.text, blocks=said.blocks, response_type="ephemeral")


def _find_direct_messages(team_id: str, slack_user_id: str) -> str:
    """Find the address of the direct messages with somebody; empty where we never said anything there."""
    replies = Reply.objects.filter(event__team_id=team_id, event__user_id=slack_user_id, channel_id__startswith="D")
    channel_id = replies.order_by("-event__received_at").values_list("channel_id", flat=True).first()
    return build_channel_address(team_id, channel_id) if channel_id else ""
