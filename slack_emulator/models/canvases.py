"""Canvases that Footnote made."""

from django.db import models

from core.models import User


class LocalCanvas(models.Model):
    """A canvas, and the people with whom it was shared."""

    canvas_id = models.CharField(max_length=32, unique=True)
    title = models.CharField(max_length=255, blank=True)
    markdown = models.TextField(blank=True)
    shared_with = models.ManyToManyField(User, related_name="+")

    def __str__(self) -> str:
        return self.canvas_id
