"""Where a reply stands: in a thread or the direct messages with the asker, or where only the asker sees it."""

from dataclasses import dataclass
from typing import Protocol

from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.message import Message, working
from bot.delivery import pacing
from bot.delivery.finding import find_posted, marker
from bot.delivery.progress import Sign
from bot.models import Reply
from bot.slack.errors import SlackRefusedError, translated
from bot.slack.marked import DeletedMessageError, edit, marked, post
from bot.slack.responding import respond

FIRST_STEP = "searching"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What is said: as one message; and as the text of a stream, without any link."""

    whole: Message
    streamed: str


class Place(Protocol):
    """Where one reply stands. Every call may be repeated by a later attempt, and there is one message in the end."""

    def begin(self) -> None:
        """Make sure that there is a sign of work."""

    @property
    def streams(self) -> bool:
        """Whether the answer's first words can be shown here before the rest is there."""

    def show(self, sign: Sign) -> None:
        """Tell how far answering has come. It touches no row: it is called beside the answering."""

    def finish(self, said: Said) -> None:
        """Put what is said in the place of the sign of work."""


class MessagePlace:
    """A message in a thread, or in the direct messages with the asker, which are opened when first needed."""

    def __init__(self, client: WebClient, reply: Reply) -> None:
        self._client = client
        self._reply = reply

    def begin(self) -> None:
        """Post the sign of work, unless an earlier attempt did."""
        if not self._placed():
            self._record(self._post(working(FIRST_STEP)))

    @property
    def streams(self) -> bool:
        """False: an edit shows a message whole, and anew to everyone there."""
        return False

    def show(self, sign: Sign) -> None:
        """Edit the sign of work."""
        self._update(working(sign.step))

    def finish(self, said: Said) -> None:
        """Edit the sign of work into what is said, or post it where there is none."""
        if not self._placed():
            self._record(self._post(said.whole))
            return
        try:
            self._update(said.whole)
        except DeletedMessageError:
            self._reply.ts = ""
            self._reply.save(update_fields=["ts"])
            raise

    def _placed(self) -> bool:
        """Whether our message is there; an earlier attempt may have posted it without recording it."""
        reply = self._reply
        if not reply.channel_id:
            with translated():
                reply.channel_id = str(self._client.conversations_open(users=reply.event.user_id)["channel"]["id"])
            reply.save(update_fields=["channel_id"])
        if not reply.ts and reply.attempts > 1:
            found = find_posted(self._client, reply)
            if found:
                self._record(found)
        return bool(reply.ts)

    def _post(self, said: Message) -> str:
        reply = self._reply
        with pacing.in_turn(reply):
            said = marked(said, marker(reply))
            return post(self._client, said, channel_id=reply.channel_id, thread_ts=reply.thread_ts)

    def _update(self, said: Message) -> None:
        reply = self._reply
        edit(self._client, marked(said, marker(reply)), channel_id=reply.channel_id, ts=reply.ts)

    def _record(self, ts: str) -> None:
        reply = self._reply
        reply.ts, reply.state, reply.placed_at = ts, Reply.State.PLACED, timezone.now()
        reply.save(update_fields=["ts", "is_stream", "state", "placed_at"])


class ResponsePlace:
    """Below what the asker pressed, for their eyes only.

    Each message may take the place of the last one: so nothing is posted twice, and nothing needs to be found again.
    When Slack takes none there any more, the direct messages take its place.
    """

    def __init__(self, client: WebClient, reply: Reply) -> None:
        self._reply = reply
        self._direct = MessagePlace(client, reply)

    def begin(self) -> None:
        """What was pressed becomes a sign of work, once: the other messages are for the answer."""
        if self._reply.attempts == 1:
            self._send(working(FIRST_STEP))

    @property
    def streams(self) -> bool:
        """False."""
        return False

    def show(self, sign: Sign) -> None:
        """Nothing: Slack takes five messages there."""

    def finish(self, said: Said) -> None:
        """Put what is said in the place of what stands there."""
        if not self._send(said.whole):
            self._direct.finish(said)

    def _send(self, said: Message) -> bool:
        """False when Slack does not take it here any more."""
        reply = self._reply
        try:
            respond(reply.response_url, {"text": said.text, "blocks": said.blocks, "replace_original": True})
        except SlackRefusedError:
            reply.response_url = ""
            reply.save(update_fields=["response_url"])
            return False
        return True
