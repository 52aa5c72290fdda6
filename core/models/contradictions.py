"""Pairs of documents that answer one question differently, kept as places in editions, and what was decided of them.

No text of a document is here: quotes are read from the passages, by whoever may read both editions at that moment. The
words that a pair is called by, and those with which somebody decided, are in a table of their own under row-level
security.
"""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

from core.models.base import UuidModel
from core.models.library import Document
from core.models.masking import MaskedTextField
from core.models.people import User
from core.models.querysets import ContradictionQuerySet


class SourceContradiction(UuidModel):
    """A pair of places, in two documents, that answer one question differently."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        ONE_HOLDS = "one_holds", "one holds"
        BOTH_HOLD = "both_hold", "both hold"
        ASKED = "asked", "owner asked"
        GONE = "gone", "gone"

    class Side(models.TextChoices):
        NEWER = "newer", "the newer one"
        OLDER = "older", "the older one"

    # Which is newer is said by the documents' dates when the pair was found.
    newer = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    newer_version = models.PositiveIntegerField()
    newer_chunk_id = models.UUIDField()
    newer_start = models.PositiveIntegerField(help_text="Of the sentence or row, in characters of its passage.")
    newer_end = models.PositiveIntegerField()
    newer_says_start = models.PositiveIntegerField(help_text="Of the value, in characters of its passage.")
    newer_says_end = models.PositiveIntegerField()
    newer_digest = models.CharField(max_length=64, help_text="SHA-256 of the sentence or row.")
    older = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    older_version = models.PositiveIntegerField()
    older_chunk_id = models.UUIDField()
    older_start = models.PositiveIntegerField(help_text="Of the sentence or row, in characters of its passage.")
    older_end = models.PositiveIntegerField()
    older_says_start = models.PositiveIntegerField(help_text="Of the value, in characters of its passage.")
    older_says_end = models.PositiveIntegerField()
    older_digest = models.CharField(max_length=64, help_text="SHA-256 of the sentence or row.")
    digest = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 of both documents and their words: a pair is found once."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    holds = models.CharField(max_length=5, choices=Side.choices, blank=True, help_text="Empty but where one holds.")
    owner_asked = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", verbose_name="owner who was asked"
    )
    asked_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    found_at = models.DateTimeField(auto_now_add=True)
    gone_at = models.DateTimeField(null=True, blank=True)

    objects = ContradictionQuerySet.as_manager()

    class Meta:
        verbose_name = "contradiction"
        ordering: ClassVar = ["-found_at", "pk"]
        default_permissions = ()  # those below say it: nobody sees a pair of which they may not read both sides
        permissions: ClassVar = [
            ("view_contradictions", "Can see which documents contradict each other, of those that they may read"),
            ("manage_contradictions", "Can decide which of two documents holds, of those that they may read"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(newer=F("older")), name="contradiction_of_two_documents"),
            models.CheckConstraint(
                condition=Q(state="gone") | Q(state="one_holds") & ~Q(holds="") | ~Q(state="one_holds") & Q(holds=""),
                name="contradiction_holds_where_decided",
            ),
            models.CheckConstraint(
                condition=Q(newer_start__lt=F("newer_end")) & Q(older_start__lt=F("older_end")),
                name="contradiction_offsets_in_order",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["-found_at"], name="contradiction_found")]

    def __str__(self) -> str:
        return f"Contradiction of {self.found_at:%Y-%m-%d}"


def _words_of_pair() -> Any:
    """Build the key of a pair's words, which the database deletes with it: Django would see no row to delete."""
    return models.OneToOneField(
        SourceContradiction, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="words"
    )


class ContradictionWords(models.Model):
    """The question that both documents answer, in their own words, and why somebody said that both hold.

    Row-level security shows them to no transaction but one that states an audience which may read both editions, and to
    maintenance. They are deleted when a side is replaced, withdrawn or deleted.
    """

    contradiction = _words_of_pair()
    question = MaskedTextField()
    reason = models.TextField(blank=True, max_length=1000)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"words of {self.contradiction_id}"


class ContradictionLook(models.Model):
    """The edition of a document for which contradictions were last looked for."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, primary_key=True, related_name="+")
    document_version = models.PositiveIntegerField()
    looked_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.document_id}, edition {self.document_version}"
