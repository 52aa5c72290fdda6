"""Hear messages: written to the bot or where it is, mentioning it, or given the emoji that asks.

A direct message is a question; in a channel a mention is, in a thread that the bot is in a follow-up, and where an
administrator has set so, what is asked of everyone.
"""

from typing import Any

from django.conf import settings
from slack_bolt import BoltContext

from bot import intake
from bot.channels.beside import find_context_channel
from bot.channels.settings import may_search_messages
from bot.channels.unmentioned import is_for_us, may_be_answered
from bot.command_line import find_topic
from bot.handoff.posting import is_with_people
from bot.listeners.directory_changes import forget_channel, tells_of_change
from bot.models import SlackEvent
from bot.slack.markup import extract_question, is_persons
from bot.uploads.choosing import receive_files

_WITHOUT_FILES = frozenset({SlackEvent.Kind.FOLLOW_UP, SlackEvent.Kind.UNASKED})  # nobody gave us any
_SKIN_TONE = "::"  # comes behind a name


def on_message(body: dict[str, Any], context: BoltContext) -> None:
    """Store the message when it is a question to us, and files that it brings; Slack hears 200 when it is stored."""
    if tells_of_change(body):
        forget_channel(body)
    if not _is_from_person(body):
        return
    team_id = context["team_id"]
    kind = _choose_kind(body, team_id)
    if kind and (kind in _WITHOUT_FILES or not _take_files(body, team_id)):
        intake.receive(build_incoming(body, team_id=team_id, kind=kind))


def _choose_kind(body: dict[str, Any], team_id: str) -> SlackEvent.Kind | None:
    """Decide as what kind of question a message is taken; None where it is none to us."""
    event, own = body["event"], _read_own_user_id(body)
    channel_id, thread_ts, text = event["channel"], event.get("thread_ts"), event.get("text") or ""
    if event.get("channel_type") == "im":
        wishes_page = bool(find_topic(extract_question(text, own_user_id=own)))
        return SlackEvent.Kind.RESEARCH if wishes_page else SlackEvent.Kind.DIRECT
    if own and f"<@{own}" in text:
        return SlackEvent.Kind.MENTION
    if not thread_ts:
        is_to_everyone = not event.get("files") and may_be_answered(team_id=team_id, channel_id=channel_id, text=text)
        return SlackEvent.Kind.UNASKED if is_to_everyone else None
    if not own or is_with_people(team_id, channel_id, thread_ts):
        return None
    follows_up = is_for_us(
        team_id=team_id, channel_id=channel_id, thread_ts=thread_ts, user_id=event["user"], ts=event["ts"], text=text
    )
    return SlackEvent.Kind.FOLLOW_UP if follows_up else None


def on_mention(body: dict[str, Any], context: BoltContext) -> None:
    """Store the question, and files that it brings; Slack hears 200 when it is stored."""
    if _is_from_person(body) and not _take_files(body, context["team_id"]):
        intake.receive(build_incoming(body, team_id=context["team_id"], kind=SlackEvent.Kind.MENTION))


def on_reaction(body: dict[str, Any], context: BoltContext) -> None:
    """Store the message as a question of whoever added the emoji that asks, once for each message.

    What it says is not told here: the worker reads it. In direct messages every message is a question already.
    """
    event, own = body["event"], _read_own_user_id(body)
    item = event["item"]
    channel_id, ts = item.get("channel") or "", item.get("ts") or ""
    if event["reaction"].partition(_SKIN_TONE)[0] != settings.SLACK_ASK_EMOJI or own in (
        event["user"],
        event.get("item_user"),
    ):
        return
    if item["type"] != "message" or not (channel_id and ts and body.get("event_id")) or channel_id.startswith("D"):
        return
    intake.receive(
        intake.Incoming(
            event_id=body["event_id"],
            team_id=context["team_id"],
            channel_id=channel_id,
            user_id=event["user"],
            kind=SlackEvent.Kind.REACTION,
            ts=ts,
            thread_ts=ts,  # until it is known in which thread the message stands
        )
    )


def _take_files(body: dict[str, Any], team_id: str) -> bool:
    """Store the files of a message to us, if there are any. True when the message is nothing else."""
    event = body["event"]
    file_ids = [str(file["id"]) for file in event.get("files") or [] if file.get("id")]
    if not file_ids:
        return False
    receive_files(
        team_id=team_id,
        channel_id=event["channel"],
        user_id=event["user"],
        ts=event["ts"],
        thread_ts=event.get("thread_ts") or event["ts"],
        file_ids=file_ids,
    )
    return not extract_question(event.get("text") or "", own_user_id=_read_own_user_id(body))


def _is_from_person(body: dict[str, Any]) -> bool:
    """Return True for a message that a person typed, and that says where and when: else it never would."""
    event = body["event"]
    is_placed = bool(event.get("channel") and event.get("ts") and body.get("event_id"))
    return is_placed and is_persons(event, own_user_id=_read_own_user_id(body))


def _read_own_user_id(body: dict[str, Any]) -> str:
    """Return our own Slack user, as the event's authorizations name it; empty when they do not."""
    for authorization in body.get("authorizations") or []:
        if authorization.get("is_bot"):
            return str(authorization.get("user_id") or "")
    return ""


def build_incoming(body: dict[str, Any], *, team_id: str, kind: SlackEvent.Kind) -> intake.Incoming:
    """Build a question from a message, to be answered in its thread.

    Slack's leave to search goes along only with a direct message, of which the asker alone reads the answer, in a
    workspace that may be searched.
    """
    event = body["event"]
    text = event.get("text") or ""
    searches = kind == SlackEvent.Kind.DIRECT and may_search_messages(team_id)
    return intake.Incoming(
        event_id=body["event_id"],
        team_id=team_id,
        channel_id=event["channel"],
        user_id=event["user"],
        kind=kind,
        ts=event["ts"],
        thread_ts=event.get("thread_ts") or event["ts"],
        text=text,
        context_channel_id=find_context_channel(
            team_id=team_id, slack_user_id=event["user"], text=text, context=event.get("app_context")
        )
        if kind == SlackEvent.Kind.DIRECT
        else "",
        action_token=_read_action_token(event) if searches else "",
    )


def _read_action_token(event: dict[str, Any]) -> str:
    """Return Slack's leave to search for who wrote a message; empty where there is none.

    It stands in the event (slack-go/slack#1577), and for apps of the time before in its assistant_thread.
    """
    found = event.get("action_token") or (event.get("assistant_thread") or {}).get("action_token")
    return found if isinstance(found, str) else ""
