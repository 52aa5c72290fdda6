"""The Django application of core."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Access, retrieval, answering, ingestion and evaluation."""

    name = "core"
    verbose_name = "Footnote"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Keep the secrets of this process to itself: a parser runs under the same account where nobody is root."""
        from core.ingestion.sandbox.kernel import keep_memory_private

        keep_memory_private()
