"""Define the groupings of figures, and who may have them."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

VIEW_REPORTS = "core.view_reports"
VIEW_PERSONS = "core.view_person_reports"


class Grouping(StrEnum):
    """The property that the questions of one row have in common."""

    DAY = "day"
    WEEK = "week"
    ROLE = "role"
    CHANNEL = "channel"
    COLLECTION = "collection"
    PERSON = "person"
    MODEL = "model"

    @property
    def is_of_time(self) -> bool:
        """True if rows follow each other in time."""
        return self in (Grouping.DAY, Grouping.WEEK)

    @property
    def may_overlap(self) -> bool:
        """True if one question may count in several rows: the asker has two roles, an answer cites two collections."""
        return self in (Grouping.ROLE, Grouping.COLLECTION)


# Besides the right to read reports: rows that name something are for those who may see the list of such things.
_NEEDED = {
    Grouping.ROLE: "core.view_role",
    Grouping.CHANNEL: "core.view_channelsetting",
    Grouping.COLLECTION: "core.view_collection",
    Grouping.PERSON: VIEW_PERSONS,
}


def list_permissions(by: Grouping) -> tuple[str, ...]:
    """Return the permissions that a report with this grouping needs, all of them."""
    return (VIEW_REPORTS, *([_NEEDED[by]] if by in _NEEDED else []))


def may_group(user: Any, by: Grouping) -> bool:
    """Return True if a user may have the figures in these groups. user: a person, or nobody who is signed in."""
    return all(user.has_perm(permission) for permission in list_permissions(by))


def explain_lacking(user: Any, permissions: Iterable[str]) -> str:
    """Return the sentences of a refusal: which of the needed permissions the user lacks, and who can give them."""
    lacking = [permission.partition(".")[2] for permission in permissions if not user.has_perm(permission)]
    if len(lacking) == 1:
        return f"This needs a permission that you lack: {lacking[0]}. An administrator can give it."
    return f"This needs permissions that you lack: {', '.join(lacking)}. An administrator can give them."


def list_groupings(user: Any) -> list[Grouping]:
    """Return the groupings that somebody may have; none without the right to read reports."""
    return [by for by in Grouping if may_group(user, by)]
