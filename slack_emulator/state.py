"""Everything that the page shows to one person."""

from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from bot.slack.workspace import LOCAL_BOT_USER_ID
from core.models import User
from slack_emulator.accounts import BOT_NAME, direct_channel, people, slack_id
from slack_emulator.features import COMMAND_HINTS, SHORTCUTS
from slack_emulator.models import LocalAssistantThread, LocalChannel, LocalHome, LocalMessage, LocalUsergroup, views_of
from slack_emulator.shapes import Json, message_shape, view_shape

MESSAGES_SHOWN = 200  # the newest of a channel; the page has no paging


def page_state(person: User, *, channel_id: str = "", thread_ts: str = "") -> Json:
    """What this person sees with that channel and thread open; a channel that is not theirs is as one not there."""
    channels = _channels_of(person)
    current = next((channel for channel in channels if channel.channel_id == channel_id), None)
    thread = _thread(current, person, thread_ts) if current and thread_ts else []
    views, home = views_of(person), LocalHome.objects.filter(user=person).first()
    return {
        "bot": {"id": LOCAL_BOT_USER_ID, "name": BOT_NAME},
        "me": slack_id(person),
        "people": people_shapes(),
        "usergroups": [{"id": group.usergroup_id, "handle": group.handle} for group in LocalUsergroup.objects.all()],
        "commands": COMMAND_HINTS,
        "shortcuts": SHORTCUTS,
        "channels": [_channel(channel) for channel in channels],
        "channel": current.channel_id if current else None,
        "messages": _top_level(current, person) if current else [],
        "thread": thread,
        "assistant": _assistant(current, thread_ts, thread) if current and thread else None,
        "home": view_shape(home) if home else None,
        "view": view_shape(views[-1], views[:-1]) if views else None,
    }


def people_shapes() -> list[Json]:
    """The people of the workspace with the names of their roles."""
    return [
        {
            "id": slack_id(user),
            "name": user.display_name or user.email,
            "email": user.email,
            "roles": [role.name for role in user.roles.all()],
        }
        for user in people().prefetch_related("roles")
    ]


def find_channel(person: User, channel_id: str) -> LocalChannel | None:
    """The channel of that id if the person is in it."""
    return LocalChannel.objects.filter(channel_id=channel_id, members=person).first()


def seen_by(person: User, channel: LocalChannel) -> QuerySet[LocalMessage]:
    """The messages of a channel that this member sees."""
    return (
        channel.messages.filter(Q(only_for=None) | Q(only_for=person))
        .select_related("author", "only_for")
        .prefetch_related("files")
    )


def _channels_of(person: User) -> list[LocalChannel]:
    direct_channel(person)
    mine = LocalChannel.objects.filter(members=person).order_by("is_im", "name")
    return list(mine.prefetch_related("members"))


def _channel(channel: LocalChannel) -> Json:
    return {
        "id": channel.channel_id,
        "name": BOT_NAME if channel.is_im else channel.name,
        "type": channel.channel_type,
        "topic": channel.topic,
        "members": [slack_id(user) for user in channel.members.all() if user.is_active],
        "suggestions": channel.suggestions,
    }


def _top_level(channel: LocalChannel, person: User) -> list[Json]:
    replies = (
        seen_by(person, channel)
        .filter(thread_ts=OuterRef("ts"))
        .order_by()
        .values("thread_ts")
        .annotate(n=Count("pk"))
        .values("n")
    )
    newest = (
        seen_by(person, channel)
        .filter(thread_ts="")
        .annotate(reply_count=Coalesce(Subquery(replies), 0))
        .order_by("-ts")[:MESSAGES_SHOWN]
    )
    return [{**_message(message), "reply_count": message.reply_count} for message in reversed(newest)]


def _thread(channel: LocalChannel, person: User, thread_ts: str) -> list[Json]:
    thread = seen_by(person, channel).filter(Q(ts=thread_ts, thread_ts="") | Q(thread_ts=thread_ts))
    return [_message(message) for message in thread.order_by("ts")]


def _assistant(channel: LocalChannel, thread_ts: str, thread: list[Json]) -> Json | None:
    """What stands beside the messages. Questions to start with go away when the person has written something."""
    beside = LocalAssistantThread.objects.filter(channel=channel, thread_ts=thread_ts).first()
    if beside is None:
        return None
    is_answered = any("bot_id" not in message and message["ts"] > beside.prompts_ts for message in thread)
    return {
        "status": f"{BOT_NAME} {beside.current_status}" if beside.current_status else "",
        "prompts": [] if is_answered else beside.prompts,
        "prompts_title": beside.prompts_title,
    }


def _message(message: LocalMessage) -> dict[str, Any]:
    return {**message_shape(message), "only_you": message.only_for is not None}
