"""auth.test, users.info and the conversations.* methods: who and what there is."""

from typing import TypeVar

from bot.local.accounts import BOT_NAME, direct_channel, find_person, slack_id
from bot.local.shapes import Json, bot_shape, channel_shape, message_shape, person_shape
from bot.local.webapi.calls import Call, RefusedCallError
from bot.workspace import LOCAL_BOT_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID

Item = TypeVar("Item")

PAGE_SIZE = 100
LARGEST_PAGE = 1_000


def auth_test(_call: Call) -> Json:
    """Whose token this is."""
    return {
        "url": "http://127.0.0.1/local/",
        "team": "Local page",
        "user": BOT_NAME.lower(),
        "team_id": LOCAL_TEAM_ID,
        "user_id": LOCAL_BOT_USER_ID,
        "bot_id": LOCAL_BOT_ID,
        "is_enterprise_install": False,
    }


def users_info(call: Call) -> Json:
    """One account."""
    user_id = call.required("user")
    if user_id == LOCAL_BOT_USER_ID:
        return {"user": bot_shape()}
    person = find_person(user_id)
    if person is None:
        raise RefusedCallError("user_not_found")
    return {"user": person_shape(person)}


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
    page, cursor = _page(ids, call)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def conversations_open(call: Call) -> Json:
    """The direct messages with a person."""
    person = find_person(call.required("users"))
    if person is None:
        raise RefusedCallError("user_not_found")
    return {"channel": {"id": direct_channel(person).channel_id}}


def conversations_replies(call: Call) -> Json:
    """The messages of a thread, first the one that began it, page by page."""
    channel = call.channel()
    root = channel.messages.filter(ts=call.required("ts"), only_for=None).first()
    if root is None:
        raise RefusedCallError("thread_not_found")
    thread = channel.messages.select_related("author").prefetch_related("files").filter(only_for=None)
    messages = [*thread.filter(ts=root.root_ts), *thread.filter(thread_ts=root.root_ts)]
    with_metadata = call.flag("include_all_metadata")
    shapes = [
        {**message_shape(m), "metadata": m.metadata} if with_metadata and m.metadata else message_shape(m)
        for m in messages
    ]
    page, cursor = _page(shapes, call)
    return {"messages": page, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


def _page(items: list[Item], call: Call) -> tuple[list[Item], str]:
    start = 0
    if call.text("cursor"):
        digits = call.text("cursor").removeprefix("from:")
        if not digits.isdecimal():
            raise RefusedCallError("invalid_cursor")
        start = int(digits)
    end = start + min(call.number("limit", PAGE_SIZE), LARGEST_PAGE)
    return items[start:end], f"from:{end}" if end < len(items) else ""
