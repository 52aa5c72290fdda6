"""Check who may act on an answer: asked afresh at each interaction, of Slack and of the library."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q
from slack_sdk import WebClient

from bot.identity import audiences
from bot.identity.people import find_person
from bot.models import Reply, ResearchMessage, SlackEvent
from core import api
from core.errors import FootnoteError, NotFoundError
from core.types import Answer, Audience, Refusal


class UnknownPersonError(FootnoteError):
    """I do not know you, so I could not do that. Ask an administrator to add you."""


class NotYoursError(FootnoteError):
    """There is no such answer, or you may not read all of its sources. Nothing was done."""


class NotAskedByYouError(FootnoteError):
    """I no longer have that question of yours. Please ask it again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Press:
    """Holds a button that somebody pressed below a reply that they see and may read."""

    user_id: UUID
    reply: Reply
    result: Answer | Refusal  # as this person may read it now


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnResearch:
    """Holds a research of the person who pressed a button of its message."""

    message: ResearchMessage
    research_id: UUID
    user_id: UUID
    audience: Audience  # what they may read now


def check_interaction(client: WebClient, team_id: str, slack_user_id: str, request_id: str) -> Press:
    """Find out who pressed a button and below which reply, if they see it and may read its answer now.

    UnknownPersonError for somebody whom Footnote does not know, NotYoursError for all else.
    """
    user_id, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    if user_id is None:
        raise UnknownPersonError
    reply = find_reply(request_id, team_id, slack_user_id)
    if reply is None:
        raise NotYoursError
    try:
        result = api.stored_result(request_id, audience=audience, viewer=user_id)
    except NotFoundError:
        raise NotYoursError from None
    return Press(user_id=user_id, reply=reply, result=result)


def find_visible_question(request_id: str, *, team_id: str, channel_id: str, slack_user_id: str) -> str:
    """Find an earlier question as it was written, for somebody who pressed a button below its reply.

    Empty unless they asked it themselves, or it stands where they pressed for everyone there to read.
    """
    reply = find_reply(request_id, team_id, slack_user_id)
    if reply is None or reply.query is None:
        return ""
    is_own, stands_here = reply.event.user_id == slack_user_id, reply.event.channel_id == channel_id
    return reply.query.question_text if is_own or stands_here else ""


def find_own_question(client: WebClient, team_id: str, slack_user_id: str, request_id: str) -> UUID:
    """Find the id of an earlier question of the person who pressed a button. NotAskedByYouError for anybody else's."""
    person = find_person(client, team_id, slack_user_id)
    query_id = api.own_question(request_id, user_id=person.user_id)
    if query_id is None:
        raise NotAskedByYouError
    return query_id


def find_own_research(client: WebClient, team_id: str, slack_user_id: str, message_id: UUID) -> OwnResearch:
    """Find the research of a message for whoever pressed a button of it.

    NotFoundError for anybody but its asker, and where the research is deleted.
    """
    rows = ResearchMessage.objects.select_related("reply__event")
    row = rows.filter(pk=message_id, reply__event__team_id=team_id, reply__event__user_id=slack_user_id).first()
    user_id, audience = audiences.find_account_audience(client, team_id, slack_user_id)
    if row is None or row.research_id is None or user_id is None:
        raise NotFoundError
    return OwnResearch(message=row, research_id=row.research_id, user_id=user_id, audience=audience)


def find_reply(request_id: str, team_id: str, slack_user_id: str) -> Reply | None:
    """Return a reply in this team that shows the answer to this person: to its channel, or to its asker alone."""
    shared = Q(event__kind=SlackEvent.Kind.SHARE, event__about__request_id=request_id)
    replies = Reply.objects.select_related("event", "query").filter(
        Q(query__request_id=request_id) | shared, event__team_id=team_id
    )
    return replies.filter(Q(event__kind__in=SlackEvent.PUBLIC) | Q(event__user_id=slack_user_id)).first()
