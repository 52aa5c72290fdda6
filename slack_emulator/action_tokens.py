"""Leave to search Slack for a person, which comes with what they write to an app.

Slack says of it only that it lives shortly and is worth something with the app's own token. How long, is this page's.
"""

from django.core import signing

from core.models import User
from slack_emulator.accounts import find_person, find_slack_id

LIFETIME_S = 600  # not documented
_SALT = "slack_emulator.action_token"


def make_action_token(person: User) -> str:
    """Return leave to search for a person who has just written something."""
    return signing.dumps(find_slack_id(person), salt=_SALT)


def find_searcher(token: str) -> User | None:
    """Return for whom a token lets search; None where it is none or too old, or the person has left."""
    try:
        return find_person(signing.loads(token, salt=_SALT, max_age=LIFETIME_S))
    except signing.BadSignature:  # an old one has a subclass of it
        return None
