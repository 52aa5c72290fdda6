"""Build Slack's events of links that people post, and of cards that they open."""

from typing import Any

from tests.integration.bot.conftest import ALICE, CHANNEL, event_body
from tests.integration.bot.slack_server import SlackServer

BASE = "https://footnote.example.com"
POSTED_TS = "1690000000.000100"


def link_shared(*urls: str, **fields: Any) -> dict[str, Any]:
    """A message with links was posted, or is being typed."""
    body = event_body("link_shared", text="")
    user, channel = fields.pop("user", ALICE), fields.pop("channel", CHANNEL)
    event = {
        "type": "link_shared",
        "channel": channel,
        "is_bot_user_member": True,
        "user": user,
        "message_ts": POSTED_TS,
        "unfurl_id": f"{channel}.{POSTED_TS}.0123abc",
        "source": "conversations_history",
        "links": [{"domain": "footnote.example.com", "url": url} for url in urls],
        "event_ts": "1690000001.000000",
    }
    return {**body, "event": event | fields}


def post(slack: SlackServer, *urls: str, channel: str = CHANNEL, user: str = ALICE) -> None:
    """Somebody posts a message with links."""
    slack.messages[channel].append({"ts": POSTED_TS, "user": user, "text": " ".join(f"<{url}>" for url in urls)})


def details_requested(url: str, **fields: Any) -> dict[str, Any]:
    """Somebody opens a card."""
    body = event_body("entity_details_requested", text="")
    event = {
        "type": "entity_details_requested",
        "user": ALICE,
        "external_ref": {"id": "of the card"},
        "entity_url": url,
        "link": {"url": url, "domain": "footnote.example.com"},
        "app_unfurl_url": url,
        "event_ts": "1690000002.000000",
        "trigger_id": "1234567890123.1234567890123.abcdef01234567890abcdef012345689",
        "user_locale": "en-US",
        "channel": CHANNEL,
        "message_ts": POSTED_TS,
    }
    return {**body, "event": event | fields}
