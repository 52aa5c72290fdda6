"""Changes at the same time: who reads a part is right whichever of them is committed first."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from core import api
from core.access.grants import grant, revoke
from core.models import Collection, Document, RoleDocumentAccess, SectionPart, SectionRule, SectionRuleRole, User
from core.testing import Cast, fast_embedding, make_document
from tests.integration.sections.files import handbook, has_any, ingest, read_as, split_now

pytestmark = [pytest.mark.django_db(transaction=True)]
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


class Beside:
    """A change in a transaction of its own, in a thread, which may have to wait for this one."""

    def __init__(self, change: Callable[[], object]) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._done = self._pool.submit(_run, change)

    def wait_until_blocked(self) -> None:
        """Wait until it waits for a lock, or is done."""
        while not self._done.done():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees what it saw before
                cursor.execute(_WAITING)
                if cursor.fetchone() != (0,):
                    return
            time.sleep(0.01)

    def end(self) -> None:
        """Wait until it is done, and raise what it raised."""
        with self._pool:
            self._done.result(timeout=20)


def _run(change: Callable[[], object]) -> None:
    try:
        with fast_embedding():
            change()
    finally:
        connections.close_all()


@pytest.fixture
def book(cast: Cast) -> Document:
    """A document that owners and staff read."""
    with fast_embedding():
        return make_document("Handbook", "Everybody is paid.", roles=[cast.owners, cast.staff])


def make_rule(book: Document, cast: Cast) -> SectionRule:
    """Make a rule that names both roles."""
    rule = SectionRule.objects.create(document=book, kind="heading", pattern="Pay")
    SectionRuleRole.objects.bulk_create(SectionRuleRole(rule=rule, role=role) for role in (cast.owners, cast.staff))
    return rule


def make_part(book: Document, rule: SectionRule) -> Document:
    """Make a part of the document by the rule."""
    part = Document.objects.create(
        part_of=book, collection=book.collection, title="Handbook: Pay", content_hash="0", ingested_at=timezone.now()
    )
    SectionPart.objects.create(part=part).rules.set([rule])
    return part


def readers_of_parts() -> set[str]:
    """Return the roles that read any part."""
    rows = RoleDocumentAccess.objects.exclude(document__part_of=None)
    return set(rows.values_list("role__name", flat=True))


def test_a_part_that_is_made_while_its_document_is_revoked(cast: Cast, book: Document) -> None:
    """Whichever of both is first."""
    rule = make_rule(book, cast)
    with transaction.atomic():
        revoke(cast.staff, [book], by=None)
        other = Beside(lambda: make_part(book, rule))
        other.wait_until_blocked()
    other.end()
    assert readers_of_parts() == {"owners"}
    Document.objects.exclude(part_of=None).delete()
    with transaction.atomic():
        make_part(book, rule)
        other = Beside(lambda: revoke(cast.owners, [book], by=None))
        other.wait_until_blocked()
    other.end()
    assert readers_of_parts() == set()


def test_a_rule_that_loses_a_role_while_the_role_is_given_the_document(cast: Cast, book: Document) -> None:
    """Whichever of both is first, the role does not read the part."""
    rule = make_rule(book, cast)
    make_part(book, rule)
    revoke(cast.staff, [book], by=None)
    with transaction.atomic():
        grant(cast.staff, [book], by=None)
        other = Beside(lambda: SectionRuleRole.objects.filter(rule=rule, role=cast.staff).delete())
        other.wait_until_blocked()
    other.end()
    assert readers_of_parts() == {"owners"}
    revoke(cast.owners, [book], by=None)
    with transaction.atomic():
        SectionRuleRole.objects.filter(rule=rule, role=cast.owners).delete()
        other = Beside(lambda: grant(cast.owners, [book], by=None))
        other.wait_until_blocked()
    other.end()
    assert readers_of_parts() == set()


def test_a_rule_that_is_made_while_a_document_is_ingested(cast: Cast) -> None:
    """The document is parted as it is written, or by the job of who made the rule: it never stays open."""
    User.objects.filter(pk=cast.charlie.pk).update(is_superuser=True)
    admin, shelf = User.objects.get(pk=cast.charlie.pk), Collection.objects.create(name="Rules")

    def add_rule() -> None:
        api.add_rule(shelf.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)

    with fast_embedding():
        with transaction.atomic():
            ingest(handbook(), "first.md", shelf, cast.staff)
            other = Beside(add_rule)
            other.wait_until_blocked()
        other.end()
        assert split_now() == 1
        with transaction.atomic():
            api.add_rule(shelf.pk, "label", "Welcome", [cast.owners.pk], by=admin)
            other = Beside(lambda: ingest(handbook(last="Second."), "second.md", shelf, cast.staff))
            other.wait_until_blocked()
        other.end()
    shown = read_as(cast.bob)
    assert not has_any(shown)
    assert "Second." in shown
    assert shown.count("Welcome") == 1
