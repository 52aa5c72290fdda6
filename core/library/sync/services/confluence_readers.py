"""Find the readers of a Confluence page, by the space's permissions and by restrictions on it and its ancestors."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from core.library.sync.services.answers import inner, items, read_pages, text
from core.library.sync.services.client import Client
from core.library.sync.services.levels import ANYONE, EVERYBODY, Level, Reader, readers_of

SPACE_EXPANSIONS = "permissions"

_ACCOUNT = "user:"  # before the name of somebody in Data Center
_PAGE_SIZE = 200


class PageReaders:
    """The readers of the pages of one space. What cannot be read is read by nobody.

    has_asked: True if the given pages did not have all readers, so that they come from answers of several moments.
    """

    def __init__(
        self, client: Client, space: Mapping[str, Any], pages: Iterable[Mapping[str, Any]], *, is_cloud: bool
    ) -> None:
        self._client = client
        self._is_cloud = is_cloud
        self._space = _space_level(space)
        self._restrictions = {text(page, "id"): inner(page, "restrictions", "read", "restrictions") for page in pages}
        self._members: dict[Reader, frozenset[str] | None] = {}
        self.has_asked = False

    def of(self, page: Mapping[str, Any]) -> tuple[str, ...]:
        """Users and groups, by Confluence's names; "anyone" where it asks nobody to sign in."""
        above = page.get("ancestors")
        if not isinstance(above, list):
            return ()
        pages = (text(each, "id") for each in (*above, page))
        restricted = [level for each in pages if (level := _read_restriction(self._restrictions_of(each))) is not None]
        return readers_of([self._space, *restricted], self._members_of)

    def _restrictions_of(self, page: str) -> Mapping[str, Any]:
        """Return those of a page; one that the listing does not show is asked for itself."""
        if page not in self._restrictions:
            self.has_asked = True
            path = f"/rest/api/content/{quote(page)}/restriction/byOperation/read"
            found = self._client.ask_json_if_shown(f"{path}?expand=restrictions.user,restrictions.group")
            self._restrictions[page] = inner(found or {}, "restrictions")
        return self._restrictions[page]

    def _members_of(self, group: Reader) -> frozenset[str] | None:
        if group not in self._members:
            self.has_asked = True
            self._members[group] = self._read_members(group)
        return self._members[group]

    def _read_members(self, group: Reader) -> frozenset[str] | None:
        """Return the users of a group; None when it does not show all of them."""
        members = "membersByGroupId" if self._is_cloud else "member"
        first = f"/rest/api/group/{quote(group.id, safe='')}/{members}?limit={_PAGE_SIZE}"
        found = set[str]()
        for page in read_pages(
            lambda path: self._client.ask_json_if_shown(f"/{(path or first).lstrip('/')}") or {},
            lambda page: text(page, "_links", "next"),
        ):
            if "results" not in page:
                return None
            found |= {user.id for each in items(page, "results") if (user := _read_user(each))}
        return frozenset(found)


def _space_level(space: Mapping[str, Any]) -> Level:
    """Return the readers of a space; nobody when its permissions are missing."""
    permissions = space.get("permissions")
    found = set[Reader]()
    for permission in permissions if isinstance(permissions, list) else []:
        if (text(permission, "operation", "operation"), text(permission, "operation", "targetType")) != (
            "read",
            "space",
        ):
            continue
        if permission.get("anonymousAccess") is True:
            found.add(EVERYBODY)
        found |= _read_subjects(inner(permission, "subjects"))
    return frozenset(found)


def _read_restriction(restrictions: Mapping[str, Any]) -> Level | None:
    """Return the readers that a restriction names; None when there is none, and nobody when the names are missing."""
    kinds = [inner(restrictions, kind) for kind in ("user", "group")]
    if not all(isinstance(kind.get("results"), list) for kind in kinds):
        return frozenset()
    if not any(kind["results"] or kind.get("size") for kind in kinds):
        return None
    return frozenset(_read_subjects(restrictions))


def _read_subjects(subjects: Mapping[str, Any]) -> set[Reader]:
    users = inner(subjects, "user").get("results") or []
    groups = inner(subjects, "group").get("results") or []
    found = [*map(_read_user, users), *map(_read_group, groups)]
    # One that is called as everybody is here would be taken for that.
    return {reader for reader in found if reader is not None and reader.name != ANYONE}


def _read_user(user: Mapping[str, Any]) -> Reader | None:
    """Return a user, by account in the cloud, which shows an e-mail address only where its owner lets it; else by name.

    A user name may be a group's as well: a role that stands for the group must not get what the user alone reads.
    """
    if account := text(user, "accountId"):
        return Reader(id=account, name=text(user, "email") or account)
    name = text(user, "username")
    return Reader(id=name, name=text(user, "email") or f"{_ACCOUNT}{name}") if name else None


def _read_group(group: Mapping[str, Any]) -> Reader | None:
    name = text(group, "name")
    is_known = name and not name.startswith(_ACCOUNT)  # one that is called as a user is nobody
    return Reader(id=text(group, "id") or name, name=name, is_group=True) if is_known else None
