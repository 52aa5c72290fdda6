"""The messages that show researches: a plan first, then how far it is, then what came of it."""

from typing import Any
from uuid import UUID

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from bot.models.delivery import Reply
from core.infrastructure import queue
from core.models import Research
from core.models.base import UuidModel
from core.values.research import MOST_MINUTES, Budget


class ResearchMessage(UuidModel):
    """A research that was asked for in Slack. The reply to that is the one message that shows it."""

    reply = models.OneToOneField(Reply, on_delete=models.CASCADE, related_name="research_message")
    research = models.ForeignKey(
        Research, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty: it was deleted."
    )
    most_minutes = models.PositiveSmallIntegerField(
        default=Budget().most_minutes,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_MINUTES)],
        help_text="The limits with which it is started.",
    )
    most_usd = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    canvas_id = models.CharField(max_length=32, blank=True, help_text="Slack's id of the canvas with its page.")
    canvas_problem = models.CharField(
        max_length=60, blank=True, help_text="Slack's code, where it did not take the canvas that was wished last."
    )

    def __str__(self) -> str:
        return f"message of research {self.research_id}"

    @property
    def budget(self) -> Budget:
        """The limits with which it is started."""
        return Budget(most_minutes=self.most_minutes, most_usd=self.most_usd)


def show_moved(*, research_id: UUID, **_: Any) -> None:
    """Queue that the message of a research shows it as it is now: once for all that happens within a second."""
    for pk in ResearchMessage.objects.filter(research=research_id).values_list("pk", flat=True):
        queue.show_research(pk, delay_s=1)


def show_deleted(*, instance: Research, **_: Any) -> None:
    """Queue, in the transaction in which a research is deleted, that its message shows nothing of it any more."""
    show_moved(research_id=instance.pk)
