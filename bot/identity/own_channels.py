"""Find a person's channels, for a page on which they choose one: see core.signals.own_channels_asked."""

import logging

from bot.identity.own_account import find_own_team_id
from bot.slack.errors import translate_errors
from bot.slack.workspace import find_client
from core.errors import FootnoteError

logger = logging.getLogger(__name__)
_PER_PAGE = 200  # what Slack recommends for users.conversations; at most 999


def find_own_channels(team_id: str, slack_user_id: str) -> frozenset[str]:
    """Return the ids of the channels that an account is in, as far as the bot may know of them; none where unknown.

    Slack tells of private channels only those in which the bot is too.
    """
    try:
        client = find_client(team_id)
        if team_id != find_own_team_id(client):  # with the one token any team finds the same client
            return frozenset()
        with translate_errors():
            pages = client.users_conversations(
                user=slack_user_id, types="public_channel,private_channel", exclude_archived=True, limit=_PER_PAGE
            )
            return frozenset(str(told["id"]) for page in pages for told in page.get("channels") or [])
    except FootnoteError as error:  # not installed there any more, or Slack is out of reach
        logger.info("own_channels_unknown", extra={"error": type(error).__name__})
        return frozenset()
