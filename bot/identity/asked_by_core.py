"""Answer core and the admin: in which channels a person is, and who reads a channel. See core.signals."""

import logging

from bot.channels.settings import find_setting, list_collections
from bot.identity.audiences import find_members_audience, has_members
from bot.identity.own_account import find_own_team_id
from bot.slack.errors import translate_errors
from bot.slack.workspace import find_client
from core.errors import FootnoteError
from core.signals import ChannelReaders

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


def find_channel_readers(team_id: str, channel_id: str) -> ChannelReaders:
    """Return what may be shown in a channel now, by Slack's word of this moment.

    Nobody is known where Slack cannot be asked or will not tell, in a workspace that is not ours, and in a channel in
    which an administrator has switched Footnote off.
    """
    try:
        client, setting = find_client(team_id), find_setting(team_id, channel_id)
        # With the one token any team finds the same client, and the channels of another would be taken for ours.
        if team_id != find_own_team_id(client) or (setting and not setting.enabled):
            return ChannelReaders(is_known=False)
        audience = find_members_audience(client, team_id=team_id, channel_id=channel_id)
        is_known = not audience.reads_nothing or has_members(client, channel_id)
        return ChannelReaders(is_known=is_known, audience=audience, collections=list_collections(setting))
    except FootnoteError as error:  # not installed there any more, or Slack is out of reach
        logger.info("channel_readers_unknown", extra={"error": type(error).__name__})
        return ChannelReaders(is_known=False)
