"""The Django application of the web side."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class AdminsiteConfig(AppConfig):
    """Admin, REST and health."""

    name = "adminsite"
    verbose_name = "Footnote web"

    def ready(self) -> None:
        """Register the system checks, what is written down of signing in, and what an installation begins with."""
        import adminsite.checks
        import adminsite.library_checks
        import adminsite.sign_in.trail  # noqa: F401 - all need the settings
        from adminsite.rights import make_at_first

        post_migrate.connect(make_at_first, sender=apps.get_app_config("core"))
