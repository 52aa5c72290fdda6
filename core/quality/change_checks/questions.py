"""Choose the questions of a check: those that people asked in the last month, and some that the library answers."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
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
# The share of questions that are people's, where there are enough of either; more where the change touches as many.
_OF_PEOPLE, _MOST_OF_PEOPLE = 1 / 2, 3 / 4
_CONSIDERED = 500  # questions of people, among which those are chosen that the change is most likely to touch


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question of a check: a person's, or one of the library's own. One of query and library is set."""

    query: Query | None = None
    library: examination.Question | None = None
    stand_in: UUID | None = None  # the person as whom the library's question is asked; None: as its role alone
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
        if self.library and self.stand_in is None:
            return self.library.audience
        return audience_of([self.stand_in or self.person])

    def build(self) -> Asking:
        """Build what is asked, by the rights of this moment."""
        audience = self.find_audience()
        if self.library:
            return Asking(text=self.library.text, audience=audience, standing_alone=self.library.text)
        if self.query is None:
            raise ValueError("a question is a person's or the library's")
        return Logged.of(self.query.request_id).ask_again(audience)


def choose_questions(change: Change, most: int) -> Sequence[Question]:
    """Return at most so many questions, people's first: those that the change is most likely to touch."""
    since = timezone.now() - _DAYS
    asked = choose_asked(_CONSIDERED, since=since, among=change.narrow_people())
    cited = change.find_citing(asked)
    of_people = list(islice((query for query in change.prefer(asked, cited) if _can_be_asked(query)), most))
    share = min(max(round(most * _OF_PEOPLE), len(cited)), round(most * _MOST_OF_PEOPLE), len(of_people))
    stand_ins = change.find_stand_ins()
    roles = None if stand_ins is None else frozenset(stand_ins)
    written = examination.write_of_library(most - share, roles=roles, first=change.list_touched())
    of_library = [Question(library=library) for library in written]
    if stand_ins is not None:
        of_library = [replace(one, stand_in=stand_ins[one.role]) for one in of_library if one.role]
    liked = set(find_liked().filter(pk__in=[query.pk for query in of_people]).values_list("pk", flat=True))
    return [
        *(Question(query=query, is_liked=query.pk in liked) for query in of_people[: most - len(of_library)]),
        *of_library,
    ]


def _can_be_asked(query: Query) -> bool:
    """Return False where parts of the question are missing, so that it cannot be asked again."""
    try:
        Logged.of(query.request_id)
    except FootnoteError:
        return False
    return True
