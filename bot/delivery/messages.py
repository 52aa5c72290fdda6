"""Quote Slack's own messages about a question, below the answer from documents, for its asker alone.

Slack is asked while the documents are searched, with the rights of the asker, and only where they ask in their direct
messages with us. Whatever goes wrong, the answer from documents is given alone. The words of messages are held in
memory until the reply is posted; only their place and a hash are kept.
"""

import datetime as dt
import hashlib
import logging
import threading
import time
from contextvars import copy_context
from dataclasses import replace

from django.conf import settings
from django.db import transaction
from slack_sdk import WebClient

from bot.blocks.quoted_messages import QuotedWords, add_links, add_messages, choose_fitting
from bot.channels.settings import may_search_messages
from bot.delivery.results import find_question
from bot.delivery.surfaces import Rendering
from bot.identity.own_account import find_own_team_id, find_own_team_name, find_own_url
from bot.identity.people import find_person
from bot.models import QuotedMessage, Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.searching import FoundMessage, search_messages
from bot.slack.workspace import limit_time
from core.asking.quoting import quote_texts
from core.errors import FootnoteError
from core.models import SlackWorkspace
from core.types import Answer, Refusal, RefusalReason

logger = logging.getLogger(__name__)

# From its beginning, beside the search in the documents. Set, not measured: with the key-free model an answer takes
# about as long, and nobody waits longer for what only stands below it.
SEARCH_BUDGET_S = 2.0
MOST_QUOTES = 3

# Other refusals want another question, and so another search.
_IS_AN_END = frozenset(
    {
        RefusalReason.NOTHING_FOUND,
        RefusalReason.INSUFFICIENT,
        RefusalReason.MODEL_UNAVAILABLE,
        RefusalReason.UNSURE,
    }
)


class MessageSearch:
    """A search in Slack's messages for one question: begun before its answer is made, and shown below it."""

    def __init__(self, client: WebClient, reply: Reply) -> None:
        self._client = client
        self._reply = reply
        self._question = ""
        self._found: list[FoundMessage] = []
        self._thread: threading.Thread | None = None
        self._until = 0.0

    def begin(self) -> None:
        """Ask Slack in a thread of its own, if the asker's message may be searched for; else do nothing."""
        event = self._reply.event
        try:
            if not _may_be_asked(self._client, event):
                return
            self._question = find_question(self._client, self._reply)
            own_url = find_own_url(self._client)
        except (SlackRefusedError, SlackUnavailableError) as error:
            self._log_failure(error.code)
            return
        self._until = time.monotonic() + SEARCH_BUDGET_S
        arguments = (limit_time(self._client, SEARCH_BUDGET_S), event.action_token, event.channel_id, own_url)
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._search_slack, *arguments), name="slack-search", daemon=True
        )
        self._thread.start()

    def add_to(self, rendering: Rendering, result: Answer | Refusal) -> Rendering:
        """Return what is shown with the quoted messages below it; of a stream, what is streamed stays as it is.

        Where nothing is found now and an earlier attempt quoted messages, their links alone.
        """
        if self._reply.event.kind != SlackEvent.Kind.DIRECT or not _may_stand_below(result):
            return rendering
        is_answered = isinstance(result, Answer)
        quotes = choose_fitting(rendering.whole, self._choose_quotes(), is_answered=is_answered)
        if quotes:
            self._keep_places(quotes)
            return replace(rendering, whole=add_messages(rendering.whole, quotes, is_answered=is_answered))
        links = list(dict.fromkeys(self._reply.quoted_messages.values_list("permalink", flat=True)))
        return replace(rendering, whole=add_links(rendering.whole, links)) if links else rendering

    def _search_slack(self, client: WebClient, action_token: str, channel_id: str, own_url: str) -> None:
        try:
            self._found = search_messages(
                client, self._question, action_token=action_token, channel_id=channel_id, own_url=own_url
            )
        except (SlackRefusedError, SlackUnavailableError) as error:
            self._log_failure(error.code)

    def _choose_quotes(self) -> list[QuotedWords]:
        """Wait for Slack as long as there is time, and choose what answers the question."""
        if self._thread is None:
            return []
        self._thread.join(max(0.0, self._until - time.monotonic()))
        if self._thread.is_alive():
            self._log_failure("timeout")
            return []
        found = self._found
        try:
            quoted = quote_texts(self._question, [message.words for message in found], most=MOST_QUOTES)
        except FootnoteError as error:
            self._log_failure(type(error).__name__)
            return []
        return [_make_quote(found[one.text], one.words) for one in quoted]

    def _keep_places(self, quotes: list[QuotedWords]) -> None:
        """Keep where the quoted messages are, in the place of what an earlier attempt kept."""
        rows = [
            QuotedMessage(
                reply=self._reply,
                permalink=quote.permalink,
                words_hash=hashlib.sha256(quote.words.encode()).hexdigest(),
            )
            for quote in quotes
        ]
        with transaction.atomic():
            self._reply.quoted_messages.all().delete()
            QuotedMessage.objects.bulk_create(rows)

    def _log_failure(self, code: str) -> None:
        logger.info("messages_not_searched", extra={"reply": str(self._reply.pk), "code": code})


def _may_be_asked(client: WebClient, event: SlackEvent) -> bool:
    """Return True for a direct message of a member of the own workspace, in which an administrator allows it.

    A workspace that nobody knew is shown to the administrators by that. Guests and people of other workspaces search
    nothing, whatever leave Slack gave them.
    """
    if not settings.SLACK_SEARCH or event.kind != SlackEvent.Kind.DIRECT:
        return False
    own_team_id = find_own_team_id(client)
    SlackWorkspace.objects.meet(own_team_id, find_own_team_name(client))
    if not event.action_token or event.team_id != own_team_id or not may_search_messages(own_team_id):
        return False
    return find_person(client, event.team_id, event.user_id).is_member


def _may_stand_below(result: Answer | Refusal) -> bool:
    """Return True below what says what documents say, and nothing that a person verified."""
    if isinstance(result, Answer):
        return result.verified is None
    return result.reason in _IS_AN_END


def _make_quote(message: FoundMessage, words: str) -> QuotedWords:
    return QuotedWords(
        permalink=message.permalink,
        channel=message.channel,
        author=message.author,
        sent_on=dt.datetime.fromtimestamp(message.sent_at, dt.UTC).date(),
        words=words,
    )
