"""The Django application of the web side."""

from django.apps import AppConfig


class AdminsiteConfig(AppConfig):
    """Admin, REST and health."""

    name = "adminsite"
    verbose_name = "Footnote web"

    def ready(self) -> None:
        """Register the system checks, and what is written down of signing in."""
        import adminsite.checks
        import adminsite.sign_in.trail  # noqa: F401 - both need the settings
