"""The conversations.* methods: what there is, who is there and what was said."""

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse

from bot.slack.workspace import LOCAL_BOT_USER_ID
from slack_emulator.accounts import direct_channel, find_person, slack_id
from slack_emulator.models import LocalChannel, LocalMessage
from slack_emulator.shapes import Json, channel_shape, message_shape
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.paging import page_of


def conversations_info(call: Call) -> Json:
    """One channel."""
    channel = call.channel()
    shape = channel_shape(channel)
    if call.flag("include_num_members"):
        shape["num_members"] = channel.members.filter(is_active=True).count() + 1
    return {"channel": shape}


def conversations_members(call: Call) -> Json:
    """The accounts in a channel, Footnote's among them, page by page."""
    members = call.channel().members.filter(is_active=True).order_by("email")
    ids = [LOCAL_BOT_USER_ID, *(slack_id(user) for user in members)]
    page, cursor = page_of(ids, call)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def conversations_open(call: Call) -> Json:
    """The direct messages with a person."""
    person = find_person(call.required("users"))
    if person is None:
        raise RefusedCallError("user_not_found")
    return {"channel": {"id": direct_channel(person).channel_id}}


def conversations_replies(call: Call) -> Json:
    """The messages of a thread since a time, after the one that began it, page by page."""
    channel = call.channel()
    root = channel.messages.filter(ts=call.required("ts"), only_for=None).first()
    if root is None:
        raise RefusedCallError("thread_not_found")
    replies = _messages(channel).filter(thread_ts=root.root_ts, ts__gte=call.text("oldest"))
    messages = [*_messages(channel).filter(ts=root.root_ts), *replies]
    return _paged(messages, call)


def conversations_history(call: Call) -> Json:
    """The messages of a channel outside of threads since a time, the newest first, page by page."""
    channel = call.channel()
    messages = _messages(channel).filter(thread_ts="", ts__gt=call.text("oldest")).order_by("-ts")
    return _paged(list(messages), call)


def get_permalink(call: Call) -> Json:
    """Where a browser on this machine finds a message."""
    channel = call.channel()
    message = call.message(channel, ts_argument="message_ts")
    page = f"http://127.0.0.1:{settings.PORT}{reverse('local-page')}"
    return {"channel": channel.channel_id, "permalink": f"{page}#//{channel.channel_id}/{message.root_ts}"}


def _messages(channel: LocalChannel) -> QuerySet[LocalMessage]:
    return channel.messages.filter(only_for=None).select_related("author").prefetch_related("files")


def _paged(messages: list[LocalMessage], call: Call) -> Json:
    with_metadata = call.flag("include_all_metadata")
    shapes = [
        {**message_shape(m), "metadata": m.metadata} if with_metadata and m.metadata else message_shape(m)
        for m in messages
    ]
    page, cursor = page_of(shapes, call)
    return {"messages": page, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}
