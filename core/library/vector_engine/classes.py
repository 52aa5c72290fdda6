"""List the classes of access that an audience may read, which an engine filters by in place of the rule of access.

They leave out nothing that the rule shows: a class has every role that its documents are granted. They may hold more,
such as an expired grant that is not yet removed, and decide nothing: PostgreSQL compares under the rule again.
"""

from functools import lru_cache
from uuid import UUID

from django.db import connection

from core.models import AccessClass
from core.types import Audience


@lru_cache(maxsize=1024)
def list_permitted_classes(audience: Audience, grants: str) -> tuple[int, ...]:
    """Return the numbers of the classes of which every reader holds a role, in order.

    grants: the version of the grants (core.models.versions), until whose change the list is kept.
    """
    if audience.reads_nothing:
        return ()
    classes = AccessClass.objects.order_by("number")
    for roles in audience.role_sets:
        classes = classes.filter(roles__overlap=list(roles))
    return tuple(classes.values_list("number", flat=True))


def settle(documents: list[UUID]) -> None:
    """Put documents into the classes of the roles that they are granted now, and wait for who holds them.

    To be called in a transaction that holds nothing else.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT footnote_settle_classes(%s::uuid[], true)", [documents])


def sweep() -> int:
    """Delete the classes that no document is in any more. Returns how many."""
    with connection.cursor() as cursor:
        # Who moves documents into a class holds it until they are seen: what is free here and empty stays empty.
        cursor.execute(
            "WITH free AS MATERIALIZED (SELECT number FROM core_accessclass WHERE NOT EXISTS"
            " (SELECT FROM core_documentclass WHERE access_class = number) FOR UPDATE SKIP LOCKED)"
            " SELECT array_agg(number) FROM free"
        )
        (free,) = cursor.fetchone()
        cursor.execute(
            "DELETE FROM core_accessclass WHERE number = ANY(%s) AND NOT EXISTS"
            " (SELECT FROM core_documentclass WHERE access_class = number)",
            [free or []],
        )
        return int(cursor.rowcount)
