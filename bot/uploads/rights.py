"""Check who may add to the library, as the admin does: asked afresh at every step."""

from slack_sdk import WebClient

from bot.identity.people import find_person
from core.access.audiences import may_decide_who_reads
from core.models import User

MAY_INGEST = "core.add_ingestionjob"


def find_ingester(client: WebClient, team_id: str, slack_user_id: str) -> User | None:
    """The person of a Slack account, if they may hand in documents now. Nobody without an active account may.

    SlackUnavailableError when Slack cannot be asked whose account it is.
    """
    person = find_person(client, team_id, slack_user_id)
    user = User.objects.filter(pk=person.user_id).first() if person.user_id else None
    return user if user and user.has_perm(MAY_INGEST) else None


def may_grant(user: User) -> bool:
    """Return True if a user may also choose the readers of their files, besides the roles of the collection."""
    return may_decide_who_reads(user)
