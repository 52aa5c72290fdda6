"""A week of risks as a digest shows it: figures, and names of what is read. Pure."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from core.values.oversharing import Level, RiskKind


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedRisk:
    """Holds an open risk as a digest names it."""

    name: str  # a title, or another name, as on its page
    kind: RiskKind
    people: int
    address: str  # of its page; empty where PUBLIC_URL is not set


@dataclass(frozen=True, kw_only=True, slots=True)
class RiskWeek:
    """Holds a week's risks for one person."""

    since: dt.date
    until: dt.date  # the last day, included
    opened: int  # in the week, also those that are over by now
    narrowed: int  # in the week
    accepted: int
    by_level: Mapping[Level, int]  # of those that are open now
    highest: tuple[NamedRisk, ...]  # open ones, the highest first
    settings_address: str  # where the person turns the digest off; empty where PUBLIC_URL is not set

    @property
    def is_empty(self) -> bool:
        """Return True if there is nothing to send: nothing was opened, and nothing of level high is open."""
        return not self.opened and not self.by_level.get(Level.HIGH)
