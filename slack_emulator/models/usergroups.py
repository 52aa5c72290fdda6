"""Groups of people that a message can name."""

from typing import ClassVar

from django.db import models

from core.models import User


class LocalUsergroup(models.Model):
    """A usergroup of the workspace."""

    usergroup_id = models.CharField(max_length=32, unique=True)
    handle = models.CharField(max_length=80, unique=True, help_text='What follows the @, such as "safety".')
    name = models.CharField(max_length=80)
    members = models.ManyToManyField(User, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["handle"]

    def __str__(self) -> str:
        return self.usergroup_id
