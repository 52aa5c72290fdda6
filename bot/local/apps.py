"""The Django application of the local page."""

from django.apps import AppConfig


class LocalConfig(AppConfig):
    """The local page."""

    name = "bot.local"
    label = "local"
    verbose_name = "Local page"
    default_auto_field = "django.db.models.BigAutoField"
