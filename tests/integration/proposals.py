"""What a proposed change needs: a gap of several people's questions, and documents of a source that takes changes.

A test that uses the source calls `register_source` first. What was proposed to it is in `SOURCE`.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from django.utils import timezone
from pydantic import BaseModel

from core.access.audiences import audience_of
from core.errors import SourceError
from core.library import embedding
from core.library.ingestion.sources import LeftOut
from core.library.originals.keeping import Original, hash_content, keep
from core.library.sync import kinds
from core.library.sync.connector import Access, Kind, Listed, Loaded
from core.library.sync.proposing import Change, ChangeOutcome, ChangeWay, SentChange, name_branch
from core.models import Collection, ContentGap, DataSource, Document, Query, Role, SyncItem, SyncRun, User
from core.quality.proposals.drafting import find_goal
from core.quality.proposals.proposing import propose_change
from core.quality.proposals.rights import find_reason
from core.testing import make_document
from core.values.proposals import Occasion, WrittenChange
from tests.integration.asked import give_right, make_question

PROPOSES = ("propose_changes", "view_gaps", "manage_gaps")
ASKED = "How many weeks of parental leave are there?"
HANDBOOK = "Leave handbook"
ANNUAL = "Annual leave is thirty days. Ask for annual leave four weeks before."
PARENTAL = "For parental leave ask the office: how many weeks are there is to be agreed."
FILE = f"# Leave\n\n{ANNUAL}\n\n## Parental leave\n\n{PARENTAL}\n"
ANSWER = "There are sixteen weeks of parental leave."
URL = "https://git.example/handbook/merge_requests/7"
KIND_NAME = "taking"


@dataclass(slots=True)
class Taken:
    """Holds what was proposed to the source, and what it will say of it."""

    changes: list[Change] = field(default_factory=list)
    outcome: ChangeOutcome = ChangeOutcome.OPEN
    fails_with: SourceError | None = None


SOURCE = Taken()


class _Settings(BaseModel):
    """In which way the source takes changes."""

    way: ChangeWay | None = ChangeWay.MERGE_REQUEST


class _Source:
    def list(self) -> Iterator[Listed | LeftOut]:
        return iter(())

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        return None

    def propose(self, change: Change) -> SentChange:
        if SOURCE.fails_with is not None:
            raise SOURCE.fails_with
        SOURCE.changes.append(change)
        branch = name_branch(change.proposal_id)
        return SentChange(item_key=change.key, url=URL, number="7", branch=branch, fingerprint="merged")

    def find_outcome(self, sent: SentChange) -> ChangeOutcome:
        return SOURCE.outcome


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> _Source:
    return _Source()


def _find_way(settings: BaseModel) -> ChangeWay | None:
    return settings.way if isinstance(settings, _Settings) else None


KIND = Kind(
    name=KIND_NAME,
    label="Taking",
    help="Takes changes.",
    settings=_Settings,
    connect=_connect,
    find_way=_find_way,
    connect_for_changes=_connect,
)


def register_source(patch: pytest.MonkeyPatch) -> Taken:
    """Let there be the kind of source that takes changes; return what will be proposed to it."""
    patch.setitem(kinds.MODULES, KIND_NAME, __name__)
    SOURCE.changes.clear()
    SOURCE.outcome, SOURCE.fails_with = ChangeOutcome.OPEN, None
    return SOURCE


def make_source(name: str = "Handbook", *, way: ChangeWay | None = ChangeWay.MERGE_REQUEST) -> DataSource:
    """Make a source that takes changes in this way; None: it takes none."""
    shelf, _ = Collection.objects.get_or_create(name="Test library")
    return DataSource.objects.create(name=name, kind=KIND_NAME, collection=shelf, settings={"way": way})


def make_file(
    title: str = HANDBOOK,
    text: str = FILE,
    *,
    roles: Sequence[Role],
    source: DataSource | None = None,
    key: str = "leave.md",
) -> Document:
    """Make a document of a source, with the original of its file, and a passage for each paragraph that is no heading.

    source: a new one by default. key: the path of its file, or "page:" and an id.
    """
    source = source or make_source()
    paragraphs = [part for part in text.split("\n\n") if part.strip() and not part.strip().startswith("#")]
    document = make_document(title, *paragraphs, roles=roles)
    run = SyncRun.objects.create(source=source, state=SyncRun.State.DONE)
    document.data_source = source
    document.sync_item = SyncItem.objects.create(
        source=source,
        key=key,
        name=key,
        seen_in=run,
        is_stored=True,
        fingerprint=hashlib.sha256(text.encode()).hexdigest(),
    )
    content = text.encode()
    keep(Original(content=content, sha256=hash_content(content), name=key, media_type="text/markdown"), document)
    document.save()
    return document


def make_gap(question: str, *people: User) -> ContentGap:
    """Make a gap: the same question, which each of these people asked in vain."""
    provider = embedding.provider()
    vector = provider.embed([question])[0]
    queries = [make_question(person, day=timezone.localdate(), refused="nothing_found") for person in people]
    now = timezone.now()
    Query.objects.filter(pk__in=[query.pk for query in queries]).update(question_text=question)
    gap = ContentGap.objects.create(
        label_query=queries[0], asked=len(people), people=len(people), first_seen=now, last_seen=now
    )
    for query in queries:
        gap.questions.create(
            query=query, outcome="refused", asked_at=now, embedding=vector, embedding_model=provider.name
        )
    return ContentGap.objects.select_related("label_query").get(pk=gap.pk)


def let_propose(person: User, *rights: str) -> User:
    """Return the person with the rights of who proposes changes for gaps in the admin, and with these."""
    person.is_staff = True
    person.save(update_fields=["is_staff"])
    return give_right(person, *PROPOSES, *rights)


def propose(
    person: User,
    *,
    gap: ContentGap | None = None,
    document: Document | None = None,
    source: DataSource | None = None,
    place: str = "",
    text: str = f"{FILE}\n{ANSWER}\n",
) -> str:
    """Propose a change in the name of a person who may; return the proposal's id."""
    audience = audience_of([person.pk])
    reason = find_reason(Occasion(gap=gap.pk if gap else None), person, audience)
    goal = find_goal(document.pk if document else None, source.pk if source else None, person, audience)
    written = WrittenChange(
        title="Answer: parental leave",
        question=ASKED,
        text=text,
        document_id=document.pk if document else None,
        version=document.version if document else 0,
        source_id=source.pk if source else None,
        place=place,
    )
    return str(propose_change(reason, goal, written, person, audience))
