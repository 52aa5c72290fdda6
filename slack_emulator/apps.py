"""The Django application of the Slack emulator."""

from django.apps import AppConfig


class SlackEmulatorConfig(AppConfig):
    """The emulator and its page. Its label, from which its tables have their names, is as old as they are."""

    name = "slack_emulator"
    label = "local"
    verbose_name = "Local page"
    default_auto_field = "django.db.models.BigAutoField"
