"""The Django application of the bot."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete, pre_delete

from core.signals import ChannelReaders, SlackAccount


class BotConfig(AppConfig):
    """Slack."""

    name = "bot"
    verbose_name = "Slack"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Forget with core what it forgets, show what moves, and answer who somebody in Slack is or reads a channel."""
        from bot.channels.beside import forget_account, forget_of
        from bot.intake import forget_texts
        from bot.models import show_deleted, show_moved
        from bot.owners.forgetting import forget_words
        from core.signals import (
            channel_readers_asked,
            own_channels_asked,
            research_moved,
            slack_account_asked,
            texts_erased,
        )

        texts_erased.connect(forget_texts, dispatch_uid="bot.intake")
        texts_erased.connect(forget_words, dispatch_uid="bot.owners")
        texts_erased.connect(forget_of, dispatch_uid="bot.channels.beside")
        post_delete.connect(forget_account, sender="core.SlackIdentity", dispatch_uid="bot.channels.beside")
        research_moved.connect(show_moved, dispatch_uid="bot.models.researches")
        pre_delete.connect(show_deleted, sender="core.Research", dispatch_uid="bot.models.researches")
        slack_account_asked.connect(_ask_slack, dispatch_uid="bot.identity")
        own_channels_asked.connect(_ask_own_channels, dispatch_uid="bot.identity.asked_by_core")
        channel_readers_asked.connect(_ask_readers, dispatch_uid="bot.identity.asked_by_core")


def _ask_slack(*, team_id: str, slack_user_id: str, **_: Any) -> SlackAccount:
    from bot.identity.people import find_account_now  # with Slack's library, which most processes never need

    return find_account_now(team_id, slack_user_id)


def _ask_own_channels(*, team_id: str, slack_user_id: str, **_: Any) -> frozenset[str]:
    from bot.identity.asked_by_core import find_own_channels  # with Slack's library, as above

    return find_own_channels(team_id, slack_user_id)


def _ask_readers(*, team_id: str, channel_id: str, **_: Any) -> ChannelReaders:
    from bot.identity.asked_by_core import find_channel_readers  # with Slack's library, as above

    return find_channel_readers(team_id, channel_id)
