"""Messages with links to documents, and what was shown below them."""

from typing import ClassVar

from django.db import models

from core.models.base import UuidModel


class Unfurl(UuidModel):
    """The links of one message that lead to documents here, which Slack asked to have shown below it.

    Slack keeps one preview for each link of a message: a repeated call changes it, and adds none.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SHOWN = "shown"
        SILENT = "silent", "nothing shown"  # somebody there may not read it, or there is no such document
        FAILED = "failed"

    event_id = models.CharField(max_length=200, unique=True)
    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    user_id = models.CharField("Slack user", max_length=32)
    message_ts = models.CharField(max_length=32, help_text="Slack's id of the message with the links.")
    urls = models.JSONField(default=list, help_text="The links as they were posted; erased at the end.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"links of {self.channel_id}/{self.message_ts}"
