"""The button that stops an agent's work in a thread."""

from core.errors import NotFoundError
from core.models import User
from slack_emulator import features
from slack_emulator.dispatch import send_event
from slack_emulator.page.changing import build_view
from slack_emulator.payloads.events import build_session_stopped
from slack_emulator.shapes import Json
from slack_emulator.state import find_channel
from slack_emulator.webapi.sessions import find_session


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
