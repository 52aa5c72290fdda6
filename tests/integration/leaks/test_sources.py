"""Whatever a data source says in whatever order: no role reads a word that the source did not give it.

A role may read a word that the source held while it gave the document to one of the role's groups, as long as it gives
it to such a group by what it told last. A role also reads what somebody granted it by hand, while the document is
there. What is gone, for which no group is told, or whose groups are mapped to no role, nobody reads.
"""

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import example, given
from hypothesis import strategies as st

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import grant
from core.errors import SourceError, UnreadableFileError
from core.ingestion.jobs import sandbox_from_settings
from core.models import (
    Chunk,
    Collection,
    CollectionRole,
    DataSource,
    Document,
    Query,
    Role,
    SourceGroup,
    User,
    UserRole,
)
from core.models.row_security import as_audience
from core.sync import ingesting, kinds
from core.sync.readers import apply_to_all
from core.sync.runs import start, stop
from core.sync.slices import work
from tests.integration.leaks.doors import by_citation, by_list, by_quotes, by_result, said_by
from tests.integration.leaks.worlds import tried
from tests.integration.sync import scripted
from tests.integration.sync.scripted import Held, KilledError, Shelf
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")

KEYS = ("a.md", "b.md", "c.jsonl")
GROUPS = ("crew", "board", "guests")
DOORS = (by_result, by_quotes, by_citation, by_list)

Content = tuple[int, frozenset[str] | None]  # a text by its number, and groups


@dataclass(frozen=True, slots=True)
class Step:
    """The source becomes so, or somebody here does something; then it is asked, unless it does not answer."""

    held: dict[str, Content]  # by key
    mapped: frozenset[int]  # numbers of groups that stand for the role of their number from now on
    by_hand: tuple[int, str] | None  # a role that is granted the document of a key
    answers: bool
    unreadable: frozenset[str]
    meanwhile: tuple[str, str, Content] | None = None  # at which step of the run which key becomes what
    ends: str = ""  # where the run is stopped or killed: after its "listing", or at the key that it loads


def steps() -> st.SearchStrategy[Step]:
    """Steps in which little is the same as before."""
    groups = st.one_of(st.none(), st.frozensets(st.sampled_from(GROUPS)))
    content = st.tuples(st.integers(0, 2), groups)
    return st.builds(
        Step,
        held=st.dictionaries(st.sampled_from(KEYS), content),
        mapped=st.frozensets(st.integers(0, 2)),
        by_hand=st.one_of(st.none(), st.tuples(st.integers(0, 2), st.sampled_from(KEYS))),
        answers=st.sampled_from([True, True, True, False]),
        unreadable=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(KEYS), max_size=1)),
        meanwhile=st.one_of(st.none(), st.tuples(st.sampled_from(["load", "look"]), st.sampled_from(KEYS), content)),
        ends=st.sampled_from(["", "", "listing", *KEYS]),
    )


def code_of(key: str, number: int) -> str:
    """A word that stands in one text alone."""
    return f"{key[0].upper()}{9000 + number}"


def text_of(key: str, number: int) -> str:
    """A text that stands nowhere else; of the last kind one document or two."""
    said = f"The harbour code of {key} is {code_of(key, number)}."
    if key.endswith(".md"):
        return f"# {key}\n\n{said}"
    lines = [f'{{"id": "{part}", "title": "{part}", "text": "{said}"}}' for part in "pq"]
    return "\n".join(lines[: 1 + number % 2])


@dataclass(slots=True)
class Telling:
    """A source, and what its words allow."""

    source: DataSource
    roles: list[Role]
    people: list[User]  # one of each role
    given: dict[str, set[str]] = field(default_factory=dict)  # the groups to which each word was ever given
    by_hand: set[tuple[int, str]] = field(default_factory=set)
    mapped: frozenset[int] = frozenset()
    asked: list[Query] = field(default_factory=list)

    def take(self, step: Step) -> Iterator[None]:
        """Let it happen, and stop wherever somebody may look."""
        SourceGroup.objects.filter(source=self.source).update(role=None)
        for number in step.mapped:
            SourceGroup.objects.update_or_create(
                source=self.source, name=GROUPS[number], defaults={"role": self.roles[number]}
            )
        self.mapped = step.mapped
        apply_to_all(self.source)
        yield
        if step.by_hand:
            number, key = step.by_hand
            documents = list(Document.objects.filter(sync_item__key=key, withdrawn_at=None))
            grant(self.roles[number], documents, by=None)
            self.by_hand |= {(number, key)} if documents else set()
        self._become(step)
        run = start(self.source)
        if step.ends == "listing":
            work(run.pk, seconds=-1.0)  # no time is left for any document
            yield
        else:
            scripted.SHELF.kills_at = step.ends
            with suppress(KilledError):
                work_to_the_end(run)
            yield
        stop(run, by=None)
        if step.answers and step.ends == "":
            self.by_hand = {(number, key) for number, key in self.by_hand if key in scripted.SHELF.documents}

    def _become(self, step: Step) -> None:
        shelf = scripted.SHELF
        shelf.documents = {}
        for key, content in step.held.items():
            self._put(key, content)
        shelf.broken = {key: UnreadableFileError() for key in step.unreadable}
        shelf.fails_with = None if step.answers else SourceError()
        shelf.told = {key: told for key, told in shelf.told.items() if key in step.held or not step.answers}

        def happen(at: str, key: str) -> None:
            if step.meanwhile and step.meanwhile[:2] == (at, key) and key in shelf.documents:
                self._put(key, step.meanwhile[2])

        shelf.meanwhile = happen

    def _put(self, key: str, content: Content) -> None:
        number, groups = content
        scripted.SHELF.documents[key] = Held(text_of(key, number), groups=None if groups is None else tuple(groups))
        self.given.setdefault(code_of(key, number), set()).update(groups or ())

    def forbidden(self, number: int) -> set[str]:
        """The words that a role may not read."""
        own = {GROUPS[number]} if number in self.mapped else set()
        allowed = {
            code_of(key, text)
            for key in KEYS
            for text in range(3)
            if (number, key) in self.by_hand
            or own & self.given.get(code_of(key, text), set()) & set(scripted.SHELF.told.get(key) or ())
        }
        return {code_of(key, text) for key in KEYS for text in range(3)} - allowed

    def ask(self, turn: int) -> None:
        """Let the people ask in turn."""
        person = self.people[turn % len(self.people)]
        said = api.ask(
            f"What is the harbour code of {KEYS[turn % 2]}?",
            asker=asker_for(person),
            audience=audience_of([person.pk]),
        )
        self.asked.append(Query.objects.get(request_id=said.request_id))

    def check(self) -> None:
        """See that nobody is shown a word that is not theirs, of the library or of earlier answers."""
        for number, person in enumerate(self.people):
            forbidden = self.forbidden(number)
            with as_audience(audience_of([person.pk])):
                shown = " ".join(Chunk.objects.values_list("content", flat=True))
            assert {word for word in forbidden if word in shown} == set()
            for query in self.asked:
                for door, said in said_by(DOORS, person, query).items():
                    assert {word for word in forbidden if word in said} == set(), door


@pytest.fixture(scope="module")
def sandbox() -> Iterator[None]:
    """One for all runs: a new one for each would take most of the time."""
    with pytest.MonkeyPatch.context() as patch, sandbox_from_settings() as shared:
        patch.setattr(ingesting, "sandbox_from_settings", lambda: nullcontext(shared))
        patch.setitem(kinds.MODULES, "scripted", scripted.__name__)
        yield


CREW, BOARD, BOTH, ALL = frozenset({"crew"}), frozenset({"board"}), frozenset({"crew", "board"}), frozenset({0, 1})
SHRINKS = [
    Step({"a.md": (0, CREW), "c.jsonl": (1, CREW)}, frozenset({0}), None, True, frozenset()),
    Step({"a.md": (0, BOARD), "c.jsonl": (0, CREW)}, frozenset({0}), None, True, frozenset()),
    Step({"c.jsonl": (0, None)}, frozenset({0, 1}), (1, "c.jsonl"), True, frozenset({"c.jsonl"})),
    Step({"a.md": (1, CREW)}, frozenset(), None, False, frozenset()),
    Step({"a.md": (1, CREW)}, frozenset({1}), None, True, frozenset()),
]
# Rewritten and opened: once the run ends before the text is there, once it cannot be loaded, and then it is.
OPENS = [
    Step({"a.md": (0, BOARD)}, ALL, None, True, frozenset()),
    Step({"a.md": (1, BOTH)}, ALL, None, True, frozenset(), None, "listing"),
    Step({"a.md": (1, BOTH)}, ALL, None, True, frozenset({"a.md"})),
    Step({"a.md": (1, BOTH)}, ALL, None, True, frozenset()),
]
# Restricted and rewritten after it was listed; opened and rewritten after it was loaded.
OVERTAKES = [
    Step({"a.md": (0, BOTH)}, ALL, None, True, frozenset()),
    Step({"a.md": (1, BOTH)}, ALL, None, True, frozenset(), ("load", "a.md", (2, BOARD))),
    Step({"a.md": (0, BOARD)}, ALL, None, True, frozenset(), ("look", "a.md", (1, BOTH))),
]


@given(taken=st.lists(steps(), min_size=1, max_size=5))
@example(taken=SHRINKS)
@example(taken=OPENS)
@example(taken=OVERTAKES)
@tried(24, thorough=8000)
def test_nobody_reads_what_the_source_does_not_give_them(sandbox: None, db: None, taken: list[Step]) -> None:
    """After each step and each stop of a run, by the words that each role is shown."""
    with transaction.atomic():
        scripted.SHELF = Shelf()
        telling = Telling(*_make_source())
        for turn, step in enumerate(taken):
            for _ in telling.take(step):
                telling.check()
            telling.ask(turn)
            telling.check()
        transaction.set_rollback(True)


def _make_source() -> tuple[DataSource, list[Role], list[User]]:
    shelf = Collection.objects.create(name="Handbook")
    roles = [Role.objects.create(name=name) for name in GROUPS]
    people = [User.objects.create_user(f"{name}@example.com") for name in GROUPS]
    UserRole.objects.bulk_create(UserRole(user=user, role=role) for user, role in zip(people, roles, strict=True))
    CollectionRole.objects.create(collection=shelf, role=roles[2])
    source = DataSource.objects.create(
        name="S",
        kind="scripted",
        collection=shelf,
        takes_readers=True,
        requests_per_minute=0,
        most_withdrawn_percent=100,
    )
    return source, roles, people
