"""Programs that people let act for them by signing in, with what each may do and until when."""

from typing import ClassVar
from urllib.parse import urlsplit

from django.contrib.postgres.fields import ArrayField
from django.db import models

from core.models.base import UuidModel
from core.models.people import User
from core.models.token_audiences import WithTokenAudience, one_kind_of_audience
from core.models.tokens import AuthToken


class ConnectedProgram(UuidModel, WithTokenAudience):
    """A person let a program ask in their name, once on the page of consent. Its tokens work while the row is there.

    The tokens are django-oauth-toolkit's, which keeps digests of them; each refresh replaces them within their family.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="programs")
    client_id = models.CharField(
        max_length=255, help_text="The address of the program's own document, or the id with which it registered."
    )
    name = models.CharField(max_length=255, blank=True, help_text="As the program calls itself.")
    scopes = ArrayField(models.CharField(max_length=20, choices=AuthToken.Scope.choices))
    code_digest = models.CharField(
        max_length=64, unique=True, editable=False, help_text="SHA-256 of the code with which it began."
    )
    token_family = models.UUIDField(
        null=True, unique=True, editable=False, help_text="Of its refresh tokens; empty until the code was redeemed."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(help_text="After which the program asks the person again.")
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = "connected program"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["ask", "reports", "ingest", "grant"], scopes__len__gt=0),
                name="program_scopes_known",
            ),
            one_kind_of_audience("program_for_one_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.name or 'A program'} ({self.host or 'registered here'})"

    @property
    def host(self) -> str:
        """The host of the program's own document; empty for one that registered."""
        return (urlsplit(self.client_id).hostname or "") if self.client_id.startswith("https://") else ""
