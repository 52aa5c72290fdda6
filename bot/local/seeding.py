"""Furnishing the workspace that the local page plays."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from bot.local.accounts import direct_channel
from bot.local.models import LocalChannel
from core.errors import NotFoundError
from core.models import User


@dataclass(frozen=True, kw_only=True, slots=True)
class SeedChannel:
    """A channel to be there."""

    name: str  # lower case, without "#"; it gives the channel its id: "general" is CGENERAL
    members: Sequence[str]  # e-mail addresses of users
    topic: str = ""
    is_private: bool = False
    suggestions: Sequence[str] = ()  # questions a newcomer may start with, without the mention


@transaction.atomic
def seed_workspace(
    channels: Iterable[SeedChannel], *, direct_suggestions: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Make the channels exist with exactly these members; other channels and all messages stay as they are.

    direct_suggestions: questions for the direct messages with Footnote, by a person's e-mail address.
    NotFoundError names an e-mail address that no user has.
    """
    for seed in channels:
        channel, _ = LocalChannel.objects.update_or_create(
            channel_id=channel_id_of(seed.name),
            defaults={
                "name": seed.name,
                "topic": seed.topic,
                "is_private": seed.is_private,
                "suggestions": list(seed.suggestions),
            },
        )
        channel.members.set([_user(email) for email in seed.members])
    for email, suggestions in (direct_suggestions or {}).items():
        channel = direct_channel(_user(email))
        channel.suggestions = list(suggestions)
        channel.save(update_fields=["suggestions"])


def channel_id_of(name: str) -> str:
    """The id of the channel of that name."""
    return "C" + re.sub(r"[^A-Z0-9]", "", name.upper())


def _user(email: str) -> User:
    user = User.objects.filter(email=email.strip().casefold()).first()
    if user is None:
        raise NotFoundError(f"No user has the e-mail address {email}: create the person before the channel.")
    return user
