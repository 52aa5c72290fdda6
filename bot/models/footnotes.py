"""Store the notices about answers whose sources have changed."""

from typing import ClassVar

from django.db import models

from bot.models.delivery import Reply
from core.models import FootnoteChange
from core.models.base import UuidModel


class FootnoteNotice(UuidModel):
    """The one message that tells of a changed source of an answer. It holds no text."""

    change = models.OneToOneField(FootnoteChange, on_delete=models.CASCADE, related_name="+")
    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="+", help_text="The answer it tells of.")
    channel_id = models.CharField(max_length=32, blank=True, help_text="Empty until direct messages are opened.")
    thread_ts = models.CharField(max_length=32, blank=True)
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"notice of {self.change_id}"
