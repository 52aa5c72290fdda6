"""Find an answer's explanation: for whom it is explained, and which answer is meant."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from slack_sdk import WebClient

from bot.identity import audiences
from bot.identity.interactions import UnknownPersonError, find_reply
from bot.models import Reply, SlackEvent
from core.asking.explanations import explain
from core.errors import FootnoteError, NotFoundError
from core.values.explained import Explanation


class NothingToExplainError(FootnoteError):
    """I cannot explain this: I no longer have it, or you may not read all of its sources. Ask the question again."""


class NothingAnsweredHereError(FootnoteError):
    """I have not answered anything for you here. Ask a question first, or press the button below an answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """Holds an explanation for one person, and how they come to it."""

    told: Explanation
    is_public: bool  # the answer was made for everyone who can read a channel
    is_asker: bool  # they asked the question


def find_explanation(client: WebClient, team_id: str, slack_user_id: str, request_id: str) -> Explained:
    """Explain an answer to a person who sees it, with their own rights of now, whoever asked.

    UnknownPersonError for somebody whom Footnote does not know and who may read nothing. NothingToExplainError for
    what is not shown to them, not theirs to read, erased or of another team: one error, which tells of neither.
    """
    user_id, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    if user_id is None and audience.reads_nothing:
        raise UnknownPersonError
    reply = find_reply(request_id, team_id, slack_user_id)
    if reply is None:
        raise NothingToExplainError
    try:
        told = explain(request_id, audience=audience, viewer=user_id)
    except NotFoundError:
        raise NothingToExplainError from None
    is_shared = reply.event.kind == SlackEvent.Kind.SHARE  # what is shared was made for its asker
    return Explained(
        told=told,
        is_public=reply.event.is_public and not is_shared,
        is_asker=reply.event.user_id == slack_user_id,
    )


def find_last_answer(team_id: str, channel_id: str, slack_user_id: str) -> str:
    """Return the request of the last question of a person that was answered in a channel or asked there.

    Raises NothingAnsweredHereError where there is none.
    """
    replies = _select_posted(team_id).filter(event__user_id=slack_user_id)
    here = replies.filter(Q(event__channel_id=channel_id) | Q(channel_id=channel_id))
    return _get_request(here.order_by("-event__received_at").first())


def find_answer_in_message(team_id: str, channel_id: str, ts: str) -> str:
    """Return the request that a message of ours answers. NothingAnsweredHereError for any other message."""
    return _get_request(_select_posted(team_id).filter(channel_id=channel_id, ts=ts).first())


def _select_posted(team_id: str) -> QuerySet[Reply]:
    posted = Reply.objects.filter(state=Reply.State.POSTED, event__team_id=team_id, query__isnull=False)
    return posted.select_related("query")


def _get_request(reply: Reply | None) -> str:
    if reply is None or reply.query is None:
        raise NothingAnsweredHereError
    return reply.query.request_id
