"""The audit trail: what was done, by whom, to what. core.access.audit chains its rows by hashes and checks them."""

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.db.models import Q

from core.errors import AuditTrailError
from core.models.base import UuidModel
from core.models.people import User


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

    class Action(models.TextChoices):
        """Every action that is written, and how the admin calls it. Old rows may hold others: no constraint says no."""

        ACCEPT_RISK = "accept_risk", "find right that many read something"
        ACKNOWLEDGE = "acknowledge", "acknowledge"
        ACTIVATE = "activate", "activate"
        ADD_SECOND_FACTOR = "add_second_factor", "add a second factor"
        ANSWER = "answer", "answer"
        ANSWER_BEGUN = "answer_begun", "show the beginning of an answer"
        BACKUP = "backup", "take a backup"
        CHANGE = "change", "change"
        CHANGE_DEFAULT_ROLES = "change_default_roles", "change default roles"
        CHANGE_MEMBERS = "change_members", "change members"
        CHANGE_ROLES = "change_roles", "change roles"
        CHECK_CHANGE = "check_change", "check a change before it is live"
        CONFIRM = "confirm", "find a document still right"
        CREATE = "create", "create"
        DEACTIVATE = "deactivate", "deactivate"
        DECIDE_CHANGE = "decide_change", "decide about a checked change"
        DECIDE_SECTION = "decide_section", "decide about a section"
        DELETE = "delete", "delete"
        END_INSTALLATION = "end_installation", "end installation"
        ERASE_TEXT = "erase text", "erase texts"
        EXPORT = "export", "export"
        FEEDBACK = "feedback", "feedback"
        GRANT = "grant", "grant"
        HAND_IN = "hand in", "submit for ingestion"
        HIDE_SECRET = "hide_secret", "mask a secret again"
        INGEST = "ingest", "ingest"
        INSTALL = "install", "install"
        INVITE = "invite", "invite to write"
        ISSUE_RECEIPT = "issue_receipt", "issue a signed receipt"
        NARROW_RISK = "narrow_risk", "narrow who reads what many may read"
        OPEN_SECTION = "open_section", "end a restriction of sections"
        PREVIEW = "preview", "preview as somebody else"
        PROLONG = "prolong", "let a grant end later"
        PROPOSE = "propose", "propose a change of a document"
        READ_TEXT = "read_text", "read another person's text"
        REFUSAL = "refusal", "refusal"
        REMOVE_SECOND_FACTOR = "remove_second_factor", "remove a second factor"
        REPLACE = "replace", "replace"
        REPLAY = "replay", "replay"
        RESTORE = "restore", "restore a backup"
        RESTRICT_SECTION = "restrict_section", "restrict sections"
        RETRY = "retry", "try ingestion again"
        REVIEW = "review", "find access still right"
        REVOKE = "revoke", "revoke"
        SHOW_SECRET = "show_secret", "let a secret be read"
        SIGN_IN = "sign_in", "sign in"
        SIGN_IN_FAILED = "sign_in_failed", "fail to sign in"
        SIGN_OUT = "sign_out", "sign out"
        SPLIT_SECTIONS = "split_sections", "split a document by its sections' readers"
        SYNC = "sync", "ask a data source"
        TRY_AGAIN = "try again", "try reply again"

    # Without a constraint in the database: the id stays what it was when the person is deleted.
    actor = models.ForeignKey(
        User, on_delete=models.DO_NOTHING, db_constraint=False, null=True, blank=True, related_name="+"
    )
    action = models.CharField(max_length=50, choices=Action.choices)
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
        return f"{self.get_action_display()}, {self.created_at:%Y-%m-%d %H:%M}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row. AuditTrailError for one that is there already."""
        if not self._state.adding:
            raise AuditTrailError
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """AuditTrailError."""
        raise AuditTrailError
