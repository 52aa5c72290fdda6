"""The Django application of the bot."""

from django.apps import AppConfig


class BotConfig(AppConfig):
    """Slack."""

    name = "bot"
    verbose_name = "Slack"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Forget with core what it forgets."""
        from bot.intake import forget_texts
        from core.signals import texts_erased

        texts_erased.connect(forget_texts, dispatch_uid="bot.intake")
