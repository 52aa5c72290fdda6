"""Readers of sections over REST: the same as in the admin, by the same rights; and the report."""

import io
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from openpyxl import load_workbook

from core.models import AuditEvent, Collection, CollectionRole, Document, SectionPart, SectionRule, User
from core.testing import Cast
from tests.integration.rest.conftest import Caller
from tests.integration.sections.files import HOLIDAYS, handbook, has_any, ingest, read_as, split_now

pytestmark = pytest.mark.usefixtures("fast")
RIGHTS = ("view_role", "view_document", "view_collection", "decide_who_reads")
RULE = {"kind": "heading", "pattern": "For supervisors"}
GONE = f"# Handbook\n\n## Holidays\n\n{HOLIDAYS}\n".encode()
Make = Callable[..., Caller]


@pytest.fixture
def book(cast: Cast, fast: None) -> Document:
    """The handbook, open to staff and owners."""
    shelf = Collection.objects.create(name="Rules")
    for role in (cast.staff, cast.owners):
        CollectionRole.objects.create(collection=shelf, role=role)
    return ingest(handbook(), "handbook.md", shelf)


@pytest.fixture
def desk(cast: Cast) -> Make:
    """Makes somebody with these rights and a token with these scopes, who may read nothing."""

    def make(*rights: str, scopes: tuple[str, ...] = ("grant", "reports")) -> Caller:
        user = User.objects.create_user("desk@example.com", display_name="Desk")
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
        return Caller(user, *scopes)

    return make


def restrict(caller: Caller, book: Document, *roles: str) -> dict[str, Any]:
    """Restrict the section for supervisors to some roles."""
    made = caller.post("section-rules", document=str(book.pk), roles=list(roles), **RULE)
    assert made.status_code == 201, made.content
    return dict(made.json())


def test_a_section_is_previewed_restricted_changed_and_opened(cast: Cast, desk: Make, book: Document) -> None:
    """The preview changes nothing; each step says what there is then."""
    caller = desk(*RIGHTS)
    given = {"document": str(book.pk), "roles": ["owners"], **RULE}
    tried = caller.post("section-rules/preview", **given).json()
    assert (tried["checked"], tried["documents"], tried["sections"]) == (1, 1, 2)
    assert tried["losing"] == [{"role": "staff", "documents": 1, "people": 1}]
    assert tried["matched"][0]["sections"] == ["For supervisors", "For supervisors > Dismissal"]
    assert not SectionRule.objects.exists()
    rule = restrict(caller, book, "owners")
    assert (rule["document"], rule["collection"], rule["roles"]) == ("Handbook", None, ["owners"])
    assert not has_any(read_as(cast.bob))
    listed = caller.get(f"documents/{book.pk}/sections").json()["results"]
    states = {row["name"]: (row["readers"], row["state"]) for row in listed}
    assert states["Holidays"] == (["owners", "staff"], "open")
    assert states["For supervisors"] == (["owners"], "recognised")
    address = f"/api/v1/section-rules/{rule['id']}"
    changed = caller.client.patch(address, {"roles": ["owners", "staff"]}, format="json")
    assert changed.json()["roles"] == ["owners", "staff"]
    assert has_any(read_as(cast.bob))
    assert caller.get("section-rules", document=str(book.pk)).json()["count"] == 1
    assert caller.client.delete(address).status_code == 204
    assert caller.client.delete(address).status_code == 404
    assert caller.get("section-rules").json()["results"] == []


def test_a_collections_rule_waits_for_the_worker(cast: Cast, desk: Make, book: Document) -> None:
    """It is listed with how many documents are still to be split."""
    caller = desk(*RIGHTS)
    made = caller.post("section-rules", collection="Rules", roles=["owners"], **RULE).json()
    assert (made["collection"], made["waiting"], made["documents"]) == ("Rules", 1, 0)
    split_now()
    [row] = caller.get("section-rules", collection="Rules").json()["results"]
    assert (row["waiting"], row["documents"]) == (0, 1)
    assert not has_any(read_as(cast.bob))


def test_what_was_not_recognised_is_listed_and_decided(cast: Cast, desk: Make, book: Document) -> None:
    """Once: then it is not there any more."""
    caller = desk(*RIGHTS)
    restrict(caller, book, "owners")
    ingest(GONE, "handbook.md", book.collection)
    [row] = caller.get("section-parts").json()["results"]
    assert (row["document"], row["is_all"], row["readers"]) == ("Handbook", True, ["owners"])
    address = f"section-parts/{row['id']}/decide"
    assert caller.post(address, decision="section").json()["fields"].keys() == {"pattern"}
    assert caller.post(address, decision="open").json()["fields"].keys() == {"decision"}
    assert caller.post(address, decision="section", pattern="Nowhere").status_code == 400
    assert caller.post(address, decision="gone").status_code == 204
    assert caller.post(address, decision="gone").status_code == 404
    assert has_any(read_as(cast.bob), ["thirty days"])
    assert caller.get("section-parts").json()["count"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"roles": ["nobodies"]}, "roles"),
        ({"collection": "No shelf"}, "collection"),
        ({"document": "x"}, "document"),
        ({"document": str(uuid4())}, "non_field_errors"),
        ({"collection": None}, "non_field_errors"),
        ({"kind": "chapter"}, "kind"),
        ({"pattern": ""}, "pattern"),
        ({"patern": "Pay"}, "patern"),
    ],
)
@pytest.mark.parametrize("path", ["section-rules", "section-rules/preview"])
def test_what_cannot_be_used_is_named_and_nothing_is_done(
    desk: Make, book: Document, path: str, body: dict[str, Any], field: str
) -> None:
    """Each with its field."""
    refused = desk(*RIGHTS).post(path, **{"collection": "Rules", "roles": ["owners"], **RULE, **body})
    assert refused.status_code == 400
    assert field in refused.json()["fields"]
    assert not SectionRule.objects.exists()


def test_a_document_that_is_none_or_a_part_is_not_there(desk: Make, book: Document) -> None:
    """A part has no sections of its own, and cannot be restricted, granted or deleted."""
    caller = desk(*RIGHTS, "delete_document", scopes=("grant", "ingest", "ask"))
    restrict(caller, book, "owners")
    part = SectionPart.objects.get().part_id
    for missing in (part, uuid4()):
        assert caller.get(f"documents/{missing}/sections").status_code == 404
        assert caller.post("section-rules", document=str(missing), roles=[], **RULE).status_code == 404
        assert caller.client.delete(f"/api/v1/documents/{missing}").status_code == 404
        granted = caller.post("grants", action="grant", roles=["staff"], documents=[str(missing)])
        assert granted.json()["fields"] == {"documents": [f"There is no document {missing}."]}
    assert {row["document_id"] for row in caller.get("grants").json()["results"]} == {str(book.pk)}


def test_lists_and_counts_have_whole_documents(cast: Cast, desk: Make, book: Document) -> None:
    """As before a section was restricted, for its readers too."""
    caller = desk(*RIGHTS, scopes=("grant", "ingest"))
    before = [caller.get(path).json() for path in ("roles", "collections")]
    restrict(caller, book, "owners")
    assert [caller.get(path).json() for path in ("roles", "collections")] == before
    for person in (cast.alice, cast.bob):
        listed = Caller(User.objects.get(pk=person.pk)).get("documents").json()
        assert [row["id"] for row in listed["results"]] == [str(book.pk)]


def test_each_entrance_needs_its_scope_and_every_right(desk: Make, book: Document) -> None:
    """Without any of them it tells nothing and does nothing."""
    caller = desk(*RIGHTS)
    rule = restrict(caller, book, "owners")["id"]
    part = SectionPart.objects.get().part_id
    entrances: list[tuple[str, str, dict[str, Any] | None]] = [
        ("get", f"documents/{book.pk}/sections", None),
        ("get", "section-rules", None),
        ("post", "section-rules", {"document": str(book.pk), "roles": [], **RULE}),
        ("post", "section-rules/preview", {"document": str(book.pk), "roles": [], **RULE}),
        ("patch", f"section-rules/{rule}", {"roles": []}),
        ("delete", f"section-rules/{rule}", None),
        ("get", "section-parts", None),
        ("post", f"section-parts/{part}/decide", {"decision": "keep"}),
    ]

    def knock(method: str, path: str, body: dict[str, Any] | None) -> tuple[int, str]:
        answer = getattr(caller.client, method)(f"/api/v1/{path}", body, format="json")
        return answer.status_code, answer.content.decode()

    for right in RIGHTS:
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        for entrance in entrances:
            status, said = knock(*entrance)
            assert (status, "upervisors" in said) == (403, False), (right, entrance)
        caller.user.user_permissions.add(held)
    caller.row.scopes = ["ask", "reports", "ingest"]
    caller.row.save()
    assert {knock(*entrance)[0] for entrance in entrances} == {403}
    assert SectionRule.objects.get().roles.count() == 1


def test_the_report_has_a_row_for_each_part_as_json_csv_and_workbook(cast: Cast, desk: Make, book: Document) -> None:
    """A file is recorded, and no cell of it is a formula. Every right is needed."""
    caller = desk(*RIGHTS, "view_reports")
    restrict(caller, book, "owners")
    Document.objects.filter(pk=book.pk).update(title="=Handbook")
    [row] = caller.get("reports/sections").json()["rows"]
    assert (row["document"], row["collection"], row["readers"]) == ("=Handbook", "Rules", ["owners"])
    assert (row["rules"], row["state"]) == (["heading: For supervisors"], "recognised")
    assert row["sections"] == ["For supervisors", "For supervisors > Dismissal"]
    assert not AuditEvent.objects.filter(action="export").exists()
    lines = caller.get("reports/sections", format="csv").content.decode().splitlines()
    assert lines[0].startswith("document_id,document,collection,sections,passages,readers,rules,state,since")
    assert "'=Handbook,Rules,For supervisors; For supervisors > Dismissal" in lines[1]
    book_of = load_workbook(io.BytesIO(caller.get("reports/sections", format="xlsx").content))
    [heading, cells] = book_of["Sections"].iter_rows(values_only=True)
    assert heading[:2] == ("Document id", "Document")
    assert cells[1:3] == ("'=Handbook", "Rules")
    events = AuditEvent.objects.filter(action="export", object_type="sections")
    assert sorted(event.details["format"] for event in events) == ["csv", "xlsx"]
    assert caller.get("reports/sections", since="2026-01-01").status_code == 400
    for right in (*RIGHTS, "view_reports"):
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        assert caller.get("reports/sections").status_code == 403
        caller.user.user_permissions.add(held)
