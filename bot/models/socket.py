"""The sign of life of the connection to Slack."""

from django.db import models
from django.utils import timezone


class SocketHeartbeat(models.Model):
    """The last time that a bot process was reached by Slack over Socket Mode. One row for the whole installation."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    alive_at = models.DateTimeField()

    class Meta:
        verbose_name = "heartbeat of Socket Mode"
        verbose_name_plural = "heartbeat of Socket Mode"

    def __str__(self) -> str:
        return "Socket Mode"

    @classmethod
    def beat(cls) -> None:
        """The connection lives now."""
        cls.objects.update_or_create(id=1, defaults={"alive_at": timezone.now()})
