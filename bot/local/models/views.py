"""The modals that are open."""

from django.db import models

from core.models import User


class LocalView(models.Model):
    """The modal that is open before a person."""

    view_id = models.CharField(max_length=32, unique=True)
    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="local_view")
    trigger_id = models.CharField(max_length=200, help_text="The trigger that opened it: each opens one view.")
    content = models.JSONField(help_text="The view as the bot gave it.")
    hash = models.CharField(max_length=40, help_text="Changes with every update.")

    def __str__(self) -> str:
        return self.view_id
