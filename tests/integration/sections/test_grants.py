"""Who reads a part of a document: derived by the database, whatever way a grant, a rule or the part changes."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.access.grants import grant, revoke, take_expired
from core.access.withdrawal import restore, withdraw
from core.models import Collection, Document, Role, RoleDocumentAccess, SectionPart, SectionRule, SectionRuleRole
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")

Held = dict[str, tuple[int, dt.datetime | None]]


def add_rule(document: Document, pattern: str, *roles: Role) -> SectionRule:
    """Make a rule of one document, without splitting it."""
    rule = SectionRule.objects.create(document=document, kind="heading", pattern=pattern)
    SectionRuleRole.objects.bulk_create(SectionRuleRole(rule=rule, role=role) for role in roles)
    return rule


def add_part(document: Document, *rules: SectionRule, title: str = "") -> Document:
    """Make an empty part with these rules, with values that the database has to correct."""
    part = Document.objects.create(
        part_of=document,
        collection=Collection.objects.get_or_create(name="Elsewhere")[0],
        source="anything",
        title=title or f"{document.title}: Pay",
        content_hash="0" * 64,
        version=77,
        ingested_at=timezone.now(),
        metadata={"abstract": "The director earns a million."},
    )
    SectionPart.objects.create(part=part).rules.set(rules)
    part.refresh_from_db()
    return part


def held(document: Document) -> Held:
    """Return the roles with a grant of a document, each with its first edition and its end."""
    rows = RoleDocumentAccess.objects.filter(document=document)
    return {name: (since, end) for name, since, end in rows.values_list("role__name", "since_version", "expires_at")}


@pytest.fixture
def handbook(cast: Cast, fast: None) -> Document:
    """A document that owners and staff read."""
    return make_document("Handbook", "Everybody is paid.", roles=[cast.owners, cast.staff])


def test_a_part_is_read_by_the_readers_whom_its_rule_names(cast: Cast, handbook: Document) -> None:
    """Whom the rule names reads it from the same edition on, others do not, and a rule without roles is for nobody."""
    RoleDocumentAccess.objects.filter(role=cast.owners).update(since_version=5, expires_at=None)
    part = add_part(handbook, add_rule(handbook, "Pay", cast.owners))
    assert held(part) == {"owners": (5, None)}
    assert held(add_part(handbook, add_rule(handbook, "Secrets"))) == {}
    assert held(add_part(handbook)) == {}


def test_two_rules_leave_the_roles_that_both_name(cast: Cast, handbook: Document) -> None:
    """A rule that is added to a part narrows it, and one that goes widens it again."""
    first, second = add_rule(handbook, "Pay", cast.owners, cast.staff), add_rule(handbook, "P*", cast.staff)
    part = add_part(handbook, first)
    assert held(part).keys() == {"owners", "staff"}
    part.as_part.rules.add(second)
    assert held(part).keys() == {"staff"}
    second.delete()
    assert held(part).keys() == {"owners", "staff"}
    first.delete()
    assert held(part) == {}


def test_a_rules_roles_change_who_reads_its_parts(cast: Cast, handbook: Document) -> None:
    """At once, by whichever way they change; and a role that does not read the document gains nothing."""
    rule = add_rule(handbook, "Pay", cast.owners)
    part = add_part(handbook, rule)
    rule.roles.add(cast.staff, Role.objects.create(name="guests"))
    assert held(part).keys() == {"owners", "staff"}
    rule.roles.remove(cast.owners)
    assert held(part).keys() == {"staff"}
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM core_sectionrulerole")
    assert held(part) == {}


def test_the_grants_of_a_part_follow_those_of_its_document(cast: Cast, handbook: Document) -> None:
    """Given, prolonged, ended, expired and taken, in the words of Django and of SQL."""
    rule = add_rule(handbook, "Pay", cast.staff)
    part = add_part(handbook, rule)
    assert revoke(cast.staff, [handbook], by=None) == 1
    assert held(part) == {}
    end = timezone.now() + dt.timedelta(days=3)
    grant(cast.staff, [handbook], by=cast.alice, until=end)
    assert held(part) == {"staff": (1, end)}
    assert RoleDocumentAccess.objects.get(document=part).granted_by == cast.alice
    grant(cast.staff, [handbook], by=cast.alice, until=end + dt.timedelta(days=1))
    assert held(part) == {"staff": (1, end + dt.timedelta(days=1))}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE core_roledocumentaccess SET since_version = 9 WHERE document_id = %s", [handbook.pk])
        assert held(part)["staff"][0] == 9
        cursor.execute("UPDATE core_roledocumentaccess SET expires_at = now() - interval '1 day', since_version = 2")
    assert not Document.objects.visible_to(cast.audience(cast.bob)).exists()
    assert take_expired(cast.staff) == 1
    assert held(part) == {}
    grant(cast.staff, [handbook], by=None)
    cast.staff.delete()
    assert held(part) == {}


def test_a_withdrawn_document_takes_its_parts_along_and_brings_them_back(cast: Cast, handbook: Document) -> None:
    """Grants that are put aside are no grants of parts either, and none of a part is put aside by itself."""
    part = add_part(handbook, add_rule(handbook, "Pay", cast.staff))
    assert withdraw([handbook.pk, part.pk]) == [handbook.pk]
    part.refresh_from_db()
    assert held(part) == {}
    assert part.withdrawn_at is not None
    assert restore([handbook.pk, part.pk], roles=[cast.staff, cast.owners]) == [handbook.pk]
    part.refresh_from_db()
    assert held(part).keys() == {"staff"}
    assert part.withdrawn_at is None


def test_no_other_grant_of_a_part_can_be_made(cast: Cast, handbook: Document) -> None:
    """Neither for a role that the rules do not name, nor for an earlier edition or a longer time."""
    part = add_part(handbook, add_rule(handbook, "Pay", cast.owners))
    with pytest.raises(IntegrityError), transaction.atomic():
        RoleDocumentAccess.objects.create(document=part, role=cast.staff)
    with pytest.raises(IntegrityError), transaction.atomic():
        RoleDocumentAccess.objects.filter(document=part).update(since_version=0)
    RoleDocumentAccess.objects.filter(document=handbook).update(expires_at=timezone.now() + dt.timedelta(days=1))
    with pytest.raises(IntegrityError), transaction.atomic():
        RoleDocumentAccess.objects.filter(document=part).update(expires_at=None)
    assert grant(cast.staff, [part, handbook], by=cast.alice) == 0
    assert revoke(cast.owners, [part], by=cast.alice) == 0
    assert held(part).keys() == {"owners"}


def test_rows_about_parts_are_not_moved(cast: Cast, handbook: Document) -> None:
    """What would hand one part's readers to another is refused."""
    other = add_rule(handbook, "Other", cast.staff, cast.owners)
    part = add_part(handbook, add_rule(handbook, "Pay", cast.owners))
    with pytest.raises(IntegrityError), transaction.atomic():
        SectionPart.rules.through.objects.update(sectionrule=other)
    with pytest.raises(IntegrityError), transaction.atomic():
        SectionRuleRole.objects.filter(rule=other).update(role=cast.alice.roles.first())
    with pytest.raises(IntegrityError), transaction.atomic():
        Document.objects.filter(pk=part.pk).update(part_of=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        add_part(part)
    SectionPart.objects.filter(part=part).delete()
    assert held(part) == {}


def test_a_part_has_what_its_document_has(handbook: Document) -> None:
    """Edition, collection, source, dates, authors: at once and ever after, and no file and no other metadata."""
    Document.objects.filter(pk=handbook.pk).update(
        metadata={"authors": ["Ada"], "abstract": "The director earns a million."}, original_name="handbook.docx"
    )
    part = add_part(handbook)
    assert (part.version, part.collection_id) == (handbook.version, handbook.collection_id)
    assert part.metadata == {"authors": ["Ada"]}
    assert part.source == f"Handbook#section-{part.pk.hex}"
    Document.objects.filter(pk=part.pk).update(version=3, original_hash="1" * 64, source="somewhere")
    shelf = Collection.objects.create(name="New shelf")
    Document.objects.filter(pk=handbook.pk).update(
        version=8, collection=shelf, title="New handbook", document_date=dt.date(2026, 1, 2), source="new.docx"
    )
    part.refresh_from_db()
    assert (part.version, part.collection_id, part.document_date) == (8, shelf.pk, dt.date(2026, 1, 2))
    assert part.title == "New handbook: Pay"
    assert part.source == f"new.docx#section-{part.pk.hex}"
    assert part.original_hash == ""


def test_a_part_goes_with_its_document(cast: Cast, handbook: Document) -> None:
    """By Django and by SQL, and nothing else goes with a part."""
    add_part(handbook, add_rule(handbook, "Pay", cast.owners)).delete()
    assert held(handbook).keys() == {"owners", "staff"}
    add_part(handbook, SectionRule.objects.get())
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM core_document WHERE id = %s", [handbook.pk])
    assert not Document.objects.exists()
    assert not RoleDocumentAccess.objects.exists()
