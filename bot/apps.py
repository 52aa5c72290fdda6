"""The Django application of the bot."""

from django.apps import AppConfig


class BotConfig(AppConfig):
    """Slack."""

    name = "bot"
    verbose_name = "Slack"
    default_auto_field = "django.db.models.BigAutoField"
