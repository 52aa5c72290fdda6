"""Generated worlds of people, roles, grants and marked documents, and the rule of access in plain Python."""

import datetime as dt
import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from core.access.audiences import audience_of
from core.library import embedding
from core.library.ingestion.store import build_searched_context
from core.models import (
    Chunk,
    Collection,
    Document,
    Role,
    RoleDocumentAccess,
    SectionPart,
    SectionRule,
    SectionRuleRole,
    User,
    UserRole,
)
from core.models.row_security import bypass_row_security
from core.types import Audience, Citation

MOST_ROLES, MOST_PEOPLE, MOST_DOCUMENTS, MOST_CHUNKS = 6, 8, 12, 3
THOROUGH = 30.0  # how often the worlds of a property are tried by the profile of that name: 20,000 over all
QUESTION = "Where in the harbour house is the secret kept?"
_TOPICS = ("keys", "ledgers", "maps", "lamps", "ropes")
_TYPES = (Document.Type.PAGE, Document.Type.MINUTES, Document.Type.PAPER)
_FIRST_DAY = dt.date(2024, 1, 1)


@dataclass(frozen=True, slots=True)
class Shelf:
    """One document of a world, or what a rule restricts of one."""

    granted: frozenset[int]  # numbers of roles; of a part, those that its rule names
    topics: tuple[int, ...]  # a chunk for each
    kind: int
    inside: int | None = None  # the number of an earlier document of which it is a part, where that is no part itself


@dataclass(frozen=True, slots=True)
class World:
    """Roles, their members and grants, and the readers of an answer."""

    held: tuple[frozenset[int], ...]  # by person
    documents: tuple[Shelf, ...]
    readers: tuple[int | None, ...]  # numbers of people; None is a guest
    guest_roles: frozenset[int]
    revoked: frozenset[int]  # roles that lose all of their grants between two turns

    @property
    def roles(self) -> int:
        """The number of roles."""
        numbers = [*self.held, *(shelf.granted for shelf in self.documents), self.guest_roles, self.revoked]
        return max((number for roles in numbers for number in roles), default=0) + 1

    def whole(self, number: int) -> int:
        """Return the number of the document that one is a part of, or its own."""
        inside = self.documents[number].inside
        return number if inside is None or inside >= number or self.whole(inside) != inside else inside

    def granted(self, number: int) -> frozenset[int]:
        """Return the numbers of the roles that may read a document or a part."""
        return self.documents[number].granted & self.documents[self.whole(number)].granted

    def read_by_the_first(self) -> "World":
        """The same with the first of its readers alone, as at the doors of programs."""
        return replace(self, readers=self.readers[:1], guest_roles=frozenset())


def worlds(*, guests: bool = True) -> st.SearchStrategy[World]:
    """Worlds of 1 to 6 roles, 1 to 8 people and 1 to 12 documents; roles are held and granted in overlapping sets."""
    return st.integers(1, MOST_ROLES).flatmap(lambda roles: _worlds(st.integers(0, roles - 1), guests=guests))


def _worlds(role: st.SearchStrategy[int], *, guests: bool) -> st.SearchStrategy[World]:
    roles = st.frozensets(role, max_size=4)
    shelves = st.builds(
        Shelf,
        granted=roles,
        topics=st.lists(st.integers(0, len(_TOPICS) - 1), min_size=1, max_size=MOST_CHUNKS).map(tuple),
        kind=st.integers(0, len(_TYPES) - 1),
        inside=st.one_of(st.none(), st.none(), st.integers(0, 2)),
    )
    return st.lists(roles, min_size=1, max_size=MOST_PEOPLE).flatmap(
        lambda held: st.builds(
            World,
            held=st.just(tuple(held)),
            documents=st.lists(shelves, min_size=1, max_size=MOST_DOCUMENTS).map(tuple),
            readers=st.lists(_readers(len(held), guests=guests), min_size=1, max_size=4).map(tuple),
            guest_roles=roles if guests else st.just(frozenset()),
            revoked=st.frozensets(role, max_size=2),
        )
    )


def _readers(people: int, *, guests: bool) -> st.SearchStrategy[int | None]:
    person = st.integers(0, people - 1)
    return st.one_of(person, person, person, st.none()) if guests else person


def tried(examples: int, *, thorough: int | None = None) -> settings:
    """Try a property with the same worlds at every run; an eighth of them, or more where a profile asks for it.

    thorough: how many the profile of that name tries, where that is not THOROUGH times as many.
    """
    shares = {"all": 0.5, "unshrunk": 1.0, "thorough": THOROUGH if thorough is None else thorough / examples}
    return settings(
        max_examples=max(2, round(examples * shares.get(settings.get_current_profile_name(), 0.125))),
        derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


# A corner that chance seldom finds: two readers who share no role, and a document for each, for both and for neither.
NO_COMMON_ROLE = World(
    held=(frozenset({0}), frozenset({1})),
    documents=tuple(
        Shelf(granted=frozenset(granted), topics=(0, 1), kind=0) for granted in ({0}, {1}, {0, 1}, set(), {0, 2})
    ),
    readers=(0, 1),
    guest_roles=frozenset(),
    revoked=frozenset({1}),
)
# One reader, for the doors at which one person stands, who may read the lesser part of a world.
ONE_READER = World(
    held=(frozenset({0, 1}), frozenset()),
    documents=tuple(
        Shelf(granted=frozenset(granted), topics=(2, 3, 4), kind=kind)
        for kind, granted in enumerate(({0}, {2}, {0, 1, 2}))
    )
    + tuple(Shelf(granted=frozenset({2}), topics=(0,), kind=1) for _ in range(9)),
    readers=(0,),
    guest_roles=frozenset(),
    revoked=frozenset({0}),
)
# Restricted sections of a document that the first reader reads: for a role of hers, of the second one, and of nobody.
IN_SECTIONS = World(
    held=(frozenset({0}), frozenset({0, 1})),
    documents=(
        Shelf(granted=frozenset({0, 1}), topics=(0, 1), kind=0),
        Shelf(granted=frozenset({0}), topics=(0, 2), kind=0, inside=0),
        Shelf(granted=frozenset({1}), topics=(0, 3), kind=0, inside=0),
        Shelf(granted=frozenset(), topics=(0, 4), kind=0, inside=0),
        Shelf(granted=frozenset({2}), topics=(1,), kind=1),
        Shelf(granted=frozenset({0, 1}), topics=(1,), kind=1, inside=4),
    ),
    readers=(0,),
    guest_roles=frozenset(),
    revoked=frozenset({1}),
)


def without_ids(citations: Iterable[Citation]) -> list[Citation]:
    """Citations without what is made anew for each answer."""
    return [replace(citation, citation_id=None, opens_at="") for citation in citations]


@dataclass(frozen=True, slots=True)
class Built:
    """A world in the database."""

    world: World
    roles: list[Role]
    people: list[User]
    documents: list[Document]

    def audience(self) -> Audience:
        """The audience of the world's readers."""
        readers = [None if reader is None else self.people[reader].pk for reader in self.world.readers]
        return audience_of(readers, guest_roles=self.guest_roles())

    def guest_roles(self) -> frozenset[UUID]:
        """The roles of a guest."""
        return frozenset(self.roles[number].pk for number in self.world.guest_roles)

    def asker(self) -> User:
        """One of the readers, where there is a known one."""
        known = [reader for reader in self.world.readers if reader is not None]
        return self.people[known[0] if known else 0]

    def readable(self) -> set[UUID]:
        """The documents that every reader may read, from the rows of roles and grants, in plain Python."""
        readers = [None if reader is None else self.people[reader].pk for reader in self.world.readers]
        return readable_by(readers, self.guest_roles())

    def with_parts(self, document: Document) -> set[UUID]:
        """Return a document, and what is restricted of it: both are found by its name, collection and dates."""
        return {document.pk} | {one.pk for one in self.documents if one.part_of_id == document.pk}

    def wholes(self, documents: set[UUID]) -> set[UUID]:
        """Return those of some documents that are listed and counted, which parts are not."""
        return documents - {one.pk for one in self.documents if one.part_of_id}

    def marks_outside(self, readable: set[UUID]) -> set[str]:
        """Return the marks of documents that are not readable: their ids and their codes."""
        forbidden = [(number, d) for number, d in enumerate(self.documents) if d.pk not in readable]
        with bypass_row_security():
            chunks = Chunk.objects.filter(document__in=[document.pk for _, document in forbidden])
            ids = {str(pk) for pk in chunks.values_list("pk", flat=True)}
        named = {self.world.whole(number) for number, document in enumerate(self.documents) if document.pk in readable}
        codes = {code(number) for number, _ in forbidden if number not in named}
        return ids | {str(document.pk) for _, document in forbidden} | codes


def readable_by(readers: Sequence[UUID | None], guest_roles: frozenset[UUID]) -> set[UUID]:
    """The documents for each of which every reader holds a granted role."""
    held: dict[UUID, set[UUID]] = {}
    for user, role in UserRole.objects.values_list("user_id", "role_id"):
        held.setdefault(user, set()).add(role)
    granted: dict[UUID, set[UUID]] = {}
    for document, role in RoleDocumentAccess.objects.values_list("document_id", "role_id"):
        granted.setdefault(document, set()).add(role)
    return {
        document
        for document, roles in granted.items()
        if all(roles & (guest_roles if reader is None else held.get(reader, set())) for reader in readers)
    }


def chunks_of(documents: set[UUID]) -> set[UUID]:
    """The chunks of documents, from the whole table."""
    with bypass_row_security():
        return {pk for pk, document in Chunk.objects.values_list("pk", "document_id") if document in documents}


def code(number: int) -> str:
    """Return a mark of one document only: in its title, address, section, collection and every chunk."""
    return f"secret-{number:02d}"


@contextmanager
def built(world: World) -> Iterator[Built]:
    """The world in the database, gone after the block."""
    with transaction.atomic():
        roles = Role.objects.bulk_create(Role(name=f"role {number}") for number in range(world.roles))
        people = [User(email=f"person{number}@example.com", password="!") for number in range(len(world.held))]
        User.objects.bulk_create(people)
        UserRole.objects.bulk_create(
            UserRole(user=person, role=roles[number])
            for person, held in zip(people, world.held, strict=True)
            for number in held
        )
        documents = _documents(world)
        _note_parts(world, documents, roles)
        RoleDocumentAccess.objects.bulk_create(
            RoleDocumentAccess(document=document, role=roles[role])
            for number, document in enumerate(documents)
            if document.part_of_id is None
            for role in world.granted(number)
        )
        yield Built(world, roles, people, documents)
        transaction.set_rollback(True)


def _documents(world: World) -> list[Document]:
    """Create the documents in their order, the parts last: the database gives them what they have of their document."""
    documents: list[Document] = []
    for number, shelf in enumerate(world.documents):
        whole = world.whole(number)
        documents.append(
            Document(
                part_of=None if whole == number else documents[whole],
                collection=Collection(name=f"Collection {code(number)}")
                if whole == number
                else documents[whole].collection,
                source=code(number),
                source_url=f"https://library.example/{code(number)}",
                title=f"Plan {code(number)}" if whole == number else f"Plan {code(whole)}: Section {code(number)}",
                document_type=_TYPES[shelf.kind],
                document_date=_FIRST_DAY + dt.timedelta(days=number),
                content_hash=hashlib.sha256(code(number).encode()).hexdigest(),
                chunk_count=len(shelf.topics),
                ingested_at=timezone.now(),
            )
        )
    wholes, parts = ([one for one in documents if (one.part_of_id is None) is is_whole] for is_whole in (True, False))
    Collection.objects.bulk_create(one.collection for one in wholes)
    Document.objects.bulk_create(wholes)
    Document.objects.bulk_create(parts)
    for part in parts:
        part.refresh_from_db()
    _chunks(world, documents)
    return documents


def _note_parts(world: World, documents: list[Document], roles: list[Role]) -> None:
    """Give each part a rule by hand, for its heading."""
    parts = [number for number, one in enumerate(documents) if one.part_of_id is not None]
    for number in parts:
        pattern = f"Section {code(number)}"
        rule = SectionRule.objects.create(document=documents[number].part_of, kind="heading", pattern=pattern)
        named = [SectionRuleRole(rule=rule, role=roles[role]) for role in world.documents[number].granted]
        SectionRuleRole.objects.bulk_create(named)
        SectionPart.objects.create(part=documents[number], names=[pattern]).rules.add(rule)


def _chunks(world: World, documents: list[Document]) -> None:
    provider = embedding.provider()
    placed = [
        (number, index, f"In the harbour house the {_TOPICS[topic]} of {code(number)} are kept in room {index}.")
        for number, shelf in enumerate(world.documents)
        for index, topic in enumerate(shelf.topics)
    ]
    vectors = provider.embed([text for _, _, text in placed])
    with bypass_row_security():
        embedding.claim(provider)
        Chunk.objects.bulk_create(
            Chunk(
                document=documents[number],
                chunk_index=index,
                content=text,
                token_count=len(text.split()),
                embedding=vector,
                embedding_model=provider.name,
                section_title=f"Section {code(number)}",
                context=build_searched_context(documents[number], "", f"Section {code(number)}"),
                start_offset=index * 1000,
                end_offset=index * 1000 + len(text),
            )
            for (number, index, text), vector in zip(placed, vectors, strict=True)
        )


class _Lines(logging.Handler):
    """Keeps all that is logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record with everything that is attached to it."""
        self.lines.append(f"{record.getMessage()} {vars(record)}")


@contextmanager
def logged() -> Iterator[list[str]]:
    """All that is logged within the block, at any level; statements that are sent to PostgreSQL are no log."""
    handler, root = _Lines(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield handler.lines
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def without_times(found: dict[str, object]) -> str:
    """A search's JSON as text, without what differs from one run to the next."""
    return json.dumps({name: value for name, value in found.items() if name != "took_ms"}, sort_keys=True)


def held_marks(text: str, marks: set[str]) -> set[str]:
    """Return the marks that occur in a text."""
    return {mark for mark in marks if mark in text}
