"""Store the settings of the assistant's methods on a thread."""

import datetime as dt
from typing import ClassVar

from django.db import models
from django.utils import timezone

from slack_emulator.models.messages import LocalChannel

STATUS_LIFETIME = dt.timedelta(minutes=2)  # Slack's own: a status that is not renewed goes away


class LocalAssistantThread(models.Model):
    """A thread with a status, or with questions to start with; or an agent's session, or what is above its threads."""

    channel = models.ForeignKey(LocalChannel, on_delete=models.CASCADE, related_name="+")
    thread_ts = models.CharField(max_length=20)
    status = models.CharField(max_length=200, blank=True, help_text='What follows the app\'s name: "is searching".')
    status_at = models.DateTimeField(null=True)
    prompts = models.JSONField(default=list, help_text="Questions to start with: title and message.")
    prompts_title = models.CharField(max_length=200, blank=True)
    session_status = models.CharField(max_length=10, blank=True, help_text="Of an agent's session; empty without one.")
    session_title = models.CharField(max_length=200, blank=True)
    prompts_ts = models.CharField(max_length=20, blank=True, help_text="When they were set, in Slack's form.")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["channel", "thread_ts"], name="local_assistant_once")]

    def __str__(self) -> str:
        return f"{self.channel_id}/{self.thread_ts}"

    @property
    def current_status(self) -> str:
        """Return the status, unless it has gone away."""
        is_fresh = self.status_at is not None and timezone.now() - self.status_at < STATUS_LIFETIME
        return self.status if is_fresh else ""


def clear_status(channel: LocalChannel, thread_ts: str) -> None:
    """Take the status of a thread away, as a message of the app's in it does."""
    LocalAssistantThread.objects.filter(channel=channel, thread_ts=thread_ts).update(status="")
