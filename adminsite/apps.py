"""The Django application of the web side."""

from django.apps import AppConfig


class AdminsiteConfig(AppConfig):
    """Admin, REST and health."""

    name = "adminsite"
    verbose_name = "Footnote web"
