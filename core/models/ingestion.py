"""Ingestion jobs: what was handed in, how far it is, and what went wrong with which file."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.models.base import UuidModel
from core.models.library import Collection, Document
from core.models.people import Role, User


class IngestionJob(UuidModel):
    """A batch of files and addresses that somebody handed in."""

    class State(models.TextChoices):
        QUEUED = "queued"
        HELD = "held", "checked before it is live"
        RUNNING = "running"
        DONE = "done"
        PARTLY_FAILED = "partly_failed", "partly failed"
        FAILED = "failed"

    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="ingestion_jobs")
    document_type = models.CharField(max_length=20, choices=Document.Type.choices, blank=True)
    roles = models.ManyToManyField(
        Role, blank=True, related_name="+", help_text="Roles that are granted every document of this job."
    )
    decides_readers = models.BooleanField(
        default=False,
        editable=False,
        help_text="Whether the person who submitted the job could decide who reads documents at that time.",
    )
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "upload"
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"Upload of {self.created_at:%Y-%m-%d %H:%M}"


class IngestionFile(UuidModel):
    """One file or address of a job. Its bytes are kept until they are ingested, so that a retry needs no upload."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    job = models.ForeignKey(IngestionJob, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=1000, help_text="File name or address.")
    content = models.BinaryField(null=True, blank=True, editable=False)
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    error = models.CharField(max_length=500, blank=True)
    error_documents = ArrayField(
        models.UUIDField(), default=list, blank=True, editable=False, help_text="The documents that the error names."
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_by = models.BigIntegerField(
        null=True, blank=True, editable=False, help_text="The job of the queue that works on it, while it is running."
    )
    document_count = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    replaced = ArrayField(
        models.UUIDField(), default=list, blank=True, help_text="The documents that were replaced, by id."
    )
    languages = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="How many of its documents are in which language, by its English name; null where it is not known.",
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["job", "name"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["job", "name"], name="one_file_per_name_and_job")]
        indexes: ClassVar = [models.Index(fields=["job", "state"], name="ingestion_file_state")]

    def __str__(self) -> str:
        return self.name
