"""Tell the files of a drive from what Microsoft Graph says of its items, and where they lie. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from core.library.ingestion.formats import list_readable_endings
from core.library.ingestion.naming import suffix
from core.library.sync.services.answers import NO_ID, identifier, inner, text

# What is asked of each item. "publication" is told only where it is asked for.
FIELDS = "id,name,eTag,webUrl,file,folder,package,remoteItem,parentReference,deleted,root,malware,publication"
CHANGES = "root/delta"  # of a drive, from its top: "driveItem: delta" in the manual of Microsoft Graph
ALSO_IN_IDS = "!"  # in ids of drives, and in those of items of some

_DEEPEST = 400  # folders: the longest path that SharePoint takes has as many characters (its manual, "Restrictions")
_NO_PLACE = "Microsoft Graph does not tell in which folder it lies, and the settings leave folders out"


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """Holds a file, a folder, or the root of a drive."""

    id: str
    name: str
    above: str  # the id of its folder
    is_file: bool = False
    is_root: bool = False
    reason: str = ""  # why a file is no document; "" for one that is
    fingerprint: str = ""
    url: str = ""


def read_item(told: Mapping[str, Any]) -> Item:
    """Return an item. One without an id of its own has a reason and an id that is ""."""
    found = identifier(told, "id", also=ALSO_IN_IDS)
    name = text(told, "name")
    is_folder = isinstance(told.get("folder"), dict) and not told.get("package") and not told.get("remoteItem")
    is_root = isinstance(told.get("root"), dict)
    url = text(told, "webUrl")
    return Item(
        id=found,
        name=name,
        above=text(told, "parentReference", "id"),
        is_file=not found or not (is_folder or is_root),
        is_root=is_root,
        reason=_find_reason(told, name) if found else NO_ID,
        # Of all that is told of it, with a number that only rises. Listings of changes leave out the tag of the content
        # alone (Microsoft's manual, "driveItem: delta").
        fingerprint=text(told, "eTag"),
        url=url if url.startswith("https://") else "",
    )


def is_deleted(told: Mapping[str, Any]) -> bool:
    """Return True for what a listing of changes names because it is gone."""
    return told.get("deleted") is not None


def read_folder(told: Mapping[str, Any]) -> str | None:
    """Return the path of an item's folder from the root of its drive, as its description has it; None without one."""
    path = inner(told, "parentReference").get("path")
    _, mark, below = path.partition("root:") if isinstance(path, str) else ("", "", "")
    return unquote(below).strip("/") if mark else None


class Folders:
    """The folders of a drive, and which of them are left out."""

    def __init__(self, items: Mapping[str, Item], left_out: Collection[str]) -> None:
        """left_out: paths from the root of the drive."""
        self._items = items
        self._left_out = left_out
        self._paths: dict[str, str | None] = {}

    def find_reason(self, item: Item) -> str:
        """Say why the place of a file leaves it out; "" if it does not."""
        return find_reason_of_place(self._find_path(item.above), self._left_out) if self._left_out else ""

    def _find_path(self, folder: str) -> str | None:
        """Return the path of a folder; None where the way from the root to it is not told."""
        way: dict[str, None] = {}  # in its order
        below = folder
        while below not in self._paths:
            found = self._items.get(below)
            if found is None or found.is_file or below in way or len(way) > _DEEPEST:
                self._paths[below] = None
            elif found.is_root:
                self._paths[below] = ""
            else:
                way[below] = None
                below = found.above
        path = self._paths[below]
        for each in reversed(way):
            path = None if path is None else f"{path}/{self._items[each].name}".strip("/")
            self._paths[each] = path
        return path


def find_reason_of_place(folder: str | None, left_out: Collection[str]) -> str:
    """Say why a folder leaves out what lies in it; "" if it does not. Capital letters count for nothing there."""
    if not left_out:
        return ""
    if folder is None:
        return _NO_PLACE
    place = f"{folder.casefold()}/"
    found = next((each for each in left_out if place.startswith(f"{each.casefold()}/")), None)
    return f"it lies in the folder {found}, which the settings leave out" if found else ""


def _find_reason(told: Mapping[str, Any], name: str) -> str:
    """Say why what is no folder is no document; "" for one that is."""
    if told.get("remoteItem"):
        return "a shortcut; what it leads to is read where it lies"
    if told.get("package"):
        return "a notebook or another package, which is not read"
    if not isinstance(told.get("file"), dict):
        return "neither a file nor a folder"
    if told.get("malware"):
        return "Microsoft found malware in it"
    if text(told, "publication", "level") not in {"", "published"}:
        return "not published or checked out, so what its readers see is another version"
    return "" if suffix(name) in list_readable_endings() else "a file of a kind that is not read"
