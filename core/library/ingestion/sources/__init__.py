"""Define a source of documents and the file loaded from it. The modules load from files, pages, arXiv and the like."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedFile:
    """The bytes of a source."""

    content: bytes
    name: str  # with an ending that shows the kind
    is_original: bool = True  # the bytes as they came; False for what was put together of several files
    description: bytes | None = None  # an HTML page whose meta tags describe the content better than it does itself


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Something that holds one document, or several."""

    name: str  # for people: in progress, reports and errors
    key: str  # what identifies it in its collection: an address, arxiv:ID, or a path
    load: Callable[[], LoadedFile]  # raises IngestionError
    is_address: bool = False
    is_upload: bool = False  # a file that was handed in: nothing but its name says where it came from
    item_id: UUID | None = None  # of the data source that looks after it
    was_found: bool = False  # in a folder, rather than named by a person: what holds no document is left out
    source_url: str = ""
    arxiv_id: str = ""
    document_type: str = ""  # "" and None: as the document itself says
    document_date: dt.date | None = None
    expected: str | None = None  # the digest of what was checked before it is live; None: whatever it is


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A file in a folder that is no document."""

    name: str
    reason: str


Found = Source | LeftOut
