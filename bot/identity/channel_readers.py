"""Find a channel's readers for core and the admin: see core.signals.channel_readers_asked."""

import logging

from slack_sdk import WebClient

from bot.channels.settings import find_setting, list_collections
from bot.identity.audiences import find_members_audience, has_members
from bot.identity.own_account import find_own_team_id
from bot.slack.workspace import find_client
from core.errors import FootnoteError
from core.signals import ChannelReaders

logger = logging.getLogger(__name__)


def find_channel_readers(team_id: str, channel_id: str) -> ChannelReaders:
    """Return what may be shown in a channel now, by Slack's word of this moment.

    Nobody is known where Slack cannot be asked or will not tell, in a workspace that is not ours, and in a channel in
    which an administrator has switched Footnote off.
    """
    try:
        return _ask(find_client(team_id), team_id, channel_id)
    except FootnoteError as error:  # not installed there any more, or Slack is out of reach
        logger.info("channel_readers_unknown", extra={"error": type(error).__name__})
        return ChannelReaders(is_known=False)


def _ask(client: WebClient, team_id: str, channel_id: str) -> ChannelReaders:
    setting = find_setting(team_id, channel_id)
    # With the one token any team finds the same client, and the channels of another would be taken for ours.
    if team_id != find_own_team_id(client) or (setting and not setting.enabled):
        return ChannelReaders(is_known=False)
    audience = find_members_audience(client, team_id=team_id, channel_id=channel_id)
    is_known = not audience.reads_nothing or has_members(client, channel_id)
    return ChannelReaders(is_known=is_known, audience=audience, collections=list_collections(setting))
