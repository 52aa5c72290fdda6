"""Choose the questions of a check: those that people asked in the last month, and some that the library answers."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from core.access.audiences import audience_of
from core.asking.answering.preparation import Asking
from core.asking.dry_runs.choosing import choose_asked, find_liked
from core.asking.dry_runs.replay import Logged
from core.errors import FootnoteError
from core.models import Query
from core.quality.change_checks.kinds.change import Change
from core.quality.examination import questions as examination
from core.types import Audience
from core.values.change_checks import AskedFor

_DAYS = dt.timedelta(days=31)
_OF_PEOPLE = 2  # one in so many questions, where there are enough of either


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question of a check: a person's, or one of the library's own. One of query and library is set."""

    query: Query | None = None
    library: examination.Question | None = None
    is_liked: bool = False  # its answer was voted up, and never down

    @property
    def asked_for(self) -> AskedFor:
        """Return where it comes from."""
        return AskedFor.PERSON if self.query else AskedFor.LIBRARY

    @property
    def person(self) -> UUID | None:
        """Return who asked it."""
        return self.query.user_id if self.query else None

    @property
    def role(self) -> UUID | None:
        """Return the role as whose member the library's question is asked."""
        if self.library is None:
            return None
        [roles] = self.library.audience.role_sets
        return next(iter(roles))

    def find_audience(self) -> Audience:
        """Return its readers by the roles that they have now."""
        return self.library.audience if self.library else audience_of([self.person])

    def build(self) -> Asking:
        """Build what is asked, by the rights of this moment."""
        audience = self.find_audience()
        if self.library:
            return Asking(text=self.library.text, audience=audience, standing_alone=self.library.text)
        if self.query is None:
            raise ValueError("a question is a person's or the library's")
        return Logged.of(self.query.request_id).ask_again(audience)


def choose_questions(change: Change, most: int) -> Sequence[Question]:
    """Return at most so many questions whose answers the change could touch, people's first."""
    since = timezone.now() - _DAYS
    asked = choose_asked(most, since=since, among=change.narrow_people())
    liked = set(find_liked().filter(pk__in=[query.pk for query in asked]).values_list("pk", flat=True))
    of_people = [Question(query=query, is_liked=query.pk in liked) for query in asked if _can_be_asked(query)]
    of_library = list(_write_of_library(change, most - min(len(of_people), most // _OF_PEOPLE)))
    return [*of_people[: most - len(of_library)], *of_library]


def _write_of_library(change: Change, most: int) -> Iterator[Question]:
    for question in examination.write_of_library(most, roles=change.find_roles()):
        yield Question(library=question)


def _can_be_asked(query: Query) -> bool:
    """Return False where parts of the question are missing, so that it cannot be asked again."""
    try:
        Logged.of(query.request_id)
    except FootnoteError:
        return False
    return True
