"""The agent session of a thread: Slack shows that we work there, by which name it is found again, and a stop button.

https://docs.slack.dev/ai/agent-sessions. Only apps that are agents have sessions; in other workspaces the sign of work
that every reply begins with is all there is, and nothing is lost. So a refusal is noted and never an error.

The name of a session is the question as it was typed, and no word of a document: in a channel it shows nothing that
does not stand in the thread already.
"""

import datetime as dt
import logging
from collections.abc import Callable
from uuid import UUID

from django.utils import timezone
from slack_sdk import WebClient

from bot import intake
from bot.blocks.text import shorten
from bot.identity.own_account import find_own_user_id
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.markup import extract_question
from bot.slack.workspace import find_client
from core.infrastructure import queue
from core.language.nlp.text import one_line, remove_controls
from core.language.query_understanding.courtesies import SmallTalk, has_words, recognise
from core.types import Answer, Refusal

logger = logging.getLogger(__name__)

TITLE_LIMIT = 200  # characters, Slack's own
_REFUSED_FOR = dt.timedelta(minutes=30)  # how long a team is not asked again that has no sessions
_NO_SESSIONS = frozenset({"unknown_method", "not_agent_app", "missing_scope", "feature_disabled", "method_deprecated"})
_NOT_ALLOWED = ("not_allowed", "no_permission", "access_denied")  # and what goes on from these

_refused: dict[str, dt.datetime] = {}  # team: when it refused sessions, in this process


class Session:
    """Keeps the session of a reply's thread. Every call may be repeated; none fails because Slack refuses."""

    def __init__(self, client: WebClient, reply: Reply) -> None:
        self._client, self._reply, self._event = client, reply, reply.event
        self._question = ""  # as it was typed, in words that can be shown

    def begin(self) -> None:
        """Say that we work on the question."""
        if not self._may_have_one():
            return
        try:
            self._question = self._read_question()
            self._set_status("processing")
        except SlackUnavailableError as error:
            logger.info("session_not_begun", extra={"reply": str(self._reply.pk), "code": error.code})

    def rename(self, result: Answer | Refusal) -> None:
        """Give the session the name of this question where it is not its first and does not follow on the others.

        It follows on them where it had to be put in other words to stand alone.
        """
        is_alone = one_line(result.asked).casefold() == self._question.casefold()
        title = build_title(self._question)
        if not (title and is_alone and self._may_have_one()):
            return
        earlier = Reply.objects.filter(channel_id=self._reply.channel_id, thread_ts=self._reply.thread_ts).filter(
            event__team_id=self._event.team_id, event__received_at__lt=self._event.received_at
        )
        if not earlier.exists():
            return
        try:
            self._call_slack(lambda at: self._client.agents_sessions_rename(title=title, **at))
        except SlackUnavailableError as error:
            logger.info("session_not_renamed", extra={"reply": str(self._reply.pk), "code": error.code})

    def end(self) -> None:
        """Say that we work no more; later, by a job, where Slack cannot be reached now."""
        try:
            self.leave()
        except SlackUnavailableError as error:
            logger.info("session_not_left", extra={"reply": str(self._reply.pk), "code": error.code})
            queue.enqueue(queue.LEAVE_SESSION, lock=intake.name_lock(self._event), event=str(self._event.pk))

    def leave(self) -> None:
        """Say that we work no more: the conversation is over where the asker said so, and else it can go on.

        SlackUnavailableError when a later attempt may succeed.
        """
        if self._may_have_one():
            is_over = recognise(self._question) is SmallTalk.NEW_TOPIC
            self._set_status("closed" if is_over else "active")

    def _may_have_one(self) -> bool:
        reply = self._reply
        refused = _refused.get(self._event.team_id)
        return (
            self._event.kind in SlackEvent.IN_SESSIONS
            and bool(reply.channel_id and reply.thread_ts and not reply.response_url)
            and not (refused and timezone.now() - refused < _REFUSED_FOR)
        )

    def _read_question(self) -> str:
        """Return the question; empty when a button asks an earlier one again."""
        if self._reply.query:
            return one_line(self._reply.query.question_text)
        return extract_question(self._event.text, own_user_id=find_own_user_id(self._client))

    def _set_status(self, status: str) -> None:
        """Set the status. Slack keeps title and asker only where the session begins with this, whatever it is."""
        title, by = build_title(self._question) or None, self._event.user_id
        self._call_slack(
            lambda at: self._client.agents_sessions_setStatus(status=status, title=title, initiator_user_id=by, **at)
        )

    def _call_slack(self, method: Callable[[dict[str, str]], object]) -> None:
        try:
            with translate_errors():
                method({"channel_id": self._reply.channel_id, "thread_ts": self._reply.thread_ts})
        except SlackRefusedError as error:
            logger.info("session_refused", extra={"team": self._event.team_id, "code": error.code})
            if error.code in _NO_SESSIONS or error.code.startswith(_NOT_ALLOWED):
                _refused[self._event.team_id] = timezone.now()


def build_title(question: str) -> str:
    """Build the name of a session for a question; empty where nothing was asked."""
    title = one_line(remove_controls(question))
    if not has_words(title) or recognise(title) is not None:
        return ""
    return shorten(title, TITLE_LIMIT)


def leave_session(event_id: UUID) -> None:
    """Leave the session in which an event was answered, unless another question is open there, which will leave it.

    SlackUnavailableError when a later attempt may succeed.
    """
    reply = Reply.objects.select_related("event", "query").get(event_id=event_id)
    open_there = Reply.objects.filter(channel_id=reply.channel_id, thread_ts=reply.thread_ts).filter(
        event__team_id=reply.event.team_id, event__state=SlackEvent.State.RECEIVED
    )
    if not open_there.exists():
        Session(find_client(reply.event.team_id), reply).leave()
