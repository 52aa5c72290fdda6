"""What an administrator has set for a channel."""

from core.i18n.translation import translatable
from core.models import ChannelSetting

SWITCHED_OFF = translatable("I am switched off in this channel. Send me a direct message instead.")


def find_setting(team_id: str, channel_id: str) -> ChannelSetting | None:
    """The settings of a channel, where there are any."""
    return ChannelSetting.objects.filter(team_id=team_id, channel_id=channel_id).first()


def is_switched_off(team_id: str, channel_id: str) -> bool:
    """Whether nothing is to be answered in a channel."""
    setting = find_setting(team_id, channel_id)
    return setting is not None and not setting.enabled
