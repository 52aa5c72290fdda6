"""Record how changes of documents affect given answers. Ids and states alone: texts are in Query and Answer."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.models.base import UuidModel
from core.models.conversations import Answer, Query


class SourceChange(UuidModel):
    """A change of a document, for which the answers that quote it were checked."""

    class Kind(models.TextChoices):
        REPLACED = "replaced", "replaced by a new edition"
        WITHDRAWN = "withdrawn", "taken from all its readers"
        DELETED = "deleted"

    document_id = models.UUIDField(help_text="The document may be gone.")
    version = models.PositiveIntegerField(help_text="Of the document, once it had changed.")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    last_readers = ArrayField(
        models.UUIDField(),
        default=list,
        blank=True,
        help_text="The roles that could read a document until it was withdrawn or deleted: they alone are told.",
    )
    answers = models.PositiveIntegerField(default=0, help_text="Answers of the period that stood on its words.")
    checked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-checked_at"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document_id", "version", "kind"], name="one_source_change_per_edition")
        ]
        indexes: ClassVar = [models.Index(fields=["-checked_at"], name="source_change_checked")]

    def __str__(self) -> str:
        return f"version {self.version} of {self.document_id}"

    @property
    def is_gone(self) -> bool:
        """True if nothing is left that anybody could read."""
        return self.kind != self.Kind.REPLACED


class FootnoteChange(UuidModel):
    """An answer whose quote no longer occurs in its document, and the outcome."""

    class State(models.TextChoices):
        FOUND = "found"
        QUEUED = "queued", "to be told"
        TOLD = "told"
        SILENT = "silent", "not told"

    class Verdict(models.TextChoices):
        HOLDS = "holds", "the answer still holds"
        SAYS_OTHERWISE = "says_otherwise", "the documents say something else"
        NOT_FOUND = "not_found", "nothing is found any more"

    class Silence(models.TextChoices):
        ELSEWHERE = "elsewhere", "it was not asked in Slack"
        NOT_DELIVERED = "not_delivered", "the answer was not posted"
        NOT_READABLE = "not_readable", "somebody there may not read the source"
        TURNED_OFF = "turned_off", "turned off in the channel"
        OVER_LIMIT = "over_limit", "more than are told at once"
        ERASED = "erased", "the question was erased"
        FAILED = "failed", "it could not be posted"

    source_change = models.ForeignKey(SourceChange, on_delete=models.CASCADE, related_name="changes")
    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="footnote_changes")
    state = models.CharField(max_length=10, choices=State.choices, default=State.FOUND)
    verdict = models.CharField(
        max_length=20, choices=Verdict.choices, blank=True, help_text="Empty while the question was not asked again."
    )
    silence = models.CharField(max_length=20, choices=Silence.choices, blank=True, help_text="Why it was not told.")
    asked_again = models.ForeignKey(
        Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="asked_again_for"
    )
    queued_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source_change", "answer"], name="one_footnote_change_per_answer")
        ]
        indexes: ClassVar = [models.Index(fields=["queued_at"], name="footnote_change_queued")]

    def __str__(self) -> str:
        return f"change under {self.answer_id}"
