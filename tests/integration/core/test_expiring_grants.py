"""Grants with an end: nobody reads by them a moment longer, whether or not a worker has taken them away."""

import datetime as dt

import pytest
from django.db import connection
from django.utils import timezone

from core import api
from core.access.grants import find_end, grant, take_expired
from core.errors import InvalidFilterError
from core.models import AuditEvent, Chunk, Document, RoleDocumentAccess
from core.models.row_security import as_audience
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")
TEXT = "The lantern room opens at seven."


def end_now(document: Document) -> None:
    """Let the time of a document's grants run out without any statement that the versions would see."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE core_roledocumentaccess DISABLE TRIGGER footnote_grants_changed")
        moment = timezone.now() - dt.timedelta(seconds=1)
        RoleDocumentAccess.objects.filter(document=document).update(expires_at=moment)
        cursor.execute("ALTER TABLE core_roledocumentaccess ENABLE TRIGGER footnote_grants_changed")


def reads(cast: Cast, document: Document) -> dict[str, bool]:
    """Return whether Bob sees a document: by the rule, by the database's own, and by a search."""
    audience = cast.audience(cast.bob)
    with as_audience(audience):
        chunks = Chunk.objects.filter(document=document).exists()
    return {
        "rule": Document.objects.visible_to(audience).filter(pk=document.pk).exists(),
        "row security": chunks,
        "search": bool(api.search("When does the lantern room open?", audience=audience).passages),
        "library": bool(api.readable_documents(audience).documents),
    }


def test_nobody_reads_by_a_grant_that_has_ended(cast: Cast) -> None:
    """Also where the answer to who may read what was kept from a moment before, and no worker runs."""
    document = make_document("Lighthouse", TEXT)
    grant(cast.staff, [document], by=cast.alice, until=timezone.now() + dt.timedelta(hours=1))
    assert reads(cast, document) == dict.fromkeys(("rule", "row security", "search", "library"), True)
    end_now(document)
    assert RoleDocumentAccess.objects.filter(document=document).exists()
    assert reads(cast, document) == dict.fromkeys(("rule", "row security", "search", "library"), False)


def test_what_has_ended_is_taken_away_and_on_record(cast: Cast) -> None:
    """By nobody, and only what has ended."""
    ended, lasting = make_document("Ended", TEXT), make_document("Lasting", TEXT, roles=[cast.staff])
    grant(cast.staff, [ended], by=cast.alice, until=timezone.now() + dt.timedelta(hours=1))
    assert take_expired() == 0
    end_now(ended)
    assert take_expired() == 1
    assert list(RoleDocumentAccess.objects.values_list("document", flat=True)) == [lasting.pk]
    event = AuditEvent.objects.get(action="revoke")
    assert (event.actor, event.details) == (None, {"documents": [str(ended.pk)], "expired": True})


def test_a_grant_becomes_longer_and_never_shorter(cast: Cast) -> None:
    """A later end and none at all replace an end; nothing replaces none; ingestion prolongs nothing."""
    document, now = make_document("Guide", TEXT), timezone.now()
    early, late = now + dt.timedelta(days=1), now + dt.timedelta(days=9)

    def end_after(**given: object) -> dt.datetime | None:
        grant(cast.staff, [document], by=cast.alice, **given)
        return RoleDocumentAccess.objects.get(document=document).expires_at

    assert end_after(until=early) == early
    assert end_after(by_ingestion=True) == early
    assert end_after(until=late) == late
    assert end_after(until=early) == late
    assert AuditEvent.objects.filter(action="prolong").count() == 1
    assert end_after() is None
    assert end_after(until=late) is None


def test_a_new_grant_takes_the_place_of_one_that_has_ended(cast: Cast) -> None:
    """As if it had not been."""
    document = make_document("Guide", TEXT)
    grant(cast.staff, [document], by=cast.alice, until=timezone.now() + dt.timedelta(hours=1))
    end_now(document)
    assert grant(cast.staff, [document], by=None, by_ingestion=True) == 1
    assert reads(cast, document)["search"]


def test_a_last_day_lasts_until_it_is_over() -> None:
    """In the server's time zone; a day that is over is refused."""
    today = timezone.localdate()
    end = find_end(today)
    assert timezone.localtime(end) == timezone.make_aware(dt.datetime.combine(today + dt.timedelta(days=1), dt.time()))
    with pytest.raises(InvalidFilterError, match="over already"):
        find_end(today - dt.timedelta(days=1))
