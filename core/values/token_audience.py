"""For whom a program asks: a value without behaviour, kept with tokens and conversations."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenAudience:
    """For whom a program asks besides its token's person, as the token was made: people, or a Slack channel's readers.

    Empty: for the person alone. `core.access.token_audiences` says what all of them may read.
    """

    people: frozenset[UUID] = frozenset()  # ids of people, who may be gone by now
    team_id: str = ""  # Slack's, with channel_id
    channel_id: str = ""

    def __bool__(self) -> bool:
        """Return True if somebody is named besides the token's person."""
        return bool(self.people or self.team_id or self.channel_id)
