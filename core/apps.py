"""The Django application of core."""

import logging

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate

logger = logging.getLogger(__name__)


class CoreConfig(AppConfig):
    """Access, retrieval, answering, ingestion and evaluation."""

    name = "core"
    verbose_name = "Footnote"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what goes with every process: secrets kept to it, the key-free model, counted calls, deletions."""
        from core.asking.generation.extractive import provide_extractive
        from core.asking.history import deleted_documents
        from core.asking.spending import replies
        from core.asking.spending.meter import installation_meter
        from core.infrastructure import quick_migrations
        from core.library.ingestion.sandbox.kernel import keep_memory_private
        from core.library.originals import keeping
        from core.llm.calls import provide_meter
        from core.models.foreign_keys import set_actions

        # A parser runs under the same account where nobody is root.
        keep_memory_private()
        quick_migrations.connect(self)
        deleted_documents.connect()
        keeping.connect()
        replies.connect()
        post_migrate.connect(set_actions, sender=self)
        provide_extractive()
        provide_meter(installation_meter)
        if settings.LOCAL_MODEL_PROBLEM:
            logger.error("model_not_registered", extra={"error": settings.LOCAL_MODEL_PROBLEM})
