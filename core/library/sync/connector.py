"""Define what each kind of data source offers: a listing of its documents, loading one of them, and errors of both."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from pydantic import BaseModel

from core.errors import ChangedMeanwhileError, FetchError, IngestionError, SourceError, UnsafeUrlError
from core.library.ingestion.markup.reader import MarkupReader
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.ingestion.sources.policy import Policy
from core.library.sync.proposing import ChangeWay, TakesChanges


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One document as listed by a data source."""

    key: str  # what identifies it there, and nothing that it says of itself: a path, an address, an id
    name: str  # for people
    fingerprint: str = ""  # another one means another content; "": unknown before loading
    groups: tuple[str, ...] | None = None  # who may read it there, by the source's own names; None: unknown
    source_url: str = ""  # shown and linked
    document_type: str = ""  # a value of Document.Type; "" and None below: as the document itself says
    document_date: dt.date | None = None
    arxiv_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """The bytes of a document, and what the source takes as proof that somebody has them."""

    file: LoadedFile
    validator: str = ""  # handed to the next loading of it; "": there is none


class Connector(Protocol):
    """A data source that can be asked.

    Both methods call `Access.pause` before each request. They raise `SourceError` when the source as a whole cannot be
    asked (`SourceRefusedError` when its credentials are refused), `load` any IngestionError when it is only about this
    document.
    """

    def list(self) -> Iterator[Listed | LeftOut]:
        """Everything there. It may be long: what was yielded is stored as it comes.

        A listing that ends without an error is complete: what it does not name is gone. One that is cut by its own
        limits, or of a source that names only its newest documents, ends with IncompleteListingError, after everything
        that was found: nothing failed, but what it does not name may still be there.
        """

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """One document; None when the source says that it is what it was when it gave this validator.

        ChangedMeanwhileError where it is seen that the content is not the one with the fingerprint any more.
        """


@runtime_checkable
class TellsReaders(Connector, Protocol):
    """A data source that can report the current readers of one document."""

    def look_again(self, listed: Listed) -> Listed | None:
        """Return one document as the source describes it now, readers and fingerprint included; None if it is gone.

        The source is asked anew, and the readers are those of the very content that bears the fingerprint. So what
        `load` gave for a `Listed` before may be shown to them, if this fingerprint is still the same.

        listed: as the listing or an earlier look returned it. Errors as of `load`: ChangedMeanwhileError when the
        source never stays as it is long enough to be described.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """A connector's limits on outside requests: size, allowed addresses and folders, and pace."""

    max_mb: int  # of one document
    policy: Policy = field(default_factory=Policy)  # public addresses and the allowed hosts
    folders: tuple[Path, ...] = ()  # on this machine, that may be read with all below them
    pause: Callable[[], None] = lambda: None  # waits as long as the source's own rate demands; may end a listing
    markup: MarkupReader = field(default_factory=MarkupReader)  # starts nothing before it is used

    def addresses_of(self, host: str, port: int) -> list[str]:
        """Resolve a host once, to addresses that may be connected to. SourceError for one that may not be asked."""
        try:
            return self.policy.addresses_of(host.casefold(), port)
        except UnsafeUrlError as error:
            raise SourceError(f"{error.message} An administrator can add hosts inside under Intranet hosts.") from error
        except FetchError as error:
            raise SourceError(error.message) from error

    def locate(self, path: str) -> tuple[Path, tuple[str, ...]]:
        """Return an allowed folder, and the way from there to a folder below it. SourceError when it is in none."""
        try:
            root = Path(path).resolve(strict=True)
        except (OSError, RuntimeError):
            root = None
        for folder in self.folders:
            allowed = folder.resolve()
            if root is not None and root.is_relative_to(allowed):
                return allowed, root.relative_to(allowed).parts
        # Whether there is such a folder outside is nobody's business.
        raise SourceError(f"{path} is not there, or not in one of the folders that this installation allows.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """A kind of data source."""

    name: str  # stored, "web_site"
    label: str  # for people, "Web site"
    help: str  # one or two sentences for the page on which one is added
    settings: type[BaseModel]  # fields with title and description: the form is made of them
    connect: Callable[[BaseModel, Mapping[str, str], Access], Connector]  # settings, secrets by name, what it may do
    secrets: Mapping[str, str] = field(default_factory=dict)  # what is kept encrypted: name to label
    # The settings that decide to whom the secrets are sent; (): always to the same service. Needed where there are any.
    destination: tuple[str, ...] | None = None
    per_minute: int = 120  # requests, unless an administrator says otherwise; 0: as fast as it answers
    tells_readers: bool = False  # whether `Listed.groups` is ever given
    # Whether nobody may ever read it but those whom it names: its sources have no roles that somebody chooses.
    named_readers_only: bool = False
    # In which way the settings let changes be proposed; None: not at all.
    find_way: Callable[[BaseModel], ChangeWay | None] = lambda settings: None
    # As `connect`, where there is a way. SourceRefusedError without the credentials for that.
    connect_for_changes: Callable[[BaseModel, Mapping[str, str], Access], TakesChanges] | None = None

    def __post_init__(self) -> None:
        """TypeError for secrets of which nobody says to whom they are sent, and for readers whom nobody names."""
        if self.secrets and self.destination is None:
            raise TypeError(f"The kind {self.name} has secrets and does not say to whom they are sent.")
        if self.named_readers_only and not self.tells_readers:
            raise TypeError(f"The kind {self.name} is for readers whom it does not tell.")

    def destination_of(self, settings: BaseModel) -> dict[str, str]:
        """Name the server that settings lead to: of addresses the origin, of other settings the value."""
        named = {name: _find_origin(str(getattr(settings, name))) for name in self.destination or ()}
        return {"kind": self.name, **named}


def _find_origin(value: str) -> str:
    """Return the scheme, host and port of an address; another value as it is."""
    parts = urlsplit(value) if "://" in value else None
    return f"{parts.scheme}://{parts.netloc}" if parts else value


def make_changed_error(name: str) -> ChangedMeanwhileError:
    """Return the content is not the one that was listed, or changes each time that it is looked at."""
    return ChangedMeanwhileError(f"{name} was changed while it was read. It is read again later.")


def make_uncertain_error(name: str) -> IngestionError:
    """Return the source gives no fingerprint, so nobody can say of which content its readers are."""
    return IngestionError(f"Nothing tells when {name} changes, so who may read it is not certain.")
