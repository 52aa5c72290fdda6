"""An account changed: it was closed, became a guest's, has another address, or just another picture."""

from typing import Any

from slack_bolt import BoltContext

from bot.identity.people import forget, identify_person
from bot.identity.usergroups import queue_synchronisation


def on_user_change(body: dict[str, Any], context: BoltContext) -> None:
    """Forget at once whose account it was: the next question or interaction asks Slack.

    The usergroups are asked as well when the account is nobody's now, or another person's: Slack tells of every new
    status, and a large workspace has many of those.
    """
    account = body["event"]["user"]
    owners = forget(account["id"])
    person = identify_person(context["team_id"], account)
    if not person.is_member or owners - {person.user_id}:
        queue_synchronisation(context["team_id"])
