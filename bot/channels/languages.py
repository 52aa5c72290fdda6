"""Choose the language of a place: a channel's own, or the one that is set for everywhere else."""

from django.conf import settings

from bot.channels.settings import find_setting
from core.language.i18n.translation import LANGUAGES


def find_language(team_id: str, channel_id: str) -> str:
    """The code of the language of a channel, or of the direct messages."""
    setting = find_setting(team_id, channel_id)
    # A language that this version does not speak any more counts as none.
    return setting.language if setting and setting.language in LANGUAGES else str(settings.SLACK_LANGUAGE)
