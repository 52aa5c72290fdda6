"""How often chunks and grants have changed: what is kept in memory is compared with it before it is used."""

from dataclasses import dataclass

from django.db.models import Sum

from core.models import LibraryVersion


@dataclass(frozen=True, slots=True)
class Versions:
    """Two numbers, each of which is another one after every change of its kind."""

    chunks: int
    grants: int


def current_versions() -> Versions:
    """The versions as this transaction sees them. One query, about 0.2 ms."""
    counted = LibraryVersion.objects.values_list("kind").annotate(Sum("changes")).order_by()
    changes = {kind: int(total) for kind, total in counted}
    return Versions(
        chunks=changes.get(LibraryVersion.Kind.CHUNKS, 0), grants=changes.get(LibraryVersion.Kind.GRANTS, 0)
    )
