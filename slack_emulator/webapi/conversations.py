"""The conversations.* methods: what there is, who is there and what was said; and the files that came with it."""

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_GET

from bot.slack.workspace import LOCAL_BOT_USER_ID
from slack_emulator.accounts import find_person, find_slack_id, open_direct_channel
from slack_emulator.guard import limit_to_this_machine
from slack_emulator.models import LocalChannel, LocalFile, LocalMessage
from slack_emulator.shapes import Json, shape_channel, shape_file, shape_message
from slack_emulator.webapi.calls import Call, RefusedCallError, check_token, cut_page


def conversations_info(call: Call) -> Json:
    """Return one channel."""
    channel = call.find_channel()
    shape = shape_channel(channel)
    if call.read_flag("include_num_members"):
        shape["num_members"] = channel.members.filter(is_active=True).count() + 1
    return {"channel": shape}


def users_conversations(call: Call) -> Json:
    """Return the channels that Footnote is in, which are all, page by page; direct messages only where asked for."""
    kinds = {kind.strip() for kind in (call.read_text("types") or "public_channel").split(",")}
    wanted = {"public_channel": "channel", "private_channel": "group", "im": "im"}
    types = {wanted[kind] for kind in kinds if kind in wanted}
    channels = [channel for channel in LocalChannel.objects.all() if channel.channel_type in types]
    page, cursor = cut_page(channels, call)
    return {"channels": [shape_channel(one) for one in page], "response_metadata": {"next_cursor": cursor}}


def conversations_members(call: Call) -> Json:
    """Return the accounts in a channel, Footnote's among them, page by page."""
    members = call.find_channel().members.filter(is_active=True).order_by("email")
    ids = [LOCAL_BOT_USER_ID, *(find_slack_id(user) for user in members)]
    page, cursor = cut_page(ids, call)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def conversations_open(call: Call) -> Json:
    """Return the direct messages with a person."""
    person = find_person(call.read_required("users"))
    if person is None:
        raise RefusedCallError("user_not_found")
    return {"channel": {"id": open_direct_channel(person).channel_id}}


def conversations_replies(call: Call) -> Json:
    """Return the messages of a thread since a time, after the one that began it, page by page."""
    channel = call.find_channel()
    root = channel.messages.filter(ts=call.read_required("ts"), only_for=None).first()
    if root is None:
        raise RefusedCallError("thread_not_found")
    replies = _select_messages(channel).filter(thread_ts=root.root_ts, ts__gte=call.read_text("oldest"))
    messages = [*_select_messages(channel).filter(ts=root.root_ts), *replies]
    return _cut_messages(messages, call)


def conversations_history(call: Call) -> Json:
    """Return the messages of a channel outside of threads since a time, the newest first, page by page."""
    channel = call.find_channel()
    messages = _select_messages(channel).filter(thread_ts="", ts__gt=call.read_text("oldest")).order_by("-ts")
    return _cut_messages(list(messages), call)


def get_permalink(call: Call) -> Json:
    """Return the address of a message for a browser on this machine."""
    channel = call.find_channel()
    message = call.find_message(channel, ts_argument="message_ts")
    return {"channel": channel.channel_id, "permalink": build_permalink(message)}


def build_permalink(message: LocalMessage) -> str:
    """Return the address at which a browser on this machine finds a message."""
    page = f"http://127.0.0.1:{settings.PORT}{reverse('local-page')}"
    return f"{page}#//{message.channel.channel_id}/{message.root_ts}"


def _select_messages(channel: LocalChannel) -> QuerySet[LocalMessage]:
    return channel.messages.filter(only_for=None).select_related("author").prefetch_related("files")


def _cut_messages(messages: list[LocalMessage], call: Call) -> Json:
    with_metadata = call.read_flag("include_all_metadata")
    shapes = [
        {**shape_message(m), "metadata": m.metadata} if with_metadata and m.metadata else shape_message(m)
        for m in messages
    ]
    page, cursor = cut_page(shapes, call)
    return {"messages": page, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}


def files_info(call: Call) -> Json:
    """Return one file."""
    file = LocalFile.objects.filter(file_id=call.read_required("file")).first()
    if file is None:
        raise RefusedCallError("file_not_found")
    return {"file": shape_file(file)}


@limit_to_this_machine
@require_GET
def download(request: HttpRequest, file_id: str, name: str) -> HttpResponseBase:
    """Send a file's content to who shows the bot's token, always as something to keep and never to open."""
    try:
        check_token(request)
    except RefusedCallError:
        headers = {"WWW-Authenticate": "Bearer"}
        return HttpResponse("Only Footnote fetches files here.", status=401, content_type="text/plain", headers=headers)
    file = LocalFile.objects.filter(file_id=file_id, name=name).first()
    if file is None:
        raise Http404
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return HttpResponse(bytes(file.content), content_type=file.mimetype, headers=headers)
