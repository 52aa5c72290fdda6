"""Show a reply in its place: in a thread, in the direct messages with the asker, or where only the asker sees it."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.message import Message, progress_message
from bot.delivery import rate_limiting
from bot.delivery.progress import Sign
from bot.identity.own_account import find_own_user_id
from bot.models import Reply
from bot.slack.addresses import open_direct_messages
from bot.slack.errors import SlackRefusedError
from bot.slack.idempotent import IdempotentMessage
from bot.slack.refused_blocks import send
from bot.slack.responding import respond

FIRST_STEP = "searching"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rendering:
    """A rendered reply: as one message; and as the text of a stream, without any link."""

    whole: Message
    streamed: str


class Surface(Protocol):
    """The place of one reply. Every call may be repeated by a later attempt, and there is one message in the end."""

    def begin(self) -> None:
        """Make sure that there is a sign of work."""

    def is_there(self) -> bool:
        """Return True if a part of the reply was posted."""

    @property
    def streams(self) -> bool:
        """Return True if the answer's first words can be shown here before the rest is there."""

    def show(self, sign: Sign) -> None:
        """Tell how far answering has come. It touches no row: it is called beside the answering."""

    def finish(self, rendering: Rendering) -> None:
        """Put what is said in the place of the sign of work."""


def build_marker(reply: Reply) -> str:
    """Return the marker of a reply's message."""
    return f"reply-{reply.pk}"


def find_posted(client: WebClient, reply: Reply) -> IdempotentMessage:
    """Return the message of a reply that was posted, to edit it."""
    return IdempotentMessage(
        client=client,
        team_id=reply.event.team_id,
        channel_id=reply.channel_id,
        thread_ts=reply.thread_ts,
        marker=build_marker(reply),
        ts=reply.ts,
        since="",
        record=lambda ts: None,
    )


class MessageSurface:
    """A message in a thread, or in the direct messages with the asker, which are opened when first needed."""

    def __init__(self, client: WebClient, reply: Reply) -> None:
        self._client = client
        self._reply = reply

    def begin(self) -> None:
        """Post the sign of work, unless an earlier attempt did."""
        self._build_message().ensure(lambda: progress_message(FIRST_STEP))

    def is_there(self) -> bool:
        """Return True if an earlier attempt posted it."""
        return self._build_message().is_there()

    @property
    def streams(self) -> bool:
        """Return False: an edit shows a message whole, and anew to everyone there."""
        return False

    def show(self, sign: Sign) -> None:
        """Edit the sign of work."""
        self._build_message().edit(progress_message(sign.step))

    def finish(self, rendering: Rendering) -> None:
        """Edit the sign of work into what is said, or post it where there is none."""
        self._build_message().put(rendering.whole)

    def _build_message(self) -> IdempotentMessage:
        reply = self._reply
        if not reply.channel_id:
            reply.channel_id = open_direct_messages(self._client, reply.event.user_id)
            reply.save(update_fields=["channel_id"])
        asked_at = reply.event.ts or f"{reply.created_at.timestamp():.6f}"
        return IdempotentMessage(
            client=self._client,
            team_id=reply.event.team_id,
            channel_id=reply.channel_id,
            thread_ts=reply.thread_ts,
            marker=build_marker(reply),
            ts=reply.ts,
            since=asked_at if reply.attempts > 1 else "",
            record=self._record,
            find_unmarked=partial(_find_stream, self._client, reply),
            turn=partial(rate_limiting.wait_for_turn, reply),
        )

    def _record(self, ts: str) -> None:
        reply, fields = self._reply, ["ts"]
        reply.ts = ts
        if ts:
            reply.state, reply.placed_at = Reply.State.PLACED, timezone.now()
            fields += ["is_stream", "state", "placed_at"]
        reply.save(update_fields=fields)


class ResponseSurface:
    """Below what the asker pressed, for their eyes only.

    Each message may take the place of the last one: so nothing is posted twice, and nothing needs to be found again.
    When Slack takes none there any more, the direct messages take its place.
    """

    def __init__(self, client: WebClient, reply: Reply) -> None:
        self._reply = reply
        self._direct = MessageSurface(client, reply)

    def begin(self) -> None:
        """Turn the pressed message into a sign of work, once: the other messages are for the answer."""
        if self._reply.attempts == 1:
            self._send_response(progress_message(FIRST_STEP))

    def is_there(self) -> bool:
        """Return True if an attempt has begun."""
        return self._reply.attempts > 0

    @property
    def streams(self) -> bool:
        """Return False."""
        return False

    def show(self, sign: Sign) -> None:
        """Show nothing: Slack takes five messages there."""

    def finish(self, rendering: Rendering) -> None:
        """Put what is said in the place of what stands there."""
        if not self._send_response(rendering.whole):
            self._direct.finish(rendering)

    def _send_response(self, said: Message) -> bool:
        """Send a message in its place. False when Slack does not take it here any more."""
        reply = self._reply
        try:
            send(
                reply.event.team_id,
                said,
                lambda form: respond(
                    reply.response_url, {"text": form.text, "blocks": form.blocks, "replace_original": True}
                ),
            )
        except SlackRefusedError:
            reply.response_url = ""
            reply.save(update_fields=["response_url"])
            return False
        return True


def _find_stream(client: WebClient, reply: Reply, messages: list[dict[str, Any]]) -> str:
    """Find a stream that an earlier attempt started and did not record, for want of a marker; empty when there is none.

    It is ours, and no known reply's. The result is its ts.
    """
    own = find_own_user_id(client)
    streams = [str(m["ts"]) for m in messages if m.get("user") == own and "streaming_state" in m]
    if streams and not Reply.objects.filter(channel_id=reply.channel_id, ts=streams[-1]).exists():
        reply.is_stream = True
        return streams[-1]
    return ""
