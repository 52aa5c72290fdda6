"""Files that people shared."""

import secrets
from typing import ClassVar

from django.db import models

from core.models import User
from core.values.sizes import MEGABYTE
from slack_emulator.models.messages import LocalMessage

LARGEST_FILE = 20 * MEGABYTE  # bytes; the page is for trying things out


class FileManager(models.Manager["LocalFile"]):
    """Leaves the content in the database until it is asked for: lists of messages do not need it."""

    def get_queryset(self) -> models.QuerySet["LocalFile"]:
        """Files without their content."""
        return super().get_queryset().defer("content")


class LocalFile(models.Model):
    """A file shared with a message. Its content is in the database: it goes when its message goes."""

    file_id = models.CharField(max_length=32, unique=True)
    message = models.ForeignKey(LocalMessage, on_delete=models.CASCADE, related_name="files")
    uploader = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=255)
    mimetype = models.CharField(max_length=100)
    size = models.PositiveIntegerField(help_text="In bytes.")
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = FileManager()

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.file_id


def add_file(message: LocalMessage, uploader: User, *, name: str, mimetype: str, content: bytes) -> LocalFile:
    """Store a file that came with a person's message."""
    return LocalFile.objects.create(
        file_id=f"F{secrets.token_hex(5).upper()}",
        message=message,
        uploader=uploader,
        name=name,
        mimetype=mimetype,
        size=len(content),
        content=content,
    )
