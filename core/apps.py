"""The Django application of core."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Access, retrieval, answering, ingestion and evaluation."""

    name = "core"
    verbose_name = "Footnote"
    default_auto_field = "django.db.models.BigAutoField"
