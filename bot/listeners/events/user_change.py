"""An account changed: it was closed, became a guest's, or has another address."""

from typing import Any

from slack_bolt import BoltContext

from bot.identity import forget
from bot.usergroups import queue_synchronisation


def on_user_change(body: dict[str, Any], context: BoltContext) -> None:
    """Forget at once whose account it was: the next question or click asks Slack. Usergroups are asked again, too.

    Slack tells of every change, also of a new picture; which one it was cannot be seen, and forgetting costs one call.
    """
    forget(body["event"]["user"]["id"])
    queue_synchronisation(context["team_id"])
