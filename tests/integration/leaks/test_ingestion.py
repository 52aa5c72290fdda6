"""Whatever is ingested in whatever order by whomever: no role reads a word of a text that was not meant for it.

Meant for a role is a text that comes in for it, by roles that are named or by those of the collection; that is in a
document which somebody has given to the role; or that is the next version of the same path or address, for which nobody
named readers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest
from django.db import transaction
from hypothesis import example, given
from hypothesis import strategies as st

from core.access.audiences import audience_of_roles
from core.access.grants import grant
from core.library.ingestion.pipeline import SourceOutcome, ingest
from core.library.ingestion.sandbox.process import Sandbox
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.sources.arxiv import arxiv_source
from core.library.ingestion.sources.web import check_url
from core.library.ingestion.target import IngestTarget
from core.models import Chunk, Collection, Document, Role, User, UserRole
from core.models.row_security import as_audience
from tests.integration.leaks.worlds import tried

pytestmark = pytest.mark.usefixtures("fast")

ROLES = 3
FILES = ("minutes.md", "notes.md", "minutes.md (2)", "arxiv:2401.00001", "sub/minutes.md")
PAGES = ("https://library.example/may", "HTTPS://Library.example:443/./may#top", "https://library.example/may/")
PAPERS = ("2401.00001", "https://arxiv.org/pdf/2401.00001v2", "2401.00002")
COLLECTIONS = ("A", "A/sub")  # the second begins as a path in the first
CLAIMS = (
    "",
    "url: https://library.example/may",
    "link: HTTPS://library.example/may#x",
    "abs: https://arxiv.org/abs/2401.00001",
    "arxiv_id: 2401.00001v7",
    "id: minutes.md\ncollection: A\nsource: minutes.md",
    "title: Minutes\ndate: 2024-01-31\ntype: minutes",
    '<link rel="canonical" href="https://library.example/may">',
    "<!-- saved from url=(0027)https://library.example/may -->",
)
PAGE = "<html><head><title>Minutes</title>{}</head><body><p>What was said is {}.</p></body></html>"  # of claims in HTML


@dataclass(frozen=True, slots=True)
class Step:
    """Somebody hands in a text; or, with `given`, a role is given all of a collection."""

    who: int  # a person by number; -1 is the operator at the command line
    kind: str  # upload, path, page, paper, or grant
    name: int
    claim: int
    collection: int
    roles: frozenset[int]  # that are named, where who hands in may
    again: bool  # the very text of the last step that handed one in


PEOPLE = (  # roles held, and whether they decide who reads
    (frozenset[int](), False),
    (frozenset({0}), False),
    (frozenset({1, 2}), False),
    (frozenset({0, 1}), True),
    (frozenset[int](), True),
)
STEPS = st.lists(
    st.builds(
        Step,
        who=st.integers(-1, len(PEOPLE) - 1),
        kind=st.sampled_from(("upload", "upload", "upload", "path", "page", "paper", "grant")),
        name=st.integers(0, 4),
        claim=st.integers(0, len(CLAIMS) - 1),
        collection=st.integers(0, len(COLLECTIONS) - 1),
        roles=st.frozensets(st.integers(0, ROLES - 1), max_size=2),
        again=st.sampled_from((False, False, False, True)),
    ),
    min_size=2,
    max_size=7,
)
DEFAULTS = st.tuples(*[st.frozensets(st.integers(0, ROLES - 1), max_size=1)] * len(COLLECTIONS))


def handed(who: int, kind: str, name: int, *roles: int, claim: int = 0, collection: int = 0) -> Step:
    """A step in few words."""
    return Step(who, kind, name, claim, collection, frozenset(roles), again=False)


# The attacks that worked: a second file of one name; a paper's id in a note; who may not read what they replace.
SAME_NAME = [handed(3, "upload", 0, 0), handed(3, "upload", 0, 1)]
CLAIMED = [handed(-1, "paper", 0, 0), handed(-1, "upload", 1, 1, claim=3), handed(-1, "path", 1, 1, claim=4)]
CANONICAL = [handed(-1, "page", 0, 0), handed(-1, "upload", 1, 1, claim=7), handed(-1, "page", 2, 2, claim=8)]
UNREAD = [handed(-1, "upload", 0, 2), handed(0, "upload", 0), handed(1, "upload", 0)]
UNREAD_BY_ITS_OWN = [handed(-1, "upload", 0), handed(0, "upload", 0)]  # for the very roles that the other text has


@dataclass(slots=True)
class Library:
    """Roles, people and collections in the database, and for whom each text is meant, by its mark."""

    sandbox: Sandbox
    defaults: tuple[frozenset[int], ...]
    roles: list[Role] = field(default_factory=list)
    people: list[User] = field(default_factory=list)
    collections: list[Collection] = field(default_factory=list)
    meant: dict[str, frozenset[int]] = field(default_factory=dict)
    readers: dict[tuple[int, str], frozenset[int]] = field(default_factory=dict)  # by collection and certain source
    marks: Iterator[int] = field(default_factory=count)
    last: str = "no text yet"

    def __post_init__(self) -> None:
        self.roles = [Role.objects.create(name=f"role {number}") for number in range(ROLES)]
        for number, (held, _) in enumerate(PEOPLE):
            user = User.objects.create_user(f"p{number}@example.com")
            UserRole.objects.bulk_create(UserRole(user=user, role=self.roles[role]) for role in held)
            self.people.append(user)
        for name, defaults in zip(COLLECTIONS, self.defaults, strict=True):
            collection = Collection.objects.create(name=name)
            collection.default_roles.set(self.roles[role] for role in defaults)
            self.collections.append(collection)

    def take(self, step: Step) -> SourceOutcome | None:
        """Do a step, and put down for whom its text is meant."""
        if step.kind == "grant":
            self._give(step)
            return None
        decides = step.who < 0 or PEOPLE[step.who][1]
        named = step.roles if decides else frozenset[int]()
        mark = self.last if step.again else f"mark{next(self.marks)}x"
        self.last = mark
        source = _source(step, mark)
        place = (step.collection, source.key)
        meant = named | self.defaults[step.collection]
        if not source.is_upload:
            given = self._given(place)
            meant |= given if named else given | self.readers.get(place, frozenset())
            self.readers[place] = self.readers.get(place, frozenset()) | meant
        self.meant[mark] = self.meant.get(mark, frozenset()) | meant
        target = IngestTarget(
            collection=self.collections[step.collection],
            roles=tuple(self.roles[role] for role in sorted(named)),
            by=self.people[step.who] if step.who >= 0 else None,
            decides_readers=decides,
        )
        found: list[SourceOutcome] = []
        ingest([source], target, self.sandbox, found.append)
        return found[0]

    def _given(self, place: tuple[int, str]) -> frozenset[int]:
        """Return the roles to which somebody gave the document of that place."""
        grants = Role.objects.filter(
            document_access__by_ingestion=False,
            document_access__document__collection=self.collections[place[0]],
            document_access__document__source=place[1],
        )
        return frozenset(self.roles.index(role) for role in grants)

    def _give(self, step: Step) -> None:
        """Give all of a collection to roles: its texts are meant for them from now on."""
        documents = Document.objects.filter(collection=self.collections[step.collection])
        for mark in self.found(None, step.collection):
            self.meant[mark] |= step.roles
        for role in step.roles:
            grant(self.roles[role], documents, by=None)

    def found(self, role: int | None, collection: int | None = None) -> set[str]:
        """The marks of the texts that a role may read; of all, whoever may read them, with None."""
        chunks = Chunk.objects.all()
        if collection is not None:
            chunks = chunks.filter(document__collection=self.collections[collection])
        audience = audience_of_roles([each.pk for each in (self.roles if role is None else [self.roles[role]])])
        with as_audience(audience):
            texts = chunks.visible_to(audience) if role is not None else chunks
            held = " ".join(texts.values_list("content", flat=True))
        return {mark for mark in self.meant if mark in held}


def _source(step: Step, mark: str) -> Source:
    """Build a step's source, as ingestion gets it once it is fetched."""
    text = f"---\n{CLAIMS[step.claim]}\n---\n\n# Minutes\n\nWhat was said is {mark}.\n"
    loaded = LoadedFile(content=text.encode(), name="text.md")
    if CLAIMS[step.claim].startswith("<"):
        loaded = LoadedFile(content=PAGE.format(CLAIMS[step.claim], mark).encode(), name="text.html")
    options = {"upload": FILES, "path": FILES, "page": PAGES, "paper": PAPERS}[step.kind]
    name = options[step.name % len(options)]
    paper = arxiv_source(name, max_mb=1) if step.kind == "paper" else None
    key = paper.key if paper else check_url(name) if step.kind == "page" else f"./{name}"
    return Source(
        name=name,
        key=key if step.kind in {"page", "paper"} else name if "arxiv" not in name else key,
        load=lambda: loaded,
        is_address=step.kind in {"page", "paper"},
        is_upload=step.kind == "upload",
        source_url=paper.source_url if paper else "",
        arxiv_id=paper.arxiv_id if paper else "",
    )


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One process that parses all the files."""
    with Sandbox() as one:
        yield one


@given(steps=STEPS, defaults=DEFAULTS)
@example(steps=SAME_NAME, defaults=(frozenset(), frozenset()))
@example(steps=CLAIMED, defaults=(frozenset(), frozenset()))
@example(steps=CANONICAL, defaults=(frozenset(), frozenset()))
@example(steps=UNREAD, defaults=(frozenset({0}), frozenset()))
@tried(12)  # each ingests up to seven files
def test_no_role_reads_a_text_that_was_not_meant_for_it(
    sandbox: Sandbox, steps: list[Step], defaults: tuple[frozenset[int], ...]
) -> None:
    """After every step; and a text that was taken in is read by all for whom it came."""
    with transaction.atomic():
        library = Library(sandbox, defaults)
        for step in steps:
            outcome = library.take(step)
            for role in range(ROLES):
                assert library.found(role) <= {mark for mark, roles in library.meant.items() if role in roles}
            if outcome is not None and not outcome.errors and not outcome.unchanged:
                decides = step.who < 0 or PEOPLE[step.who][1]
                for role in step.roles if decides else ():
                    assert library.last in library.found(role)
        transaction.set_rollback(True)


@given(steps=STEPS, defaults=DEFAULTS)
@example(steps=UNREAD, defaults=(frozenset({0}), frozenset()))
@example(steps=UNREAD_BY_ITS_OWN, defaults=(frozenset({0}), frozenset()))
@tried(12)
def test_who_may_not_grant_replaces_nothing_that_they_may_not_read(
    sandbox: Sandbox, steps: list[Step], defaults: tuple[frozenset[int], ...]
) -> None:
    """Every text that they did not bring and may not read is there afterwards as it was before, for the same roles."""
    with transaction.atomic():
        library = Library(sandbox, defaults)
        brought: dict[int, set[str]] = {}
        for step in steps:
            before = [library.found(role) for role in range(ROLES)]
            library.take(step)
            after = [library.found(role) for role in range(ROLES)]
            if step.kind == "grant":
                continue
            brought.setdefault(step.who, set()).add(library.last)
            if step.who < 0 or PEOPLE[step.who][1]:
                continue
            own = set().union(brought[step.who], *(before[role] for role in PEOPLE[step.who][0]))
            for role in range(ROLES):
                assert before[role] - own == after[role] - own
        transaction.set_rollback(True)
