"""Who may read a page of Confluence: the space's permissions, and the restrictions of the page and of those above it."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from core.errors import SourceError, SourceRefusedError
from core.sync.client import Client
from core.sync.fields import inner, text
from core.sync.paging import items, read_pages
from core.sync.readers import EVERYBODY, Level, Reader, readers_of

SPACE_EXPANSIONS = "permissions"

_PAGE_SIZE = 200


class PageReaders:
    """The readers of the pages of one space. What cannot be read is read by nobody."""

    def __init__(
        self, client: Client, space: Mapping[str, Any], pages: Iterable[Mapping[str, Any]], *, is_cloud: bool
    ) -> None:
        self._client = client
        self._is_cloud = is_cloud
        self._space = _space_level(space)
        self._restrictions = {text(page, "id"): inner(page, "restrictions", "read", "restrictions") for page in pages}
        self._members: dict[Reader, frozenset[str] | None] = {}

    def of(self, page: Mapping[str, Any]) -> tuple[str, ...]:
        """Users and groups, by Confluence's names; "anyone" where it asks nobody to sign in."""
        levels = [self._space]
        above = page.get("ancestors")
        if self._space is None or not isinstance(above, list):
            return ()
        for each in (*above, page):
            try:
                level = _restriction(self._restrictions_of(text(each, "id")))
            except SourceError:
                return ()
            if level is not None:
                levels.append(level)
        return readers_of([level for level in levels if level is not None], self._members_of)

    def _restrictions_of(self, page: str) -> Mapping[str, Any]:
        """Those of a page; one that the listing does not show is asked for itself."""
        if page not in self._restrictions:
            path = f"/rest/api/content/{quote(page)}/restriction/byOperation/read?expand=restrictions.user,restrictions.group"
            try:
                self._restrictions[page] = inner(self._client.ask_json(path), "restrictions")
            except SourceRefusedError:
                self._restrictions[page] = {}
        return self._restrictions[page]

    def _members_of(self, group: Reader) -> frozenset[str] | None:
        if group not in self._members:
            try:
                self._members[group] = self._read_members(group)
            except SourceError:
                self._members[group] = None
        return self._members[group]

    def _read_members(self, group: Reader) -> frozenset[str]:
        path = f"/rest/api/group/{quote(group.id, safe='')}/member?limit={_PAGE_SIZE}"
        if self._is_cloud:
            path = f"/rest/api/group/{quote(group.id, safe='')}/membersByGroupId?limit={_PAGE_SIZE}"
        pages = read_pages(
            lambda next_path: self._client.ask_json(f"/{(next_path or path).lstrip('/')}"),
            lambda page: text(page, "_links", "next"),
        )
        return frozenset(user.id for page in pages for each in items(page, "results") if (user := _user(each)))


def _space_level(space: Mapping[str, Any]) -> Level | None:
    """Who may read a space; None when that is not told."""
    permissions = space.get("permissions")
    if not isinstance(permissions, list):
        return None
    found = set[Reader]()
    for permission in permissions:
        if (text(permission, "operation", "operation"), text(permission, "operation", "targetType")) != ("read", "space"):
            continue
        if permission.get("anonymousAccess") is True:
            found.add(EVERYBODY)
        found |= _named(inner(permission, "subjects"))
    return frozenset(found)


def _restriction(restrictions: Mapping[str, Any]) -> Level | None:
    """Who is named by a restriction; None when there is none. SourceError when that is not told."""
    kinds = [inner(restrictions, kind) for kind in ("user", "group")]
    if not all(isinstance(kind.get("results"), list) for kind in kinds):
        raise SourceError("Confluence does not tell who may read a page.")
    if not any(kind["results"] or kind.get("size") for kind in kinds):
        return None
    return frozenset(_named(restrictions))


def _named(subjects: Mapping[str, Any]) -> set[Reader]:
    users = inner(subjects, "user").get("results") or []
    groups = inner(subjects, "group").get("results") or []
    found = [*map(_user, users), *map(_group, groups)]
    return {reader for reader in found if reader is not None}


def _user(user: Mapping[str, Any]) -> Reader | None:
    """By account in the cloud, which shows an e-mail address only where the account's owner lets it; else by name."""
    account = text(user, "accountId") or text(user, "username")
    return Reader(id=account, name=text(user, "email") or account) if account else None


def _group(group: Mapping[str, Any]) -> Reader | None:
    name = text(group, "name")
    return Reader(id=text(group, "id") or name, name=name, is_group=True) if name else None
