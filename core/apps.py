"""The Django application of core."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Access, retrieval, answering, ingestion and evaluation."""

    name = "core"
    verbose_name = "Footnote"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Erase with a document what was quoted from it."""
        from core.answering import deleted_documents

        deleted_documents.connect()
