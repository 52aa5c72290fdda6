"""Risks that too many read something over REST: listed, shown, decided by the page's rights; and the report."""

import csv
import datetime as dt
import io
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import openpyxl
import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import (
    AuditEvent,
    Document,
    OversharingRisk,
    SectionPart,
    SensitivePlace,
    ShownSecret,
    User,
    UserRole,
    forget_shown,
)
from core.testing import Cast, fetch_chunks, make_document
from tests.integration.oversharing.people import HIDDEN, WIFI, give, look, make_people, make_shelf
from tests.integration.rest.conftest import Caller

pytestmark = pytest.mark.usefixtures("fast")
SEES = ("view_oversharing", "view_role", "view_document", "view_collection")
DECIDES = (*SEES, "decide_who_reads")
REPORT = "reports/oversharing"
Make = Callable[..., Caller]


@pytest.fixture(autouse=True)
def _shown() -> None:
    forget_shown()


@pytest.fixture
def desk(cast: Cast) -> Make:
    """Makes somebody with these rights and a token with these scopes, who may read nothing at first."""

    def make(*rights: str, scopes: tuple[str, ...] = ("grant", "reports")) -> Caller:
        user = User.objects.create_user("desk@example.com", display_name="Desk")
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
        return Caller(user, *scopes)

    return make


@pytest.fixture
def network(cast: Cast) -> Document:
    """A document with a password, which two people of the staff and a crowd of forty read."""
    document = make_document("Network", WIFI, roles=[cast.staff], collection="Notes", section="Guests")
    give(make_people("crowd", 40), document)
    return document


@pytest.fixture
def risk(network: Document) -> OversharingRisk:
    """The risk of that."""
    return look()["secret", network.pk]


def let_read(caller: Caller, cast: Cast) -> None:
    """Let a caller read what staff reads."""
    UserRole.objects.create(user=caller.user, role=cast.staff)


def test_risks_are_listed_by_filters_in_pages(desk: Make, cast: Cast, risk: OversharingRisk) -> None:
    """In any state, the highest first, with what each is of and no word of a document."""
    documents = make_shelf("Personnel", 12, read_by=cast.owners)
    give(make_people("visitors", 20), documents[3])
    odd = look()["odd_role", documents[3].pk]
    caller = desk(*SEES)
    listed = caller.get("oversharing")
    assert HIDDEN not in listed.content.decode()
    rows = listed.json()["results"]
    assert [(row["id"], row["score"]) for row in rows] == [(str(risk.pk), risk.score), (str(odd.pk), odd.score)]
    first, second = rows
    assert (first["kind"], first["level"], first["state"], first["of"]) == ("secret", "high", "open", "Network")
    assert (first["people"], first["subjects"], first["collection"]["name"]) == (42, ["password"], "Notes")
    assert first["document"] == {"id": str(risk.document_id), "title": "Network"}
    assert (first["role"], first["restricted_sections"], first["decided_by"]) == (None, False, None)
    assert (second["role"]["name"], second["people"], second["people_before"]) == ("visitors", 21, 1)

    def ids(**asked: str) -> list[str]:
        found = caller.get("oversharing", **asked)
        assert found.status_code == 200, found.content
        return [row["id"] for row in found.json()["results"]]

    assert ids(kind="odd_role") == [str(odd.pk)]
    assert ids(level="high") == [str(risk.pk)]
    assert ids(subject="password") == [str(risk.pk)]
    assert ids(collection="Personnel") == [str(odd.pk)]
    assert ids(search="netw") == [str(risk.pk)]
    assert ids(search="visit") == [str(odd.pk)]
    assert ids(state="gone") == []
    OversharingRisk.objects.filter(pk=odd.pk).update(state="gone")
    assert ids(state="open") == [str(risk.pk)]
    assert ids() == [str(risk.pk), str(odd.pk)]
    page = caller.get("oversharing", page_size=1, page=2).json()
    assert (page["count"], [row["id"] for row in page["results"]]) == (2, [str(odd.pk)])


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"state": "closed"}, "state"),
        ({"kind": "odd"}, "kind"),
        ({"level": "huge"}, "level"),
        ({"subject": "wages"}, "subject"),
        ({"collection": "Nowhere"}, "collection"),
        ({"order": "score"}, "order"),
        ({"page": "0"}, "page"),
    ],
)
def test_what_cannot_be_filtered_by_is_named(desk: Make, risk: OversharingRisk, asked: Any, field: str) -> None:
    refused = desk(*SEES).get("oversharing", **asked)
    assert refused.status_code == 400
    assert list(refused.json()["fields"]) == [field]


def test_a_reader_sees_the_places_with_their_secrets_masked(
    desk: Make, cast: Cast, risk: OversharingRisk, settings: Settings
) -> None:
    """Shows that there is a place, and nothing of it, to who may not read the document."""
    settings.PUBLIC_URL = "https://footnote.example.com"
    caller = desk(*SEES)
    shown = caller.get(f"oversharing/{risk.pk}")
    assert "guests" not in shown.content.decode()
    [place] = shown.json()["places"]
    assert place == {
        "id": str(SensitivePlace.objects.get().pk),
        "subject": "password",
        "readable": False,
        **dict.fromkeys(("quote", "marked", "section", "page", "opens_at")),
        "secret": True,
        "shown": False,
    }
    let_read(caller, cast)
    shown = caller.get(f"oversharing/{risk.pk}")
    assert HIDDEN not in shown.content.decode()
    [place] = shown.json()["places"]
    assert (place["readable"], place["section"]) == (True, "Guests")
    assert place["quote"].startswith("The password of the guests' network is")
    assert place["quote"][slice(*place["marked"])] == "•" * len(HIDDEN)
    assert place["opens_at"]
    assert shown.json()["may_decide"] is False


def test_the_suggestion_narrows(desk: Make, cast: Cast, network: Document, risk: OversharingRisk) -> None:
    """The widest role goes and the narrowest stays; then the risk is a small one of those who are left."""
    caller = desk(*DECIDES)
    shown = caller.get(f"oversharing/{risk.pk}").json()
    plan = shown["narrowing"]
    assert shown["may_decide"] is True
    assert [(one["name"], one["people"], one["suggested"]) for one in plan["roles"]] == [
        ("crowd", 40, True),
        ("staff", 2, False),
    ]
    assert (plan["people"], plan["people_after"], plan["obstacle"]) == (42, 2, None)
    narrowed = caller.post(f"oversharing/{risk.pk}/narrow")
    assert (narrowed.status_code, narrowed.json()["people"]) == (200, 2)
    assert [row.role.name for row in network.role_access.all()] == ["staff"]
    assert AuditEvent.objects.get(action="revoke").actor == caller.user


def test_roles_are_chosen_among_those_that_read(
    desk: Make, cast: Cast, network: Document, risk: OversharingRisk
) -> None:
    """Another role than the suggested one; one that reads nothing of it is a conflict, and none is no choice."""
    caller = desk(*DECIDES)
    path = f"oversharing/{risk.pk}/narrow"
    refused = caller.post(path, roles=[str(cast.owners.pk)])
    assert (refused.status_code, refused.json()["code"]) == (409, "not_decidable")
    assert caller.post(path, roles=[]).json()["fields"].keys() == {"roles"}
    assert caller.post(path, roles=["staff"]).json()["fields"].keys() == {"roles"}
    assert network.role_access.count() == 2
    assert caller.post(path, roles=[str(cast.staff.pk)]).status_code == 200
    assert [row.role.name for row in network.role_access.all()] == ["crowd"]


def test_what_cannot_be_narrowed_here_says_where(desk: Make, cast: Cast, network: Document) -> None:
    """Sections with readers of their own, which go by the whole document's title and id."""
    part = make_document("Network: Keys", "The password of the safe is Otter-Pond-31.", part_of=network)
    SectionPart.objects.create(part=part, names=["Keys"])
    risk = look()["secret", part.pk]
    caller = desk(*DECIDES)
    shown = caller.get(f"oversharing/{risk.pk}")
    assert "Keys" not in shown.content.decode()
    assert (shown.json()["of"], shown.json()["restricted_sections"]) == ("Network (restricted sections)", True)
    assert shown.json()["document"] == {"id": str(network.pk), "title": "Network"}
    assert (shown.json()["narrowing"]["roles"], shown.json()["places"][0]["section"]) == ([], None)
    refused = caller.post(f"oversharing/{risk.pk}/narrow")
    assert (refused.status_code, refused.json()["detail"]) == (409, shown.json()["narrowing"]["obstacle"])


def test_a_risk_is_found_right_and_opened_again(desk: Make, risk: OversharingRisk) -> None:
    """With the reason and who decided; people are named to who may see people, and to themselves."""
    caller = desk(*DECIDES)
    assert caller.post(f"oversharing/{risk.pk}/accept").json()["fields"].keys() == {"reason"}
    assert caller.post(f"oversharing/{risk.pk}/accept", reason="").status_code == 400
    assert caller.post(f"oversharing/{risk.pk}/accept", reason="  ").json()["code"] == "not_decidable"
    assert caller.post(f"oversharing/{risk.pk}/accept", reason="x" * 301).status_code == 400
    assert caller.post(f"oversharing/{risk.pk}/reopen").status_code == 409
    accepted = caller.post(f"oversharing/{risk.pk}/accept", reason="It is for visitors")
    assert (accepted.status_code, accepted.json()["state"]) == (200, "accepted")
    assert (accepted.json()["reason"], accepted.json()["decided_by"]["name"]) == ("It is for visitors", "Desk")
    OversharingRisk.objects.update(decided_by=User.objects.get(email="bob@example.com"))
    assert caller.get(f"oversharing/{risk.pk}").json()["decided_by"] is None
    caller.user.user_permissions.add(Permission.objects.get(codename="view_user"))
    assert caller.get(f"oversharing/{risk.pk}").json()["decided_by"]["id"]
    opened = caller.post(f"oversharing/{risk.pk}/reopen").json()
    assert (opened["state"], opened["reason"], opened["decided_by"]) == ("open", None, None)


def test_what_is_over_cannot_be_decided(desk: Make, risk: OversharingRisk) -> None:
    """It has no roles to take away."""
    caller = desk(*DECIDES)
    OversharingRisk.objects.update(state="gone", gone_at=timezone.now())
    assert caller.get(f"oversharing/{risk.pk}").json()["narrowing"] is None
    assert caller.post(f"oversharing/{risk.pk}/narrow").status_code == 409
    assert caller.post(f"oversharing/{risk.pk}/accept", reason="It is right").status_code == 409


def test_a_secret_is_shown_and_masked_again(desk: Make, cast: Cast, risk: OversharingRisk) -> None:
    """By somebody who may read the document; the list of such secrets shows nothing of them."""
    caller, path = desk(*DECIDES), f"oversharing/{risk.pk}/show-secrets"
    [place] = caller.get(f"oversharing/{risk.pk}").json()["places"]
    body = {"places": [place["id"]], "reason": "Guests need it"}
    refused = caller.post(path, **body)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_decidable")
    let_read(caller, cast)
    assert caller.post(path, places=[str(uuid4())], reason="Guests need it").status_code == 404
    assert caller.post(path, places=[], reason="Guests need it").json()["fields"].keys() == {"places"}
    assert caller.post(path, places=[place["id"]]).json()["fields"].keys() == {"reason"}
    assert not ShownSecret.objects.exists()
    shown = caller.post(path, **body).json()
    assert (shown["state"], shown["places"][0]["shown"]) == ("gone", True)
    assert HIDDEN in shown["places"][0]["quote"]
    listed = caller.get("shown-secrets")
    assert HIDDEN not in listed.content.decode()
    [row] = listed.json()["results"]
    fingerprint = ShownSecret.objects.get().pk
    assert (row["id"], row["reason"], row["shown_by"]["name"]) == (fingerprint[:12], "Guests need it", "Desk")
    assert row["documents"] == [{"id": str(risk.document_id), "title": "Network"}]
    assert fingerprint not in listed.content.decode()
    for wrong in (fingerprint, fingerprint[:11], "0" * 12, "%" * 12):
        assert caller.client.delete(f"/api/v1/shown-secrets/{wrong}").status_code == 404
    assert caller.client.delete(f"/api/v1/shown-secrets/{row['id']}").status_code == 204
    assert caller.client.delete(f"/api/v1/shown-secrets/{row['id']}").status_code == 404
    again = caller.get(f"oversharing/{risk.pk}").json()
    assert (again["state"], again["places"][0]["shown"]) == ("open", False)
    assert HIDDEN not in again["places"][0]["quote"]


def test_each_entrance_needs_its_scope_and_every_right(desk: Make, risk: OversharingRisk) -> None:
    """Without any of them it tells nothing and does nothing, and says the same of what is not there."""
    caller = desk(*DECIDES)
    looks = ["oversharing", f"oversharing/{risk.pk}", "shown-secrets"]
    decisions: list[tuple[str, str, dict[str, Any]]] = [
        ("post", f"oversharing/{risk.pk}/narrow", {}),
        ("post", f"oversharing/{risk.pk}/accept", {"reason": "It is right"}),
        ("post", f"oversharing/{risk.pk}/reopen", {}),
        ("post", f"oversharing/{risk.pk}/show-secrets", {"places": [str(uuid4())], "reason": "It is right"}),
        ("delete", "shown-secrets/000000000000", {}),
    ]

    def knock(method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, str]:
        answer = getattr(caller.client, method)(f"/api/v1/{path}", body, format="json")
        return answer.status_code, answer.content.decode()

    for right in DECIDES:
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        for entrance in decisions:
            assert knock(*entrance)[0] == 403, (right, entrance)
        for path in looks:
            status, said = knock("get", path)
            assert (status, "Network" in said) == (
                (200, path != "shown-secrets") if right == "decide_who_reads" else (403, False)
            )
        if right != "decide_who_reads":
            assert knock("get", f"oversharing/{risk.pk}") == knock("get", f"oversharing/{uuid4()}")
        caller.user.user_permissions.add(held)
    assert knock("get", f"oversharing/{uuid4()}")[0] == 404
    assert knock("post", f"oversharing/{uuid4()}/narrow", {})[0] == 404
    caller.row.scopes = ["ask", "grant", "ingest"]
    caller.row.save()
    assert {knock("get", path)[0] for path in looks} == {403}
    caller.row.scopes = ["ask", "reports", "ingest"]
    caller.row.save()
    assert {knock(*entrance)[0] for entrance in decisions} == {403}
    assert {knock("get", path)[0] for path in looks} == {200}
    risk.refresh_from_db()
    assert risk.state == "open"


def test_a_token_that_only_changes_who_reads_decides(desk: Make, risk: OversharingRisk) -> None:
    caller = desk(*DECIDES, scopes=("grant",))
    assert caller.post(f"oversharing/{risk.pk}/accept", reason="It is for visitors").json()["state"] == "accepted"
    assert caller.post(f"oversharing/{risk.pk}/reopen").json()["state"] == "open"


# --- The list as a file ---------------------------------------------------------------------------------------------
COLUMNS = (
    *("id", "kind", "level", "score", "sensitivity", "reach", "state", "of", "subjects", "people", "people_before"),
    *("documents", "since", "reason", "found_at", "opened_at"),
)


def read_csv(said: Any) -> list[dict[str, str]]:
    """Return the lines of a file by the names of their columns."""
    assert said["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(said.content.decode())))


def test_the_list_is_a_file_with_all_pages(desk: Make, cast: Cast, risk: OversharingRisk) -> None:
    """The same risks in the same order as the pages have, whichever is asked for, and no words of the documents."""
    OversharingRisk.objects.filter(pk=risk.pk).update(
        subjects=["password", "code"], state="accepted", reason="=1+1", people_before=3, since=dt.date(2026, 8, 1)
    )
    for number in range(2):
        other = make_document(f"Leaf {number}", "Leaf.", roles=[cast.staff])
        OversharingRisk.objects.create(
            kind="confidential",
            key=f"confidential/{number}",
            document=other,
            sensitivity=2,
            reach=1 + number,
            score=2 * (1 + number),
            people=1,
            opened_at=timezone.now(),
        )
    caller = desk(*SEES, scopes=("reports",))
    ids = [row["id"] for row in caller.get("oversharing").json()["results"]]
    assert len(ids) == 3
    said = caller.get("oversharing", format="csv", page_size=1, page=2)
    assert (HIDDEN in said.content.decode(), "guests" in said.content.decode()) == (False, False)
    rows = read_csv(said)
    assert [row["id"] for row in rows] == ids
    first = OversharingRisk.objects.get(pk=risk.pk)
    assert rows[0] == {
        "id": str(first.pk),
        "kind": "secret",
        "level": "high",
        "score": str(first.score),
        "sensitivity": str(first.sensitivity),
        "reach": str(first.reach),
        "state": "accepted",
        "of": "Network",
        "subjects": "password; code",
        "people": "42",
        "people_before": "3",
        "documents": str(first.documents),
        "since": "2026-08-01",
        "reason": "'=1+1",
        "found_at": first.found_at.isoformat(timespec="seconds"),
        "opened_at": first.opened_at.isoformat(timespec="seconds"),
    }
    assert (tuple(rows[0]), rows[1]["people_before"], rows[1]["since"]) == (COLUMNS, "", "")
    book = openpyxl.load_workbook(io.BytesIO(caller.get("oversharing", format="xlsx").content))
    heading, *cells = book["Oversharing"].iter_rows(values_only=True)
    assert heading == tuple(name.replace("_", " ").capitalize() for name in COLUMNS)
    assert [row[0] for row in cells] == ids
    assert (cells[0][3], cells[0][8], cells[0][13]) == (first.score, "password; code", "'=1+1")
    assert (cells[1][10], cells[0][14]) == (None, first.found_at.isoformat(timespec="seconds"))


def test_a_file_has_what_the_filters_leave_and_is_recorded(desk: Make, risk: OversharingRisk) -> None:
    """By its format and how many rows it has, not by the words that were searched for; a page is not recorded."""
    caller = desk(*SEES, scopes=("reports",))
    assert caller.get("oversharing").status_code == 200
    assert not AuditEvent.objects.filter(action="export").exists()
    assert [row["id"] for row in read_csv(caller.get("oversharing", format="csv", search="netw"))] == [str(risk.pk)]
    assert read_csv(caller.get("oversharing", format="csv", state="gone")) == []
    assert caller.get("oversharing", format="xlsx", level="high").status_code == 200
    events = AuditEvent.objects.filter(action="export", object_type="oversharingrisk").order_by("pk")
    assert sorted((event.details["format"], event.details["rows"]) for event in events) == [
        ("csv", 0),
        ("csv", 1),
        ("xlsx", 1),
    ]
    assert {event.actor for event in events} == {caller.user}
    assert not any("netw" in str(event.details) for event in events)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_file_needs_what_the_list_needs(desk: Make, risk: OversharingRisk, form: str) -> None:
    """Its refusals say nothing of any risk and are not recorded as exports; a filter that is wrong is named."""
    caller = desk(*SEES, scopes=("reports",))
    assert caller.get("oversharing", format=form, state="closed").status_code == 400
    assert caller.get("oversharing", format="pdf").json()["fields"].keys() == {"format"}
    for right in SEES:
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        refused = caller.get("oversharing", format=form)
        assert (refused.status_code, b"Network" in refused.content) == (403, False)
        caller.user.user_permissions.add(held)
    caller.row.scopes = ["grant"]
    caller.row.save()
    assert caller.get("oversharing", format=form).status_code == 403
    assert not AuditEvent.objects.filter(action="export").exists()


# --- The report -----------------------------------------------------------------------------------------------------
def at(day: int, month: int) -> dt.datetime:
    """Return a moment of 2026."""
    return dt.datetime(2026, month, day, 12, tzinfo=dt.UTC)


@pytest.fixture
def year(cast: Cast) -> None:
    """Risks of which one is open since June, and the others were decided, or were gone, in August."""

    def keep(number: int, found: dt.datetime, **more: Any) -> None:
        document = make_document(f"Zanzibar {number}", f"Leaf {number}.", roles=[cast.staff])
        made = OversharingRisk.objects.create(
            kind=more.pop("kind", "secret"),
            key=f"secret/{number}",
            document=document,
            sensitivity=5,
            reach=more.pop("reach", 5),
            score=5 * more.pop("times", 5),
            people=9,
            opened_at=more.pop("opened_at", found),
            **more,
        )
        OversharingRisk.objects.filter(pk=made.pk).update(found_at=found)

    keep(1, at(5, 6))
    keep(2, at(6, 6), kind="confidential", reach=2, times=2, opened_at=at(3, 8))
    keep(3, at(7, 7), state="narrowed", decided_at=at(4, 8))
    keep(4, at(8, 7), state="accepted", decided_at=at(5, 8), reason="It is right")
    keep(5, at(9, 7), state="gone", gone_at=at(6, 8))
    keep(6, at(10, 7), state="gone", decided_at=at(20, 7), gone_at=at(7, 8), reason="It is right")


def test_the_report_has_figures_by_month_and_what_is_open(desk: Make, year: None) -> None:
    """Each month of the period, and nothing that names a document."""
    caller = desk(*SEES, "view_reports")
    said = caller.get(REPORT, since="2026-06-01", until="2026-08-31")
    assert "Zanzibar" not in said.content.decode()
    june, july, august = said.json()["rows"]
    assert june == {
        "month": "2026-06",
        "found": 2,
        "opened": 1,
        "narrowed": 0,
        "found_right": 0,
        "gone": 0,
        "open": 1,
        "open_high": 1,
    }
    assert (july["found"], july["found_right"], july["open"], july["open_high"]) == (4, 1, 4, 4)
    assert (august["found"], august["opened"], august["narrowed"], august["found_right"]) == (0, 1, 1, 1)
    assert (august["gone"], august["open"], august["open_high"]) == (1, 2, 1)
    kinds = {row.pop("kind"): row for row in said.json()["open"]}
    assert kinds["secret"] == {"high": 1, "medium": 0, "low": 0}
    assert kinds["confidential"] == {"high": 0, "medium": 1, "low": 0}
    assert kinds["widened"] == {"high": 0, "medium": 0, "low": 0}
    part = caller.get(REPORT, since="2026-07-08", until="2026-07-09").json()["rows"]
    assert [(row["month"], row["found"], row["open"]) for row in part] == [("2026-07", 2, 4)]
    assert caller.get(REPORT, since="2026-02-01", until="2026-01-01").status_code == 400


def test_the_report_is_a_file_too_which_is_recorded(desk: Make, year: None) -> None:
    caller = desk(*SEES, "view_reports")
    days = {"since": "2026-06-01", "until": "2026-08-31"}
    text = caller.get(REPORT, format="csv", **days).content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["month"], row["opened"], row["open"]) for row in rows] == [
        ("2026-06", "1", "1"),
        ("2026-07", "4", "4"),
        ("2026-08", "1", "2"),
    ]
    assert "Zanzibar" not in text
    book = openpyxl.load_workbook(io.BytesIO(caller.get(REPORT, format="xlsx", **days).content))
    heading, *cells = book["Oversharing"].iter_rows(values_only=True)
    assert heading[:2] == ("Month", "Found")
    assert [row[0] for row in cells] == ["2026-06", "2026-07", "2026-08"]
    events = AuditEvent.objects.filter(action="export", object_type="oversharing")
    assert sorted(event.details["format"] for event in events) == ["csv", "xlsx"]


def test_the_report_needs_every_right_and_its_scope(desk: Make, year: None) -> None:
    caller = desk(*SEES, "view_reports")
    for right in (*SEES, "view_reports"):
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        for form in ("json", "csv", "xlsx"):
            refused = caller.get(REPORT, format=form)
            assert refused.status_code == 403
            assert "open" not in refused.content.decode()
        caller.user.user_permissions.add(held)
    assert caller.get(REPORT).status_code == 200
    caller.row.scopes = ["grant"]
    caller.row.save()
    assert caller.get(REPORT).status_code == 403


def test_words_are_of_the_edition_that_was_looked_through(desk: Make, cast: Cast, risk: OversharingRisk) -> None:
    """A place in an edition that is replaced is not shown, and cannot be vouched for."""
    caller = desk(*DECIDES)
    let_read(caller, cast)
    [place] = caller.get(f"oversharing/{risk.pk}").json()["places"]
    assert fetch_chunks(Document.objects.get(pk=risk.document_id))
    Document.objects.filter(pk=risk.document_id).update(version=2)
    assert caller.get(f"oversharing/{risk.pk}").json()["places"] == []
    refused = caller.post(f"oversharing/{risk.pk}/show-secrets", places=[place["id"]], reason="Guests need it")
    assert refused.status_code == 409
