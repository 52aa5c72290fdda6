"""An account changed: it was closed, became a guest's, has another address, or just another picture."""

from typing import Any

from slack_bolt import BoltContext

from bot.identity.people import note_change
from bot.identity.usergroups import queue_synchronisation


def on_user_change(body: dict[str, Any], context: BoltContext) -> None:
    """Believe nothing earlier of whose account it was: the next question or interaction asks Slack.

    The usergroups are asked as well when the account is nobody's now, or another person's: Slack tells of every new
    status, and a large workspace has many of those.
    """
    person, owners = note_change(context["team_id"], body["event"]["user"])
    if not person.is_member or owners - {person.user_id}:
        queue_synchronisation(context["team_id"])
