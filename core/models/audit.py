"""The audit trail: what was done, by whom, to what. core.audit chains its rows by hashes and checks the chain."""

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.db.models import Q

from core.errors import AuditTrailError
from core.models.base import UuidModel
from core.models.people import User

# Every action that is written, and how the admin calls it. A test finds those that are missing here.
ACTIONS = {
    "acknowledge": "acknowledge",
    "activate": "activate",
    "add_second_factor": "add a second factor",
    "answer": "answer",
    "answer_begun": "show the beginning of an answer",
    "change": "change",
    "change_default_roles": "change default roles",
    "change_members": "change members",
    "change_roles": "change roles",
    "create": "create",
    "deactivate": "deactivate",
    "delete": "delete",
    "end_installation": "end installation",
    "erase text": "erase texts",
    "export": "export",
    "feedback": "feedback",
    "grant": "grant",
    "hand in": "submit for ingestion",
    "ingest": "ingest",
    "install": "install",
    "read_text": "read another person's text",
    "refusal": "refusal",
    "remove_second_factor": "remove a second factor",
    "replace": "replace",
    "replay": "replay",
    "retry": "try ingestion again",
    "revoke": "revoke",
    "sign_in": "sign in",
    "sign_in_failed": "fail to sign in",
    "sign_out": "sign out",
    "try again": "try reply again",
}


class AuditEvents(models.QuerySet["AuditEvent"]):
    """Rows that are added and never changed or deleted."""

    def update(self, **fields: Any) -> NoReturn:
        """AuditTrailError."""
        raise AuditTrailError

    def delete(self) -> NoReturn:
        """AuditTrailError."""
        raise AuditTrailError


class AuditEvent(UuidModel):
    """Somebody did something that access or answers depend on. Written with the change, in its transaction.

    It is added to the chain within a minute, and never changed or deleted: the model refuses, and so does the database.
    """

    # Without a constraint in the database: the id stays what it was when the person is deleted.
    actor = models.ForeignKey(
        User, on_delete=models.DO_NOTHING, db_constraint=False, null=True, blank=True, related_name="+"
    )
    action = models.CharField(max_length=50)
    object_type = models.CharField(max_length=50)
    object_id = models.CharField(max_length=64)
    details = models.JSONField(default=dict, blank=True, help_text="Ids and counts, no text.")
    created_at = models.DateTimeField(auto_now_add=True)
    number = models.BigIntegerField(
        null=True, unique=True, editable=False, help_text="Its place in the chain; empty for up to a minute."
    )
    digest = models.CharField(
        max_length=64, blank=True, editable=False, help_text="SHA-256 of the previous digest and the event."
    )

    objects = AuditEvents.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            models.Index(fields=["-created_at"], name="audit_created"),
            models.Index(fields=["object_type", "object_id"], name="audit_object"),
            models.Index(fields=["created_at", "id"], condition=Q(number__isnull=True), name="audit_unsealed"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_type}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row. AuditTrailError for one that is there already."""
        if not self._state.adding:
            raise AuditTrailError
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """AuditTrailError."""
        raise AuditTrailError
