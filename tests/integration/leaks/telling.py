"""Generated worlds of a data source that is asked, killed and answered from, and the rule of its words in plain Python.

A role may read a word that the source held while it gave the document to one of the role's groups, as long as it gives
it to such a group by its last listing. A role also reads what somebody granted it by hand, as it was then and from then
on, while the document is there, and again when it is back. Nobody reads a document that is gone, that has no group, or
whose groups are mapped to no role; nor, once the source has not answered for too long, one that it has not listed
again.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.utils import timezone
from hypothesis import strategies as st

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import grant
from core.errors import SourceError, UnreadableFileError
from core.library.sync.readers import apply_to_all
from core.library.sync.removals import withdraw_unanswered
from core.library.sync.runs import decide, start, stop
from core.library.sync.slices import work
from core.models import (
    Chunk,
    Collection,
    CollectionRole,
    DataSource,
    Document,
    Query,
    Role,
    SourceGroup,
    SyncItem,
    SyncRun,
    User,
    UserRole,
)
from core.models.row_security import as_audience, bypass_row_security
from tests.integration.leaks.doors import by_citation, by_list, by_quotes, by_results, by_shared_result, said_by
from tests.integration.sync import scripted
from tests.integration.sync.killing import elsewhere, killed_at_write
from tests.integration.sync.scripted import Held
from tests.integration.sync.working import work_to_the_end

KEYS = ("a.md", "b.md", "c.jsonl")
GROUPS = ("crew", "board", "guests")
DOORS = (by_shared_result, by_quotes, by_citation)
MANY_WRITES, MOST_WRITES = 16, 50  # of half of the runs, and of those that load all that the source holds
_LONG_AGO = dt.timedelta(hours=73)  # longer than a source's readers are believed

Content = tuple[int, frozenset[str] | None]  # a text by its number, and groups


@dataclass(frozen=True, slots=True)
class Step:
    """The source becomes so, or somebody here does something; then it is asked, unless it does not answer."""

    held: dict[str, Content]  # by key
    mapped: frozenset[int]  # numbers of groups that stand for the role of their number from now on
    by_hand: tuple[int, str] | None = None  # a role that is granted the document of a key
    answers: bool = True
    unreadable: frozenset[str] = frozenset()
    meanwhile: tuple[str, str, Content] | None = None  # at which step of the run which key becomes what
    ends: str = ""  # where the run is stopped or killed: after its "listing", or at the key that it loads
    killed_at: int = 0  # the number of the statement that writes at which the run is killed; 0: at none
    goes_on: int | None = None  # after that, by another worker, which is killed in the same way
    asks: bool = False  # before it withdraws anything; somebody lets it where it goes on, and else stops it
    named: frozenset[str] = frozenset()  # keys whose documents have another name
    remapped: frozenset[int] | None = None  # as mapped, while a document is loaded
    compares: bool = False  # readers alone, and loads nothing
    lists: bool = True  # otherwise only what failed before is tried again
    passes: str = ""  # before all that "a while", after which it is tried again, or "days" without an answer


def steps() -> st.SearchStrategy[Step]:
    """Steps in which little is the same as before, and of which every other one brings something into the library."""
    some = st.frozensets(st.sampled_from(GROUPS), min_size=1)
    content = st.tuples(st.integers(0, 2), st.one_of(some, some, st.none(), st.just(frozenset[str]())))
    moments = st.sampled_from(["readers", "load", "look"])
    kills = st.one_of(st.just(0), st.integers(1, MANY_WRITES), st.integers(1, MOST_WRITES))
    return st.builds(
        Step,
        held=st.dictionaries(st.sampled_from(KEYS), content),
        mapped=st.frozensets(st.integers(0, 2)),
        by_hand=st.one_of(st.none(), st.none(), st.tuples(st.integers(0, 2), st.sampled_from(KEYS))),
        answers=st.sampled_from([True, True, True, True, False]),
        unreadable=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(KEYS), max_size=1)),
        meanwhile=st.one_of(st.none(), st.tuples(moments, st.sampled_from(KEYS), content)),
        ends=st.sampled_from(["", "", "", "", "listing", *KEYS]),
        killed_at=kills,
        goes_on=st.one_of(st.none(), kills),
        asks=st.booleans(),
        named=st.frozensets(st.sampled_from(KEYS)),
        remapped=st.one_of(st.none(), st.none(), st.frozensets(st.integers(0, 2))),
        compares=st.sampled_from([False, False, False, True]),
        lists=st.sampled_from([True, True, True, True, False]),
        passes=st.sampled_from(["", "", "", "a while", "days"]),
    )


def code_of(key: str, number: int) -> str:
    """Return a word that is in one text alone."""
    return f"{key[0].upper()}{9000 + number}"


def name_of(key: str, *, is_other: bool) -> str:
    """Return the name of a file, of which there are two: a word that is in no text."""
    return f"{key[0].upper()}{700 + is_other}.{key.partition('.')[2]}"


def text_of(key: str, number: int) -> str:
    """Build a unique text; of the last kind one document or two, and beside one an unreadable part."""
    said = f"The harbour code of {key} is {code_of(key, number)}."
    if key.endswith(".md"):
        return f"# {key}\n\n{said}"
    lines = [f'{{"id": "{part}", "title": "{part}", "text": "{said}"}}' for part in "pq"]
    return "\n".join([*lines[: 1 + number % 2], *(["{broken"] if number == 2 else [])])


WORDS = {
    key: [
        *(code_of(key, number) for number in range(3)),
        *(name_of(key, is_other=other)[:4] for other in (False, True)),
    ]
    for key in KEYS
}


class Writes:
    """Counts the statements that may change what doors say, as a wrapper of all that are executed."""

    # Written by every run, and read by no door, which is looked at each time.
    _READ_BY_NO_DOOR = frozenset(
        {"core_syncrun", "core_syncitem", "core_syncchange", "core_sourcegroup", "core_datasource", "core_auditevent"}
    )
    _WRITTEN = re.compile(r'\b(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)')

    def __init__(self) -> None:
        self.count = 0
        self.are_read = False  # by doors, at the moment

    def __call__(self, run: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        """Let a statement be executed."""
        if self.are_read:
            assert not self._READ_BY_NO_DOOR.intersection(re.findall(r"\w+", sql))
        self.count += not self._READ_BY_NO_DOOR.issuperset(self._WRITTEN.findall(sql))
        return run(sql, params, many, context)


@dataclass(slots=True)
class Telling:
    """A source, and what its words allow."""

    source: DataSource
    roles: list[Role]
    people: list[User]  # one of each role
    given: dict[str, set[str]] = field(default_factory=dict)  # the groups to which each word was ever given
    by_hand: set[tuple[int, str]] = field(default_factory=set)
    mapped: frozenset[int] = frozenset()
    is_to_be_applied: bool = False  # since it was mapped otherwise
    asked: list[Query] = field(default_factory=list)
    kills: int = 0  # that happened
    writes: Writes = field(default_factory=Writes)
    said: tuple[int, list[list[str]]] = (-1, [])  # after how many writes what was said, to each of the people

    def take(self, step: Step) -> Iterator[None]:
        """Let it happen, and stop wherever somebody may look. After the end, too."""
        self._let_pass(step.passes)
        self._map(step.mapped)
        self._apply_mapping()
        yield
        if step.by_hand:
            self._grant(*step.by_hand)
        self._become(step)
        DataSource.objects.update(most_withdrawn_percent=0 if step.asks else 100)
        scope = SyncRun.Scope.READERS if step.compares else SyncRun.Scope.ALL
        run = start(self.source, lists=step.lists, scope=scope)
        self._work(run, step.killed_at, ends=step.ends)
        yield
        if step.goes_on is not None:
            self._work(run, step.goes_on)
            yield
        if run.state == run.State.ASKING:
            decide(run, withdraw=step.goes_on is not None, by=None)
            self._work(run, step.goes_on or 0)
            yield
        stop(run, by=None)

    def _let_pass(self, time: str) -> None:
        if time == "a while":
            SyncItem.objects.exclude(next_try_at=None).update(next_try_at=timezone.now())
        if time == "days":
            DataSource.objects.exclude(listed_at=None).update(listed_at=timezone.now() - _LONG_AGO)
            withdraw_unanswered()
            scripted.SHELF.told.clear()

    def _map(self, mapped: frozenset[int]) -> None:
        if mapped == self.mapped:
            return
        SourceGroup.objects.filter(source=self.source).update(role=None)
        for number in mapped:
            SourceGroup.objects.update_or_create(
                source=self.source, name=GROUPS[number], defaults={"role": self.roles[number]}
            )
        self.mapped, self.is_to_be_applied = mapped, True

    def _apply_mapping(self) -> None:
        """Do what the job does that a change of the mapping queues."""
        if self.is_to_be_applied:
            apply_to_all(self.source)
        self.is_to_be_applied = False

    def _grant(self, number: int, key: str) -> None:
        """Grant by hand a key's document: its words of now, and later ones from now on."""
        documents = list(Document.objects.filter(sync_item__key=key, withdrawn_at=None))
        grant(self.roles[number], documents, by=None)
        if documents:
            self.by_hand.add((number, key))
            with bypass_row_security():
                there = " ".join(Chunk.objects.filter(document__in=documents).values_list("content", flat=True))
            there += " ".join(document.original_name for document in documents)
            self._give((word for word in WORDS[key] if word in there), {_hand(number)})

    def _become(self, step: Step) -> None:
        shelf = scripted.SHELF
        shelf.documents = {}
        for key, content in step.held.items():
            self._put(key, content, step)
        shelf.broken = {key: UnreadableFileError() for key in step.unreadable}
        shelf.fails_with = None if step.answers else SourceError()

        def happen(at: str, key: str) -> None:
            if step.meanwhile and step.meanwhile[:2] == (at, key) and key in shelf.documents:
                self._put(key, step.meanwhile[2], step)
            if at == "load" and step.remapped is not None:
                with elsewhere():
                    self._map(step.remapped)

        shelf.meanwhile = happen

    def _put(self, key: str, content: Content, step: Step) -> None:
        number, groups = content
        name = name_of(key, is_other=key in step.named)
        told = None if groups is None else tuple(groups)
        scripted.SHELF.documents[key] = Held(text_of(key, number), groups=told, name=name)
        by_hand = {_hand(role) for role, of in self.by_hand if of == key}
        self._give((code_of(key, number), name[:4]), by_hand.union(groups or ()))

    def _give(self, words: Iterable[str], groups: set[str]) -> None:
        for word in words:
            self.given.setdefault(word, set()).update(groups)

    def _work(self, run: SyncRun, killed_at: int, *, ends: str = "") -> None:
        """Work a run off, as far as it comes."""
        shelf = scripted.SHELF
        before, shelf.kills_at = dict(shelf.told), ends
        with killed_at_write(killed_at) as kill:
            if ends == "listing":
                work(run.pk, seconds=-1.0)  # no time is left for any document
            else:
                work_to_the_end(run)
        if kill.is_done:  # what it was told may not be stored
            self.kills += 1
            for key, groups in before.items():
                shelf.told[key] = (*(shelf.told.get(key) or ()), *(groups or ()))
        run.refresh_from_db()
        has_applied = run.state in {run.State.INGESTING, run.State.DONE, run.State.PARTLY_FAILED}
        if run.lists and run.is_complete and has_applied:  # what is gone is withdrawn
            shelf.told = {key: groups for key, groups in shelf.told.items() if key in shelf.documents}
        self._apply_mapping()

    def _find_forbidden(self, number: int) -> set[str]:
        """Return the words that a role may not read."""
        own = {GROUPS[number]} if number in self.mapped else set()
        forbidden = set()
        for key in KEYS:
            told = own.intersection(scripted.SHELF.told.get(key) or ())
            if (number, key) in self.by_hand and key in scripted.SHELF.told:
                told.add(_hand(number))
            forbidden.update(word for word in WORDS[key] if not told & self.given.get(word, set()))
        return forbidden

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
        if self.said[0] != self.writes.count:
            self.said = self.writes.count, [self._listen(person) for person in self.people]
        for number, said in enumerate(self.said[1]):
            for word in self._find_forbidden(number):
                assert not [one for one in said if word in one], (GROUPS[number], word)

    def _listen(self, person: User) -> list[str]:
        """Return what each door says to a person about each question, after the texts and names of their documents."""
        self.writes.are_read = True
        audience = audience_of([person.pk])
        with as_audience(audience):
            said = [f"chunk {content}" for content in Chunk.objects.values_list("content", flat=True)]
        said += Document.objects.visible_to(audience).values_list("original_name", flat=True)
        if self.asked:
            said += [f"by_list: {by_list(person, self.asked[0])}", f"by_results: {by_results(person, self.asked)}"]
        for query in self.asked:
            said += [f"{door}: {words}" for door, words in said_by(DOORS, person, query).items()]
        self.writes.are_read = False
        return said


def _hand(number: int) -> str:
    """As it were the group of the role of a number to which documents are granted by hand."""
    return f"by hand {number}"


def play(taken: Iterable[Step], *, asks: bool = True) -> int:
    """Let steps happen to a new source, and check after each and whenever a run ends. Return how many were killed.

    asks: False where nobody asks anything, so that the library alone is looked at.
    """
    scripted.SHELF = scripted.Shelf()
    telling = Telling(*_make_source())
    with connection.execute_wrapper(telling.writes):
        for turn, step in enumerate(taken):
            for _ in telling.take(step):
                telling.check()
            if asks:
                telling.ask(turn)
            telling.check()
    return telling.kills


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
