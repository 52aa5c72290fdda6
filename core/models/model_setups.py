"""Keep what the admin asked the worker to set up as the model of this machine, and what came of it."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q, Value

from core.models.base import UuidModel
from core.models.people import User


class ModelSetup(UuidModel):
    """One try to fetch an offered model, or to take a file of the server, and to set it up. Nothing admits it."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for the worker"
        FETCHING = "fetching", "fetching"
        CHECKING = "checking", "checking the file"
        LOADING = "loading", "loading it once"
        DONE = "done", "set up"
        STOPPED = "stopped", "cancelled"
        FAILED = "failed", "failed"

    UNDER_WAY = (State.WAITING, State.FETCHING, State.CHECKING, State.LOADING)

    offer = models.CharField(max_length=200, blank=True, help_text="The name of an offered model, or empty.")
    path = models.CharField(max_length=1000, blank=True, help_text="Of a file of the server, or empty.")
    anyway = models.BooleanField(default=False, help_text="Though memory seems too small.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.CharField(max_length=600, blank=True, help_text="Why it failed.")
    done_bytes = models.BigIntegerField(default=0)
    total_bytes = models.BigIntegerField(default=0, help_text="0 until it is known.")
    model = models.CharField(max_length=300, blank=True, help_text="As LLM_MODEL names it; empty until it is set up.")
    sha256 = models.CharField(max_length=64, blank=True)
    seconds_per_answer = models.FloatField(null=True, blank=True, help_text="Measured when it was loaded.")
    is_stopping = models.BooleanField(default=False, help_text="Somebody cancelled it.")
    asked_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When the worker last made progress.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "local model"
        ordering: ClassVar = ["-created_at"]
        default_permissions = ("view",)
        permissions: ClassVar = [
            ("set_up_models", "Can fetch answer models, or take them from files of the server"),
        ]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                Value(1),
                condition=Q(state__in=["waiting", "fetching", "checking", "loading"]),
                name="one_model_setup_under_way",
            ),
            models.CheckConstraint(condition=Q(offer="") ^ Q(path=""), name="model_setup_of_one_thing"),
        ]

    def __str__(self) -> str:
        return f"{self.offer or 'a file'}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_under_way(self) -> bool:
        """True until it has ended in any way."""
        return self.state in self.UNDER_WAY
