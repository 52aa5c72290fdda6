"""Build messages as Slack's search returns them, and allow the search for Alice."""

from typing import Any

from core.models import SlackWorkspace
from tests.integration.bot.conftest import ALICE, DIRECT
from tests.integration.bot.slack_server import TEAM, WORKSPACE_URL, SlackServer

LEAVE = "12345.98765.abcd2358fdea"
ASK_MOORING = "When does the mooring of the barge Petunia end?"
MOORING = "The mooring of the barge Petunia ends on 3 May because the quay is dredged."


def found(content: str = MOORING, **fields: Any) -> dict[str, Any]:
    """Build a message as Slack's search returns it."""
    return {
        "author_name": "Bob Berth",
        "author_user_id": "U0BOB",
        "team_id": TEAM,
        "channel_id": "C0QUAY",
        "channel_name": "quay",
        "message_ts": "1700000000.123456",
        "content": content,
        "is_author_bot": False,
        "permalink": f"{WORKSPACE_URL}archives/C0QUAY/p1700000000123456",
    } | fields


def allow_search(slack: SlackServer, settings: Any, *messages: dict[str, Any]) -> None:
    """Let Footnote search in the workspace, for Alice, and let Slack find these messages."""
    settings.SLACK_SEARCH = True
    SlackWorkspace.objects.update_or_create(team_id=TEAM, defaults={"searches_messages": True})
    slack.leaves[LEAVE] = (ALICE, DIRECT)
    slack.found = list(messages)
