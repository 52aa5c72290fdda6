"""Events: what Slack tells an app that happened.

Shapes after https://docs.slack.dev/reference/events.
"""

import secrets
import time

from bot.slack.workspace import LOCAL_APP_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.models import User
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalAssistantThread, LocalChannel, LocalHome, LocalMessage, make_ts
from slack_emulator.shapes import Json, shape_file, shape_view


def build_message_events(message: LocalMessage, author: User) -> list[Json]:
    """The events of a person's message: a mention in a channel comes as two, as it does from Slack."""
    channel = message.channel
    common: Json = {
        "user": find_slack_id(author),
        "text": message.text,
        "ts": message.ts,
        "client_msg_id": secrets.token_hex(16),
        "team": LOCAL_TEAM_ID,
        "channel": channel.channel_id,
        "event_ts": message.ts,
    }
    if message.thread_ts:
        common["thread_ts"] = message.thread_ts
    files = [shape_file(file) for file in message.files.all()]
    if files:
        common |= {"files": files, "upload": False}
    shared: Json = {"subtype": "file_share"} if files else {}
    events = [{"type": "message", "channel_type": channel.channel_type, **shared, **common}]
    if not channel.is_im and f"<@{LOCAL_BOT_USER_ID}>" in message.text:
        events.insert(0, {"type": "app_mention", **common})
    return [_build_envelope(event) for event in events]


def build_reaction_added(message: LocalMessage, person: User, name: str) -> Json:
    """The event of a person who adds an emoji to a message."""
    event: Json = {
        "type": "reaction_added",
        "user": find_slack_id(person),
        "reaction": name,
        "item_user": find_slack_id(message.author) if message.author else LOCAL_BOT_USER_ID,
        "item": {"type": "message", "channel": message.channel.channel_id, "ts": message.ts},
        "event_ts": make_ts(),
    }
    return _build_envelope(event)


def build_home_opened(person: User, channel: LocalChannel, home: LocalHome | None, *, tab: str = "home") -> Json:
    """The event of a person who opens the Home tab, with what is shown there now, or the messages."""
    event: Json = {
        "type": "app_home_opened",
        "user": find_slack_id(person),
        "channel": channel.channel_id,
        "tab": tab,
        "event_ts": make_ts(),
    }
    return _build_envelope(event | {"view": shape_view(home)} if home else event)


def build_chat_started(root: LocalMessage, person: User) -> Json:
    """The event of a person who begins a chat with the assistant."""
    thread: Json = {
        "user_id": find_slack_id(person),
        "context": {"team_id": LOCAL_TEAM_ID, "enterprise_id": None, "force_search": False},
        "channel_id": root.channel.channel_id,
        "thread_ts": root.ts,
    }
    return _build_envelope({"type": "assistant_thread_started", "assistant_thread": thread, "event_ts": root.ts})


def build_session_stopped(session: LocalAssistantThread, person: User, streaming: list[str]) -> Json:
    """The event of a person who stops an agent's work. streaming: the messages that Slack has stopped by that."""
    event: Json = {
        "type": "agent_session_stopped",
        "user": find_slack_id(person),
        "channel": session.channel.channel_id,
        "thread_ts": session.thread_ts,
        "streaming_message_ts": streaming,
        "event_ts": make_ts(),
    }
    return _build_envelope(event)


def _build_envelope(event: Json) -> Json:
    return {
        "token": "local",
        "team_id": LOCAL_TEAM_ID,
        "context_team_id": LOCAL_TEAM_ID,
        "api_app_id": LOCAL_APP_ID,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": LOCAL_TEAM_ID,
                "user_id": LOCAL_BOT_USER_ID,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": secrets.token_hex(8),
    }
