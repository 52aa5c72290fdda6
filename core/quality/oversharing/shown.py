"""List the secrets that are meant to be read, without a character of them, to who may see risks."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F

from core.errors import NotFoundError
from core.models import SensitivePlace, ShownSecret, User
from core.quality.oversharing.deciding import may_view
from core.quality.oversharing.listing import name_document

ID_LENGTH = 12  # characters of a fingerprint by which it is named, as in the audit trail


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownView:
    """Holds a secret that is meant to be read, as it is shown."""

    secret_id: str  # the beginning of its fingerprint
    reason: str
    shown_by: User | None
    shown_at: dt.datetime
    documents: tuple[tuple[UUID, str], ...]  # that hold it now, by their names; a part goes by its whole document


def list_shown(viewer: User) -> list[ShownView]:
    """List the secrets that are meant to be read, the last one first; none for who may not see risks."""
    if not may_view(viewer):
        return []
    rows = ShownSecret.objects.select_related("shown_by").order_by("-shown_at", "pk")
    documents: defaultdict[str, dict[UUID, str]] = defaultdict(dict)
    places = SensitivePlace.objects.filter(
        fingerprint__in=rows.values("pk"), document_version=F("document__version"), document__withdrawn_at=None
    )
    for place in places.select_related("document__part_of").order_by(F("document__part_of").desc(nulls_first=True)):
        whole = place.document.part_of_id or place.document_id
        documents[place.fingerprint].setdefault(whole, name_document(place.document))
    return [
        ShownView(
            secret_id=row.pk[:ID_LENGTH],
            reason=row.reason,
            shown_by=row.shown_by,
            shown_at=row.shown_at,
            documents=tuple(sorted(documents[row.pk].items(), key=lambda named: (named[1], named[0]))),
        )
        for row in rows
    ]


def find_shown(secret_id: str) -> ShownSecret:
    """Return the secret that is meant to be read by its id. NotFoundError where there is none."""
    row = ShownSecret.objects.filter(pk__startswith=secret_id).first() if len(secret_id) == ID_LENGTH else None
    if row is None:
        raise NotFoundError("There is no such secret that is meant to be read.")
    return row
