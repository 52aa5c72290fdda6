"""Tokens with which programs act as people."""

import datetime as dt
from ipaddress import ip_address, ip_network
from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken, get_digest_token
from knox.settings import CONSTANTS, knox_settings

from core.models.base import UuidModel
from core.models.people import User
from core.models.token_audiences import WithTokenAudience, one_kind_of_audience


def check_network(value: str) -> None:
    """ValidationError unless this is an address or a network of IPv4 or IPv6, such as 192.0.2.0/24."""
    try:
        ip_network(value)
    except ValueError as error:
        raise ValidationError(f"{value!r} is not a network. Write it like 192.0.2.7 or 192.0.2.0/24.") from error


def read_only() -> list[str]:
    """Return the scopes of a token that is given no others."""
    return [AuthToken.Scope.ASK.value]


class AuthTokens(models.Manager["AuthToken"]):
    """Makes tokens."""

    def create(  # type: ignore[override]  # as knox has it
        self, user: User, expiry: dt.timedelta | None = None, **fields: Any
    ) -> tuple["AuthToken", str]:
        """Make a token for a person. Returns its row and the token itself, which is stored nowhere.

        expiry: how long it works; None: as long as REST_TOKEN_DAYS says.
        """
        digest, token = get_digest_token()
        lifetime = knox_settings.TOKEN_TTL if expiry is None else expiry
        row = super().create(
            user=user,
            digest=digest,
            token_key=token[: CONSTANTS.TOKEN_KEY_LENGTH],
            expiry=timezone.now() + lifetime,
            **fields,
        )
        return row, str(token)


class AuthToken(UuidModel, WithTokenAudience, AbstractAuthToken):
    """A token of a person's: what a program with it may do, from where, and for whom. Of the token a digest is kept.

    One that asks for others besides its person may only ask: what it cannot be given for them all, it is refused.
    """

    class Scope(models.TextChoices):
        ASK = "ask", "ask, search and read the person's own records"
        REPORTS = "reports", "read reports, and the figures of everyone whom the person may see"
        INGEST = "ingest", "put documents into the library, and delete them"
        GRANT = "grant", "see and change roles, their members and grants"

    digest = models.CharField(max_length=128, unique=True, editable=False)
    name = models.CharField(
        max_length=100, blank=True, help_text="What the token is for, such as the program that uses it."
    )
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope.choices), default=read_only)
    networks = ArrayField(
        models.CharField(max_length=43, validators=[check_network]),
        default=list,
        blank=True,
        help_text="Addresses and networks from which it works. Empty: from anywhere.",
    )
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    objects = AuthTokens()

    class Meta:
        verbose_name = "REST token"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["ask", "reports", "ingest", "grant"], scopes__len__gt=0),
                name="token_scopes_known",
            ),
            one_kind_of_audience("token_for_one_kind"),
            models.CheckConstraint(
                condition=models.Q(for_people=[], for_channel="") | models.Q(scopes=["ask"]),
                name="token_for_others_only_asks",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.token_key}…"

    def works_from(self, address: str | None) -> bool:
        """Return True if the token may be used from this address. None, an unknown address, is in no network."""
        if not self.networks:
            return True
        if address is None:
            return False
        come_from = ip_address(address)
        return any(come_from in ip_network(network) for network in self.networks)
