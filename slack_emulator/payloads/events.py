"""Build the events that Slack sends an app.

Shapes after https://docs.slack.dev/reference/events.
"""

import secrets
import time
from urllib.parse import urlsplit

from bot.slack.workspace import LOCAL_APP_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.models import User
from slack_emulator import features
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalAssistantThread, LocalChannel, LocalHome, LocalMessage, make_ts
from slack_emulator.shapes import Json, shape_file, shape_view
from slack_emulator.webapi.cards import list_links
from slack_emulator.webapi.search import make_action_token


def build_message_events(message: LocalMessage, author: User, *, beside: Json | None = None) -> list[Json]:
    """Build the events of a person's message: a mention in a channel comes as two, as it does from Slack.

    beside: what the person has open beside the messages with an agent, in the shape of `build_context`.
    """
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
    if features.IS_AGENT and _brings_leave(message):
        common["action_token"] = make_action_token(author)
    files = [shape_file(file) for file in message.files.all()]
    if files:
        common |= {"files": files, "upload": False}
    shared: Json = {"subtype": "file_share"} if files else {}
    if channel.is_im and beside is not None:
        common["app_context"] = beside
    events = [{"type": "message", "channel_type": channel.channel_type, **shared, **common}]
    if not channel.is_im and f"<@{LOCAL_BOT_USER_ID}>" in message.text:
        events.insert(0, {"type": "app_mention", **common})
    return [_build_envelope(event) for event in events]


def build_link_shared(message: LocalMessage, author: User) -> list[Json]:
    """Build the event of a posted message with links that Footnote hears of; none for a message without any."""
    links = list_links(message.text)
    if not links:
        return []
    channel_id = message.channel.channel_id
    event: Json = {
        "type": "link_shared",
        "channel": channel_id,
        "is_bot_user_member": True,
        "user": find_slack_id(author),
        "message_ts": message.ts,
        "unfurl_id": f"{channel_id}.{message.ts}.{secrets.token_hex(32)}",
        "source": "conversations_history",
        "links": [{"domain": urlsplit(link).hostname, "url": link} for link in links],
        "event_ts": make_ts(),
    }
    return [_build_envelope(event | {"thread_ts": message.thread_ts} if message.thread_ts else event)]


def build_details_requested(message: LocalMessage, person: User, card: Json, *, trigger_id: str) -> Json:
    """Build the event of a person who opens a card below a message."""
    event: Json = {
        "type": "entity_details_requested",
        "user": find_slack_id(person),
        "external_ref": card["external_ref"],
        "entity_url": card["url"],
        "link": {"url": card["app_unfurl_url"], "domain": urlsplit(card["app_unfurl_url"]).hostname},
        "app_unfurl_url": card["app_unfurl_url"],
        "event_ts": make_ts(),
        "trigger_id": trigger_id,
        "user_locale": "en-US",
        "channel": message.channel.channel_id,
        "message_ts": message.ts,
    }
    return _build_envelope(event | {"thread_ts": message.thread_ts} if message.thread_ts else event)


def build_context(beside: LocalChannel | None) -> Json:
    """Return the channel that a person has open beside the messages with an agent, or nothing."""
    if beside is None:
        return {}
    entity = {"type": "slack#/types/channel_id", "value": beside.channel_id, "team_id": LOCAL_TEAM_ID}
    return {"entities": [entity]}


def build_context_changed(person: User, channel: LocalChannel, beside: LocalChannel | None) -> Json:
    """Build the event of a person who opens something else beside the messages with an agent."""
    event: Json = {
        "type": "app_context_changed",
        "channel": channel.channel_id,
        "user": find_slack_id(person),
        "context": build_context(beside),
        "event_ts": make_ts(),
    }
    return _build_envelope(event)


def _brings_leave(message: LocalMessage) -> bool:
    """Return True for messages with which Slack lets an app search: all but those in public channels without a mention.

    https://docs.slack.dev/apis/web-api/real-time-search-api names them.
    """
    return message.channel.channel_type != "channel" or f"<@{LOCAL_BOT_USER_ID}>" in message.text


def build_reaction_added(message: LocalMessage, person: User, name: str) -> Json:
    """Build the event of a person who adds an emoji to a message."""
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
    """Build the event of a person who opens the Home tab, with what is shown there now, or the messages."""
    event: Json = {
        "type": "app_home_opened",
        "user": find_slack_id(person),
        "channel": channel.channel_id,
        "tab": tab,
        "event_ts": make_ts(),
    }
    return _build_envelope(event | {"view": shape_view(home)} if home else event)


def build_chat_started(root: LocalMessage, person: User) -> Json:
    """Build the event of a person who begins a chat with the assistant."""
    thread: Json = {
        "user_id": find_slack_id(person),
        "context": {"team_id": LOCAL_TEAM_ID, "enterprise_id": None, "force_search": False},
        "channel_id": root.channel.channel_id,
        "thread_ts": root.ts,
    }
    return _build_envelope({"type": "assistant_thread_started", "assistant_thread": thread, "event_ts": root.ts})


def build_session_stopped(session: LocalAssistantThread, person: User, streaming: list[str]) -> Json:
    """Build the event of a person who stops an agent's work. streaming: the messages that Slack has stopped by that."""
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
