"""Handle what a person does where Footnote is: its Home tab, the messages and chats with it, and its work there."""

from core.errors import NotFoundError
from core.models import User
from slack_emulator import features
from slack_emulator.accounts import open_direct_channel
from slack_emulator.dispatch import UndeliveredError, send_event
from slack_emulator.features import CHAT_SUBTYPE, NEW_CHAT
from slack_emulator.models import LocalChannel, LocalHome, add_message
from slack_emulator.page.changing import build_view
from slack_emulator.page.shown import find_channel
from slack_emulator.payloads.events import (
    build_chat_started,
    build_context_changed,
    build_home_opened,
    build_session_stopped,
)
from slack_emulator.shapes import Json
from slack_emulator.webapi.sessions import find_session


@build_view
def open_home(person: User, _body: Json) -> Json:
    """Tell Footnote that the person looks at its Home tab."""
    home = LocalHome.objects.filter(user=person).first()
    send_event(build_home_opened(person, open_direct_channel(person), home))
    return {}


@build_view
def open_messages(person: User, _body: Json) -> Json:
    """Tell Footnote that the person looks at the messages with it."""
    send_event(build_home_opened(person, open_direct_channel(person), None, tab="messages"))
    return {}


@build_view
def begin_chat(person: User, _body: Json) -> Json:
    """Begin a chat in the direct messages: a thread below a message that says no more than that."""
    root = add_message(open_direct_channel(person), text=NEW_CHAT, subtype=CHAT_SUBTYPE)
    try:
        send_event(build_chat_started(root, person))
    except UndeliveredError as error:
        return {"ts": root.ts, "undelivered": error.message}  # one can write there all the same
    return {"ts": root.ts}


@build_view
def change_context(person: User, body: Json) -> Json:
    """Open a channel beside the messages with Footnote, or none. Agents get an event."""
    if features.IS_AGENT:
        send_event(build_context_changed(person, open_direct_channel(person), find_beside(person, body)))
    return {}


def find_beside(person: User, body: Json) -> LocalChannel | None:
    """Return the channel that the page says is open beside the messages, if the person is in it."""
    channel = find_channel(person, str(body.get("beside") or ""))
    return None if channel is None or channel.is_im else channel


@build_view
def stop(person: User, body: Json) -> Json:
    """Stop what streams in the thread, and notify Footnote. The status is left for Footnote to change."""
    channel = find_channel(person, str(body.get("channel", "")))
    session = find_session(channel, str(body.get("thread_ts", ""))) if channel else None
    if channel is None or session is None or session.session_status != "processing" or not features.HEARS_STOPS:
        raise NotFoundError("Nothing is being worked on here.")
    streaming = [one for one in channel.messages.filter(thread_ts=session.thread_ts) if one.is_streaming]
    for message in streaming:
        message.stream = {"is_open": False, "is_stopped": True}
        message.save(update_fields=["stream"])
    send_event(build_session_stopped(session, person, [message.ts for message in streaming]))
    return {}
