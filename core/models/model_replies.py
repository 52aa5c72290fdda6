"""Replies of models that are given again to the same audience, as long as the library is the same."""

import datetime as dt
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone


class ModelReplies(models.Manager["ModelReply"]):
    """Keeps replies, and lets them go."""

    def find(self, key: str, *, since: dt.datetime) -> dict[str, Any] | None:
        """The reply under a key that was kept since then."""
        found: dict[str, Any] | None = (
            self.filter(key=key, created_at__gte=since).values_list("reply", flat=True).first()
        )
        return found

    def keep(self, key: str, version: str, reply: dict[str, Any]) -> None:
        """Keep a reply; one that is there is replaced, and is as young as the new one."""
        values = {"version": version, "reply": reply, "created_at": timezone.now()}
        self.update_or_create(key=key, defaults=values)

    def forget(self, *, before: dt.datetime, version: str, most: int) -> int:
        """Delete what is older, what belongs to another state of the library, and beyond `most` the oldest.

        Returns how many were deleted.
        """
        old, _ = self.exclude(version=version, created_at__gte=before).delete()
        surplus = self.order_by("-created_at").values_list("pk", flat=True)[most:]
        many, _ = self.filter(pk__in=list(surplus)).delete()
        return old + many


class ModelReply(models.Model):
    """A model's reply to one request, for one audience and one state of the library: the key is a hash over all.

    It may hold words of documents and questions. The table is not logged: it is in no archive of the database's log
    and on no replica, and after a crash it is empty. Each change of chunks or grants empties it in its transaction.
    """

    key = models.CharField(max_length=64, primary_key=True)
    version = models.CharField(max_length=64, help_text="A hash of the state of the library and its grants.")
    reply = models.JSONField()
    created_at = models.DateTimeField(db_index=True)

    objects = ModelReplies()

    class Meta:
        verbose_name_plural = "model replies"
        default_permissions: ClassVar = ()

    def __str__(self) -> str:
        return self.key[:8]
