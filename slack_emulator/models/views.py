"""The modals that are open, and the views at home."""

from typing import ClassVar

from django.db import models

from core.models import User

MOST_VIEWS = 3  # Slack's own: a modal and two above it


class LocalView(models.Model):
    """A modal open before a person in one browser. One pushed onto another lies above it; only the top one is seen."""

    view_id = models.CharField(max_length=32, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="local_views")
    browser = models.CharField(max_length=8, blank=True, help_text="Of several that are the same person.")
    depth = models.PositiveSmallIntegerField(default=0, help_text="How many lie below it.")
    trigger_id = models.CharField(max_length=200, help_text="The trigger that opened it: each opens one view.")
    content = models.JSONField(help_text="The view as the bot gave it.")
    hash = models.CharField(max_length=40, help_text="Changes with every update.")

    class Meta:
        ordering: ClassVar = ["user", "depth"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "browser", "depth"], name="local_view_stack")]

    def __str__(self) -> str:
        return self.view_id


class LocalHome(models.Model):
    """A person's Home tab as Footnote published it."""

    view_id = models.CharField(max_length=32, unique=True)
    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="local_home")
    content = models.JSONField(help_text="The view as the bot gave it.")
    hash = models.CharField(max_length=40, help_text="Changes with every publication.")

    def __str__(self) -> str:
        return self.view_id


def list_views(user: User, browser: str = "") -> list[LocalView]:
    """List the person's open modals in a browser, the one that is seen last."""
    return list(LocalView.objects.filter(user=user, browser=browser).order_by("depth"))
