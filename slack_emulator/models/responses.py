"""The addresses at which the bot may answer a command or a press."""

import datetime as dt
import secrets

from django.db import models
from django.utils import timezone

from core.models import User
from slack_emulator.models.messages import LocalChannel, LocalMessage

# Slack's own: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
MOST_USES = 5
LIFETIME = dt.timedelta(minutes=30)


class ResponseAddress(models.Model):
    """One response_url: who knows its token may answer a person where they ran a command or pressed something."""

    token = models.CharField(max_length=64, unique=True)
    channel = models.ForeignKey(LocalChannel, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    message = models.ForeignKey(
        LocalMessage,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="What was pressed, and may be replaced. A command has none: Slack replaces nothing there.",
    )
    uses = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"response address {self.pk}"

    @property
    def is_expired(self) -> bool:
        """Return True if it is too old to be used."""
        return timezone.now() - self.created_at > LIFETIME


def create_response_address(
    person: User, channel: LocalChannel, message: LocalMessage | None = None
) -> ResponseAddress:
    """Create an address that nobody can guess. message: what was pressed."""
    return ResponseAddress.objects.create(
        token=secrets.token_urlsafe(32), channel=channel, person=person, message=message
    )
