"""Build audiences for programs: the person's own access, and that of everybody for whom the token asks."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Q

from core.access.audiences import asker_for, audience_of
from core.models import SlackChannel, User
from core.models.token_audiences import columns_of
from core.serialization import AudienceJson
from core.signals import ChannelReaders, channel_readers_asked
from core.types import Asker, Audience, Filters
from core.values.token_audience import TokenAudience

SOMEBODY_GONE = (
    "This token asks for several people, and one of them is not active any more. So nothing can be shown. "
    "Ask an administrator for another token."
)
CHANNEL_UNKNOWN = (
    "This token asks for a Slack channel, and who reads that channel cannot be told now. So nothing can be shown."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Readers:
    """Everyone who is shown what a program asks for, as they are at this moment."""

    asks_for: TokenAudience
    audience: Audience
    label: str = ""  # of the channel, or how many people there are besides the token's person
    problem: str = ""  # why nothing can be shown to them, in words for the person; "" where there is no such reason
    collections: tuple[str, ...] = ()  # to which the channel's answers are narrowed; none: to nothing

    def narrow(self, filters: Filters) -> Filters:
        """Return filters narrowed to the collections that an administrator has set for the channel."""
        return replace(filters, collections=self.collections) if self.collections else filters

    def as_json(self) -> AudienceJson:
        """Return the audience that a program is given this for."""
        kind = "channel" if self.asks_for.channel_id else "people" if self.asks_for else "person"
        return {"kind": kind, "label": self.label or None, "problem": self.problem or None}


def asker_on_behalf(person: User, asks_for: TokenAudience) -> Asker:
    """Return the asker that a person's program is when it asks for others besides them."""
    return replace(asker_for(person), asks_for=asks_for)


def asked_for(asks_for: TokenAudience, conversation: str = "conversation") -> Q:
    """Return the condition on rows about a person's questions that a program of theirs may be shown.

    The person alone is shown all that they asked themselves. Others are shown what was asked for the very same others:
    a question's own words, and what was selected, are nobody else's to read.

    conversation: the path to the question's conversation.
    """
    if not asks_for:
        return Q()
    return Q(**{f"{conversation}__{name}": value for name, value in columns_of(asks_for).items()})


def find_readers(person_id: UUID, asks_for: TokenAudience) -> Readers:
    """Return who is shown what a person's program asks for: the person, and everyone for whom it asks.

    Call it anew for each request. Where anybody of them is not active or unknown, or the readers of the channel are
    unknown, the audience is nobody's.
    """
    if asks_for.team_id or asks_for.channel_id:
        return _find_channel_readers(person_id, asks_for)
    if not asks_for:
        return Readers(asks_for=asks_for, audience=audience_of([person_id]))
    everyone = asks_for.people | {person_id}
    are_active = User.objects.filter(pk__in=everyone, is_active=True).count() == len(everyone)
    return Readers(
        asks_for=asks_for,
        audience=audience_of(everyone) if are_active else Audience.nobody(),
        label=str(len(asks_for.people - {person_id})),
        problem="" if are_active else SOMEBODY_GONE,
    )


def _find_channel_readers(person_id: UUID, asks_for: TokenAudience) -> Readers:
    answers: list[tuple[Any, Any]] = channel_readers_asked.send(
        sender=find_readers, team_id=asks_for.team_id, channel_id=asks_for.channel_id
    )
    told: ChannelReaders = next((answer for _, answer in answers), ChannelReaders(is_known=False))
    readers = Readers(
        asks_for=asks_for, audience=Audience.nobody(), label=name_channel(asks_for), collections=told.collections
    )
    if not told.is_known:
        return replace(readers, problem=CHANNEL_UNKNOWN)
    # The person reads what their program is given, whether they are in the channel or not.
    own = audience_of([person_id])
    return replace(readers, audience=Audience.of([*told.audience.role_sets, *own.role_sets]))


def name_channel(asks_for: TokenAudience) -> str:
    """Return a channel's name where everybody in the workspace may know it, else its id; empty where there is none."""
    if not asks_for.channel_id:
        return ""
    row = SlackChannel.objects.filter(
        team_id=asks_for.team_id, channel_id=asks_for.channel_id, is_private=False
    ).first()
    return str(row) if row else asks_for.channel_id
