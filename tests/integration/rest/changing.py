"""A kind of data source at which changes can be proposed, and documents that came from it as text files."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.files.base import ContentFile
from pydantic import BaseModel

from core.errors import FootnoteError
from core.library.originals.storage import build_name, get_storage
from core.library.sync.connector import Access, Kind, Listed, Loaded
from core.library.sync.proposing import Change, ChangeOutcome, ChangeWay, SentChange, name_branch
from core.models import Collection, DataSource, Document, Role, SyncItem
from core.testing import make_document


@dataclass(slots=True)
class Desk:
    """What was proposed, and what is said to it."""

    changes: list[Change] = field(default_factory=list)
    fails_with: FootnoteError | None = None
    outcome: ChangeOutcome = ChangeOutcome.OPEN

    def propose(self, change: Change) -> SentChange:
        """Keep a change, or fail."""
        if self.fails_with is not None:
            raise self.fails_with
        self.changes.append(change)
        return SentChange(
            item_key=change.key,
            url=f"https://git.example/merge/{len(self.changes)}",
            number=str(len(self.changes)),
            branch=name_branch(change.proposal_id),
        )

    def find_outcome(self, sent: SentChange) -> ChangeOutcome:
        """Return what the test says."""
        return self.outcome


DESK = Desk()


class _Settings(BaseModel):
    """None."""


class _Connector:
    def list(self) -> Iterator[Listed]:
        yield from ()

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        raise NotImplementedError


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> _Connector:
    return _Connector()


KIND = Kind(
    name="changing",
    label="Changing",
    help="Takes what a test proposes.",
    settings=_Settings,
    connect=_connect,
    find_way=lambda settings: ChangeWay.MERGE_REQUEST,
    connect_for_changes=lambda settings, secrets, access: DESK,
)


def make_source(name: str = "Handbook source") -> DataSource:
    """Create a source of this kind."""
    collection, _ = Collection.objects.get_or_create(name="Handbook")
    return DataSource.objects.create(name=name, kind="changing", collection=collection, requests_per_minute=0)


def make_file(source: DataSource, key: str, title: str, text: str, *, roles: Sequence[Role]) -> Document:
    """Create a document of one text file of a source, with its original."""
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()
    if not get_storage().exists(build_name(digest)):
        get_storage().save(build_name(digest), ContentFile(content))
    document = make_document(title, text, roles=roles, collection="Handbook")
    item = SyncItem.objects.create(source=source, key=key, name=key, fingerprint=f"{key}-1", is_stored=True)
    Document.objects.filter(pk=document.pk).update(
        data_source=source, sync_item=item, original_hash=digest, original_name=key, original_size=len(content)
    )
    document.refresh_from_db()
    return document
