"""Read an administrator's settings for a channel or a workspace, and the language that is spoken in a channel."""

from django.conf import settings

from core.language.i18n.translation import LANGUAGES, translatable
from core.models import ChannelSetting, SlackWorkspace

SWITCHED_OFF = translatable("I am switched off in this channel. Send me a direct message instead.")


def find_setting(team_id: str, channel_id: str) -> ChannelSetting | None:
    """Find the settings of a channel, where there are any."""
    return ChannelSetting.objects.filter(team_id=team_id, channel_id=channel_id).first()


def is_switched_off(team_id: str, channel_id: str) -> bool:
    """Return True if nothing is to be answered in a channel."""
    setting = find_setting(team_id, channel_id)
    return setting is not None and not setting.enabled


def list_collections(setting: ChannelSetting | None) -> tuple[str, ...]:
    """Return the names of the collections to which a channel keeps, sorted; none where it keeps to no particular ones.

    setting: of the channel, where there is any. One query then.
    """
    return tuple(setting.collections.order_by("name").values_list("name", flat=True)) if setting else ()


def may_search_messages(team_id: str) -> bool:
    """Return True if Slack's search may be asked for messages of a workspace: by the settings, and by its switch."""
    return bool(settings.SLACK_SEARCH) and SlackWorkspace.objects.may_search(team_id)


def find_language(team_id: str, channel_id: str) -> str:
    """Find the code of the language of a channel, or of the direct messages."""
    setting = find_setting(team_id, channel_id)
    # A language that this version does not speak any more counts as none.
    return setting.language if setting and setting.language in LANGUAGES else str(settings.SLACK_LANGUAGE)
