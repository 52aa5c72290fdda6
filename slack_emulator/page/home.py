"""A person's Home tab, messages and chats with Footnote."""

from core.models import User
from slack_emulator.accounts import open_direct_channel
from slack_emulator.dispatch import UndeliveredError, send_event
from slack_emulator.features import CHAT_SUBTYPE, NEW_CHAT
from slack_emulator.models import LocalHome, add_message
from slack_emulator.page.changing import build_view
from slack_emulator.payloads.events import build_chat_started, build_home_opened
from slack_emulator.shapes import Json


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
