"""The Django application of the web side."""

from django.apps import AppConfig


class AdminsiteConfig(AppConfig):
    """Admin, REST and health."""

    name = "adminsite"
    verbose_name = "Footnote web"

    def ready(self) -> None:
        """Register the system checks."""
        import adminsite.checks  # noqa: F401 - they need the settings
