"""Files that were shared with the bot, and what became of the offer to ingest them."""

from typing import ClassVar

from django.db import models

from core.models import Collection, IngestionJob, Role
from core.models.base import UuidModel


class Upload(UuidModel):
    """The files of one message, which its author may have ingested. Their bytes stay in Slack until then."""

    class State(models.TextChoices):
        RECEIVED = "received"
        OFFERED = "offered"
        DECLINED = "declined"
        ACCEPTED = "accepted"
        INGESTING = "ingesting"
        DONE = "done"
        REFUSED = "refused"  # not by this person, not here, or no file that can be read
        FAILED = "failed"

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    user_id = models.CharField("Slack user", max_length=32)
    ts = models.CharField(max_length=32, help_text="Slack's id of the message with the files.")
    thread_ts = models.CharField(max_length=32)
    files = models.JSONField(help_text="For each file: its Slack id, name, size in bytes, and what is wrong with it.")
    message_ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of our message about them.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    collection = models.ForeignKey(Collection, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    roles = models.ManyToManyField(Role, blank=True, related_name="+")
    job = models.OneToOneField(IngestionJob, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "channel_id", "ts"], name="one_upload_per_message")
        ]

    def __str__(self) -> str:
        return f"Files of {self.channel_id}/{self.ts}"
