"""The question that a button on an answer belongs to, where its asker alone may press it."""

from slack_sdk import WebClient

from bot import identity
from core.errors import FootnoteError
from core.models import Query


class NotYoursError(FootnoteError):
    """There is no such question of yours any more. Please ask it again."""


def earlier_question(client: WebClient, team_id: str, slack_user_id: str, request_id: str) -> Query:
    """An earlier question of the person who pressed. NotYoursError for anybody else's."""
    person = identity.person_of(client, team_id, slack_user_id)
    query = Query.objects.filter(request_id=request_id, user_id=person.user_id).first() if person.user_id else None
    if query is None:
        raise NotYoursError
    return query
