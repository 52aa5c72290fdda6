"""Whatever a data source says in whatever order: no role reads a word that the source does not give it now.

Now is what it said at its last whole listing. A role also reads what somebody granted it by hand, as long as the
document is there. What is gone, for which no group is told, or whose groups are mapped to no role, nobody reads.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import example, given
from hypothesis import strategies as st

from core.access.audiences import audience_of_roles
from core.access.grants import grant
from core.errors import SourceError, UnreadableFileError
from core.ingestion.jobs import sandbox_from_settings
from core.models import Chunk, Collection, CollectionRole, DataSource, Document, Role, SourceGroup
from core.models.row_security import as_audience
from core.sync import ingesting, kinds
from core.sync.readers import apply_to_all
from core.sync.runs import start
from tests.integration.leaks.worlds import tried
from tests.integration.sync import scripted
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")

KEYS = ("a.md", "b.md", "c.jsonl")
GROUPS = ("crew", "board", "guests")


@dataclass(frozen=True, slots=True)
class Step:
    """The source becomes so, or somebody here does something; then it is asked, unless it does not answer."""

    held: dict[str, tuple[int, frozenset[str] | None]]  # texts by number and groups, by key
    mapped: frozenset[int]  # numbers of groups that stand for the role of their number from now on
    by_hand: tuple[int, str] | None  # a role that is granted the document of a key
    answers: bool
    unreadable: frozenset[str]


def steps() -> st.SearchStrategy[Step]:
    """Steps in which little is the same as before."""
    groups = st.one_of(st.none(), st.frozensets(st.sampled_from(GROUPS)))
    return st.builds(
        Step,
        held=st.dictionaries(st.sampled_from(KEYS), st.tuples(st.integers(0, 2), groups)),
        mapped=st.frozensets(st.integers(0, 2)),
        by_hand=st.one_of(st.none(), st.tuples(st.integers(0, 2), st.sampled_from(KEYS))),
        answers=st.sampled_from([True, True, True, False]),
        unreadable=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(KEYS), max_size=1)),
    )


def text_of(key: str, number: int) -> str:
    """A text that stands nowhere else; of the last kind two documents, of which one is always the same."""
    if key.endswith(".md"):
        return f"# {key}\n\nThe code of {key} is {number}."
    lines = [f'{{"id": "{part}", "title": "{part}", "text": "The code of {key} {part} is {number}."}}' for part in "pq"]
    return "\n".join(lines[: 1 + number % 2])


@dataclass(slots=True)
class Telling:
    """A source, and what its words allow."""

    source: DataSource
    roles: list[Role]
    told: dict[str, tuple[set[str], frozenset[str]]] = field(default_factory=dict)  # words ever held, groups now
    by_hand: set[tuple[int, str]] = field(default_factory=set)

    def take(self, step: Step) -> None:
        """Let it happen."""
        SourceGroup.objects.filter(source=self.source).update(role=None)
        for number in step.mapped:
            SourceGroup.objects.update_or_create(
                source=self.source, name=GROUPS[number], defaults={"role": self.roles[number]}
            )
        apply_to_all(self.source)
        if step.by_hand:
            number, key = step.by_hand
            documents = list(Document.objects.filter(sync_item__key=key, withdrawn_at=None))
            grant(self.roles[number], documents, by=None)
            self.by_hand |= {(number, key)} if documents else set()
        shelf = scripted.SHELF
        shelf.documents = {
            key: Held(text_of(key, number), groups=None if groups is None else tuple(groups))
            for key, (number, groups) in step.held.items()
        }
        shelf.broken = {key: UnreadableFileError() for key in step.unreadable}
        shelf.fails_with = None if step.answers else SourceError()
        work_to_the_end(start(self.source))
        if step.answers:
            self.told = {
                key: (self.told.get(key, (set(), frozenset()))[0] | {text_of(key, number)}, groups or frozenset())
                for key, (number, groups) in step.held.items()
            }

    def allows(self, number: int, mapped: frozenset[int]) -> set[str]:
        """The keys of which a role may read something."""
        own = {GROUPS[number]} if number in mapped else set()
        return {key for key, (_, groups) in self.told.items() if own & groups or (number, key) in self.by_hand}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[None]:
    """One for all runs: a new one for each would take most of the time."""
    with pytest.MonkeyPatch.context() as patch, sandbox_from_settings() as shared:
        patch.setattr(ingesting, "sandbox_from_settings", lambda: nullcontext(shared))
        patch.setitem(kinds.MODULES, "scripted", scripted.__name__)
        yield


CREW, BOARD = frozenset({"crew"}), frozenset({"board"})
SHRINKS = [
    Step({"a.md": (0, CREW), "c.jsonl": (1, CREW)}, frozenset({0}), None, True, frozenset()),
    Step({"a.md": (0, BOARD), "c.jsonl": (0, CREW)}, frozenset({0}), None, True, frozenset()),
    Step({"c.jsonl": (0, None)}, frozenset({0, 1}), (1, "c.jsonl"), True, frozenset({"c.jsonl"})),
    Step({"a.md": (1, CREW)}, frozenset(), None, False, frozenset()),
    Step({"a.md": (1, CREW)}, frozenset({1}), None, True, frozenset()),
]


@given(taken=st.lists(steps(), min_size=1, max_size=5))
@example(taken=SHRINKS)
@tried(24)
def test_nobody_reads_what_the_source_does_not_give_them(sandbox: None, db: None, taken: list[Step]) -> None:
    """After each step, by the words of the chunks that each role is shown."""
    with transaction.atomic():
        scripted.SHELF = Shelf()
        shelf = Collection.objects.create(name="Handbook")
        roles = [Role.objects.create(name=name) for name in GROUPS]
        CollectionRole.objects.create(collection=shelf, role=roles[2])
        source = DataSource.objects.create(
            name="S",
            kind="scripted",
            collection=shelf,
            takes_readers=True,
            requests_per_minute=0,
            most_withdrawn_percent=100,
        )
        telling = Telling(source, roles)
        for step in taken:
            telling.take(step)
            for number, role in enumerate(roles):
                with as_audience(audience_of_roles([role.pk])):
                    shown = dict(Chunk.objects.values_list("content", "document__sync_item__key"))
                assert set(shown.values()) <= telling.allows(number, step.mapped)
                for content, key in shown.items():
                    said = content.splitlines()[-1]
                    assert any(said in words for words in telling.told[key][0]), "a word that the source never held"
        transaction.set_rollback(True)
