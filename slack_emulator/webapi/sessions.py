"""The agents.sessions.* methods: whether an agent works in a thread, and by which name the thread is found again.

Rules after https://docs.slack.dev/reference/methods/agents.sessions.setStatus and .rename. The pages do not say how a
thread that is not there, or somebody who is not in the channel, is refused: here as by Slack's other methods.
"""

from slack_emulator import features
from slack_emulator.accounts import find_person
from slack_emulator.models import LocalAssistantThread, LocalChannel, LocalMessage
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError

STATUSES = ("active", "processing", "suspended", "closed")
TITLE_LIMIT = 200
UNHEARD = "missing_agent_session_stopped_event_subscription"


def set_status(call: Call) -> Json:
    """Say whether the agent works in a thread. The first call begins the session, and names it."""
    status, title = read_status(call, "status"), _read_title(call)
    root = _find_root(call)
    initiator = call.read_text("initiator_user_id")
    if initiator:
        person = find_person(initiator)
        if person is None:
            raise RefusedCallError("user_not_found")
        if not root.channel.members.filter(pk=person.pk).exists():
            raise RefusedCallError("user_not_in_channel")
    session, _ = LocalAssistantThread.objects.get_or_create(channel=root.channel, thread_ts=root.ts)
    if not session.session_status:
        session.session_title = title
    session.session_status = status
    session.save(update_fields=["session_status", "session_title"])
    answer: Json = {"status": status, "agent_status": status, "title": session.session_title}
    return answer if features.HEARS_STOPS else answer | {"response_metadata": {"warnings": [UNHEARD]}}


def rename(call: Call) -> Json:
    """Give a session another name."""
    call.read_required("title")
    title, root = _read_title(call), _find_root(call)
    session = find_session(root.channel, root.ts)
    if session is None:
        raise RefusedCallError("session_not_found")
    session.session_title = title
    session.save(update_fields=["session_title"])
    return {"title": title}


def find_session(channel: LocalChannel, thread_ts: str) -> LocalAssistantThread | None:
    """Return the session of a thread, once it has begun."""
    threads = LocalAssistantThread.objects.filter(channel=channel, thread_ts=thread_ts)
    return threads.exclude(session_status="").first()


def read_status(call: Call, argument: str) -> str:
    """Read one of the statuses."""
    status = call.read_text(argument)
    if status not in STATUSES:
        raise RefusedCallError("invalid_arguments", f"[ERROR] must be a valid enum value [json-pointer:/{argument}]")
    return status


def _read_title(call: Call) -> str:
    title = call.read_text("title")
    if len(title) > TITLE_LIMIT:
        raise RefusedCallError("invalid_arguments", f"[ERROR] must be less than {TITLE_LIMIT + 1} characters: title")
    return title


def _find_root(call: Call) -> LocalMessage:
    """Return the message that begins the thread of the call."""
    if not features.IS_AGENT:
        raise RefusedCallError("not_agent_app")
    call.read_required("channel_id")
    channel = call.find_channel("channel_id")
    root = channel.messages.filter(ts=call.read_required("thread_ts"), thread_ts="", only_for=None).first()
    if root is None:
        raise RefusedCallError("thread_not_found")
    return root
