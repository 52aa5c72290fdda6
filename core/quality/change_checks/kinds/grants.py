"""Try and make grants of many documents at once."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

import numpy as np
from django.db.models import Q
from django.utils import timezone

from core.access.audiences import may_decide_who_reads
from core.access.changes import GrantChange, apply_change, find_effect, limit_to_what_changes
from core.models import ChangeCheck, Chunk, Query, User, UserRole
from core.models.row_security import bypass_row_security
from core.quality.change_checks.kinds.change import Change, ChangeNotPossibleError
from core.quality.change_checks.kinds.nearness import measure_nearness

_MOST_PASSAGES = 20_000  # of what is given, to which questions are compared


@dataclass(frozen=True, kw_only=True, slots=True)
class Grants(Change):
    """Grants that are given to roles, or taken from them."""

    asked: GrantChange
    until: dt.datetime | None = None  # when what is given ends by itself

    @classmethod
    def load(cls, check: ChangeCheck) -> Self:
        """Return what a check keeps, as far as it is not so already."""
        kept = check.change
        documents = {UUID(role): [UUID(pk) for pk in chosen] for role, chosen in kept["documents"].items()}
        until = dt.datetime.fromisoformat(kept["until"]) if kept["until"] else None
        return cls(asked=limit_to_what_changes(kept["gives"], documents), until=until)

    def as_json(self) -> dict[str, Any]:
        """Return what a check keeps: ids alone."""
        return {
            "gives": self.asked.gives,
            "documents": {str(role): sorted(map(str, chosen)) for role, chosen in self.asked.documents.items()},
            "until": self.until.isoformat() if self.until else None,
        }

    def enter(self) -> None:
        """Give or take the grants."""
        apply_change(self.asked, by=None, until=self.until)

    def make(self, *, by: User | None) -> None:
        """Give or take the grants for good; by whoever still decides who reads."""
        if by is None or not self.may_be_made_by(by):
            raise ChangeNotPossibleError("Who asked for it may not decide any more who reads.")
        if self.until is not None and self.until <= timezone.now():
            raise ChangeNotPossibleError("The last day of these grants is over.")
        apply_change(self.asked, by=by, until=self.until)

    def may_be_made_by(self, person: User) -> bool:
        """Return True for whoever decides who reads."""
        return person.is_active and may_decide_who_reads(person)

    def narrow_people(self) -> Q:
        """Return those who hold one of the roles."""
        return Q(user__in=UserRole.objects.filter(role__in=[*self.asked.documents]).values("user"))

    def find_stand_ins(self) -> Mapping[UUID, UUID]:
        """Return a person who gains or loses documents by the change, for each role of which there is one."""
        people = find_effect(self.asked).people
        held = UserRole.objects.filter(role__in=[*self.asked.documents], user__in=[*people]).order_by("-user")
        return dict(held.values_list("role_id", "user_id"))

    def list_touched(self) -> frozenset[UUID]:
        """Return the documents that somebody gains or loses."""
        return self.asked.all_documents

    def prefer(self, asked: Sequence[Query], cited: set[UUID]) -> Sequence[Query]:
        """Return first, of what is taken, the questions that it answered; of what is given, those nearest to it.

        New documents can answer what was asked in vain, and crowd out or contradict what answered before.
        """
        if not self.asked.gives:
            return Change.prefer(self, asked, cited)
        passages = Chunk.objects.filter(document__in=self.asked.all_documents).order_by("pk")[:_MOST_PASSAGES]
        with bypass_row_security():
            vectors = [np.asarray([vector]) for vector in passages.values_list("embedding", flat=True)]
        near = measure_nearness(asked, vectors)
        return sorted(asked, key=lambda query: -near[query.pk])

    def count_documents(self) -> int:
        """Return how many documents somebody gains or loses."""
        return len(self.asked.all_documents)

    def measure_effect(self) -> Mapping[str, int]:
        """Count the people who gain or lose documents, and the channels that answer by one of the roles."""
        effect = find_effect(self.asked)
        return {"people": len(effect.people), "grants": self.asked.grants, "channels": len(effect.channels)}
