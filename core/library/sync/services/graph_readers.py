"""Read from the permissions of a file in SharePoint who reads it. Pure.

Only what names somebody for certain counts. What is not known here, a role, a kind of link or a kind of account,
gives nobody anything. The forms are those of Microsoft's manual, "permission resource type" of Microsoft Graph v1.0;
the accounts' names are those that SharePoint gives to claims.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.library.sync.services.answers import inner, text

ALL_MEMBERS = "everyone except external users"
ALL_SIGNED_IN = "everyone signed in"

# "sp.full control" is no role of the manual, but what SharePoint tells of its owners. It includes reading.
_READING = {"read", "write", "owner", "sp.full control"}
_OPENING = {"view", "edit"}  # kinds of links; others only take files in, or show them without giving them out
_GUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_IS_GUID = re.compile(_GUID)
_ADDRESS = re.compile(r"[^\s@()|:<>\"]+@[^\s@()|:<>\"]+")
_USER = "i:0#.f|membership|"
# A security group of Entra, and the members of a Microsoft 365 group; "_o" after that one's ID would be its owners.
_GROUP = re.compile(rf"c:0(?:t\.c\|tenant|o\.c\|federateddirectoryclaimprovider)\|({_GUID})")
_MEMBERS = re.compile(rf"c:0-\.f\|rolemanager\|spo-grid-all-users/{_GUID}")
_SIGNED_IN = "c:0(.s|true"
_MOST_OF_A_NAME = 200  # characters, so that the ID after it is never cut off

FindSite = Callable[[], str]  # the address of the site of a file; "": not told, or its groups are not to be named


@dataclass(kw_only=True, slots=True)
class Told:
    """Holds the readers of a file, and the groups of its site that would be readers if they were to be named."""

    readers: set[str] = field(default_factory=set)
    unnamed: set[str] = field(default_factory=set)


def read_readers(permissions: Iterable[Mapping[str, Any]], find_site: FindSite, now: dt.datetime) -> Told:
    """Return who reads a file: users by e-mail address, groups by name and ID.

    find_site: asked where a group of a site is a reader. now: what has expired by then counts no more.
    """
    told = Told()
    for permission in permissions:
        if _lets_read(permission) and not _has_expired(permission, now):
            for identities in _identities_of(permission):
                _add_reader(identities, find_site, told)
    return told


def _lets_read(permission: Mapping[str, Any]) -> bool:
    roles = permission.get("roles")
    return isinstance(roles, list) and any(isinstance(role, str) and role.lower() in _READING for role in roles)


def _has_expired(permission: Mapping[str, Any], now: dt.datetime) -> bool:
    """Return True for a permission that ended, or of which it cannot be told when it ends."""
    told = permission.get("expirationDateTime")
    if told is None or told == "":
        return False
    try:
        ends = dt.datetime.fromisoformat(str(told))
    except ValueError:
        return True
    return ends.replace(tzinfo=ends.tzinfo or dt.UTC) <= now


def _identities_of(permission: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return those whom a permission names. A link names somebody only if it is for named people alone."""
    if permission.get("link") is None:
        return [inner(permission, "grantedToV2")]
    link = inner(permission, "link")
    is_for_named = text(link, "scope") == "users" and text(link, "type") in _OPENING
    if not is_for_named or link.get("preventsDownload") is True or permission.get("hasPassword") is True:
        return []
    named = permission.get("grantedToIdentitiesV2")
    return [each for each in named if isinstance(each, dict)] if isinstance(named, list) else []


def _add_reader(identities: Mapping[str, Any], find_site: FindSite, told: Told) -> None:
    """Add one reader, who is told in several ways: as Entra knows the account, and as its site does."""
    site_group = inner(identities, "siteGroup")
    login = text(identities, "siteUser", "loginName").lower() or text(site_group, "loginName").lower()
    if site_group and not login.startswith("c:"):
        _add_site_group(site_group, find_site, told)
    elif login.startswith("c:"):
        told.readers |= {_name_claim(login, identities)} - {""}
    elif inner(identities, "group"):
        is_contradicted = login or inner(identities, "user")
        group = text(identities, "group", "id").lower()
        told.readers |= set() if is_contradicted else {_name_group(group, identities)} - {""}
    else:
        told.readers |= {_name_user(login, identities)} - {""}


def _name_claim(login: str, identities: Mapping[str, Any]) -> str:
    """Return the name of those whom a claim of SharePoint means; "" for a claim that is not known."""
    if login == _SIGNED_IN:
        return ALL_SIGNED_IN
    if _MEMBERS.fullmatch(login):
        return ALL_MEMBERS
    found = _GROUP.fullmatch(login)
    return _name_group(found[1], identities) if found else ""


def _name_group(group: str, identities: Mapping[str, Any]) -> str:
    """Return a group's name and ID: names are not unique, and whoever makes groups chooses them."""
    if not _IS_GUID.fullmatch(group):
        return ""
    told = (text(identities, kind, "displayName") for kind in ("group", "siteUser", "siteGroup"))
    return f"{_shorten(next(filter(None, told), 'group'))} ({group})"


def _name_user(login: str, identities: Mapping[str, Any]) -> str:
    """Return a user's e-mail address, else the name of the account, else its ID; "" for one of which none is told."""
    named = login.removeprefix(_USER) if login.startswith(_USER) else ""
    for told in (text(identities, "user", "email"), text(identities, "siteUser", "email"), named):
        if _ADDRESS.fullmatch(told):
            return told.lower()
    user = text(identities, "user", "id").lower()
    return f"user:{user}" if _IS_GUID.fullmatch(user) else ""


def _add_site_group(group: Mapping[str, Any], find_site: FindSite, told: Told) -> None:
    number, site = text(group, "id"), find_site()
    name = _shorten(text(group, "displayName") or "group")
    if site and number.isascii() and number.isdecimal():
        told.readers.add(f"{name} (group {number} of {site})")
    else:
        told.unnamed.add(name)


def _shorten(name: str) -> str:
    return " ".join(name.split())[:_MOST_OF_A_NAME]
