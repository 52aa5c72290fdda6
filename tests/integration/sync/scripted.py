"""A kind of data source that holds what a test puts there."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pydantic import BaseModel

from core.errors import FootnoteError, GoneError, IngestionError, SourceError
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.sync.connector import Access, Kind, Listed, Loaded


@dataclass(slots=True)
class Held:
    """A document there."""

    text: str
    groups: tuple[str, ...] | None = None
    name: str = ""
    date: dt.date | None = None


@dataclass(slots=True)
class Shelf:
    """All that is there, and what was asked of it."""

    documents: dict[str, Held] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    broken: dict[str, IngestionError] = field(default_factory=dict)
    fails_with: SourceError | None = None
    looks_again: bool = True  # otherwise its connector cannot be asked for one document
    is_mute: bool = False  # it gives no fingerprints, and knows its validators
    loaded: list[str] = field(default_factory=list)
    kills_at: str = ""  # the key at which the process that loads is killed
    looked: list[str] = field(default_factory=list)  # the keys at which it was looked again
    unseen: dict[str, FootnoteError] = field(default_factory=dict)  # errors of looking again, by key
    told: dict[str, tuple[str, ...] | None] = field(default_factory=dict)  # the groups that it told of last, by key
    meanwhile: Callable[[str, str], None] = lambda step, key: (
        None
    )  # called before "list", "load" and "look", with a key, and before a listing comes to the "readers" of each


class KilledError(BaseException):
    """In place of a kill."""


SHELF = Shelf()


class _Settings(BaseModel):
    """None."""


class _Plain:
    def list(self) -> Iterator[Listed | LeftOut]:
        SHELF.meanwhile("list", "")
        for key, held in list(SHELF.documents.items()):
            described = _listed(key, held)
            SHELF.meanwhile("readers", key)
            SHELF.told[key] = SHELF.documents[key].groups if key in SHELF.documents else ()
            yield replace(described, groups=SHELF.told[key])
        yield from SHELF.left_out
        if SHELF.fails_with is not None:
            raise SHELF.fails_with

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        if listed.key == SHELF.kills_at:
            raise KilledError
        SHELF.meanwhile("load", listed.key)
        SHELF.loaded.append(listed.key)
        if listed.key in SHELF.broken:
            raise SHELF.broken[listed.key]
        if listed.key not in SHELF.documents:
            raise GoneError
        held = SHELF.documents[listed.key]
        text = held.text
        if SHELF.is_mute and validator == text:
            return None
        file_name = held.name or listed.key.rpartition("/")[2]
        return Loaded(file=LoadedFile(content=text.encode(), name=file_name), validator=text if SHELF.is_mute else "")


class _Connector(_Plain):
    def look_again(self, listed: Listed) -> Listed | None:
        SHELF.meanwhile("look", listed.key)
        SHELF.looked.append(listed.key)
        if listed.key in SHELF.unseen:
            raise SHELF.unseen[listed.key]
        held = SHELF.documents.get(listed.key)
        return None if held is None else _listed(listed.key, held)


def _listed(key: str, held: Held) -> Listed:
    SHELF.told[key] = held.groups
    fingerprint = "" if SHELF.is_mute else held.text or "nothing"
    name = held.name or key
    return Listed(key=key, name=name, fingerprint=fingerprint, groups=held.groups, document_date=held.date)


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> _Plain:
    return _Connector() if SHELF.looks_again else _Plain()


KIND = Kind(
    name="scripted",
    label="Scripted",
    help="Holds what a test puts there.",
    settings=_Settings,
    connect=_connect,
    tells_readers=True,
)
