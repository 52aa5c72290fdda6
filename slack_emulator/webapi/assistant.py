"""Serve the assistant.threads.* methods, for the pane beside the messages of a thread, or with an agent.

Rules after https://docs.slack.dev/ai/migrating-to-agent-messaging: for an agent, prompts are set without a thread.
"""

from django.utils import timezone

from slack_emulator import features
from slack_emulator.features import CHAT_SUBTYPE
from slack_emulator.models import LocalAssistantThread, LocalChannel, LocalMessage, make_ts
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError

MOST_PROMPTS = 4
TITLE_LIMIT = 200


def set_status(call: Call) -> Json:
    """Say in a thread what Footnote is doing; an empty status takes it away."""
    if "status" not in call.arguments:
        raise RefusedCallError("invalid_arguments", "[ERROR] missing required field: status")
    root = _find_root(call)
    LocalAssistantThread.objects.update_or_create(
        channel=root.channel,
        thread_ts=root.ts,
        defaults={"status": call.read_text("status")[:TITLE_LIMIT], "status_at": timezone.now()},
    )
    return {}


def set_suggested_prompts(call: Call) -> Json:
    """Offer questions: in the direct messages with an agent, or in a thread of those with an assistant.

    An agent that names a thread gets a success, and nothing happens.
    """
    prompts = call.read_structure("prompts", "invalid_arguments")
    if not isinstance(prompts, list) or not 0 < len(prompts) <= MOST_PROMPTS or not all(map(_is_prompt, prompts)):
        raise RefusedCallError("invalid_arguments", f"[ERROR] needs 1 to {MOST_PROMPTS} of title and message: prompts")
    thread_ts = call.read_text("thread_ts")
    if features.IS_AGENT:
        channel = call.find_channel("channel_id")
        _check_direct(channel)
        if thread_ts:
            return {}
    else:
        if not thread_ts:
            raise RefusedCallError("not_agent_app")
        channel = _find_root(call).channel
        _check_direct(channel)
    LocalAssistantThread.objects.update_or_create(
        channel=channel,
        thread_ts=thread_ts,
        defaults={
            "prompts": prompts,
            "prompts_title": call.read_text("title")[:TITLE_LIMIT],
            "prompts_ts": make_ts(),
        },
    )
    return {}


def set_title(call: Call) -> Json:
    """Name a chat, as the list of chats shows it."""
    title = call.read_required("title")
    root = _find_root(call)
    _check_direct(root.channel)
    if root.subtype == CHAT_SUBTYPE:
        root.text = title[:TITLE_LIMIT]
        root.save(update_fields=["text"])
    return {}


def _check_direct(channel: LocalChannel) -> None:
    """Raise RefusedCallError for what are no direct messages."""
    if not channel.is_im:
        raise RefusedCallError("method_not_supported_for_channel_type")


def _find_root(call: Call) -> LocalMessage:
    """Return the message that begins the thread of the call."""
    channel = call.find_channel("channel_id")
    root = channel.messages.filter(ts=call.read_required("thread_ts"), thread_ts="", only_for=None).first()
    if root is None:
        raise RefusedCallError("thread_not_found")
    return root


def _is_prompt(prompt: object) -> bool:
    return (
        isinstance(prompt, dict)
        and set(prompt) == {"title", "message"}
        and all(isinstance(text, str) and text for text in prompt.values())
    )
