"""Checks of changes over REST: asked for, shown as far as the caller may see, and decided by who may."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import openpyxl
import pytest
from django.contrib.auth.models import Permission
from pytest_django.fixtures import Settings

from core.asking.confidence.threshold_values import forget_thresholds
from core.models import AnswerThresholds, AuditEvent, ChangeCheck, ChangeLimit, Document, RoleDocumentAccess, User
from core.testing import Cast, make_document
from core.values.change_checks import ChangeKind, CheckState
from tests.integration.change_checks.conftest import CANTEEN, VAULT, ask, run
from tests.integration.change_checks.conftest import _in_process as _in_process
from tests.integration.rest.conftest import Caller

GRANTS = ("view_role", "view_document", "decide_who_reads")
ALL = ("view_changecheck", "decide_changes", "view_user", "view_query", *GRANTS)
LIMITS = ("view_changelimit", "change_changelimit")
Make = Callable[..., Caller]


@pytest.fixture(autouse=True)
def _no_reader(settings: Settings) -> Iterator[None]:
    settings.READER = "none"
    yield
    forget_thresholds()


@pytest.fixture
def desk(cast: Cast) -> Make:
    """Makes somebody with these rights and a token with these scopes, who may read nothing."""

    def make(*rights: str, scopes: tuple[str, ...] = ("grant",), name: str = "desk") -> Caller:
        user = User.objects.create_user(f"{name}@example.com", display_name=name.capitalize())
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
        return Caller(user, *scopes)

    return make


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """A document that nobody reads, beside one of the staff; Bob asked about it in vain."""
    make_document("Canteen", CANTEEN, roles=[cast.staff])
    vault = make_document("Vault", VAULT, roles=[])
    ask(cast.bob, "When does the vault open?")
    ask(cast.bob, "When does the canteen close?")
    return vault


def give(vault: Document, **more: Any) -> dict[str, Any]:
    """Build the body of a grant of the vault to the staff."""
    return {"action": "grant", "roles": ["staff"], "documents": [str(vault.pk)], **more}


def switch_on(kind: ChangeKind = ChangeKind.GRANTS, **limits: Any) -> None:
    """Let changes of a kind wait."""
    ChangeLimit.objects.create(kind=kind, is_on=True, from_documents=1, **limits)


def is_granted(vault: Document) -> bool:
    """Return True if somebody reads the vault."""
    return RoleDocumentAccess.objects.filter(document=vault).exists()


def test_a_grant_is_looked_at_and_shown(desk: Make, cast: Cast, vault: Document) -> None:
    """Show whose question would be answered from what, and record that it is another person's."""
    caller = desk(*ALL)
    sent = caller.post("change-checks", grants=give(vault))
    assert (sent.status_code, sent.json()["state"], sent.json()["gate"]) == (202, "waiting", False)
    run(ChangeCheck.objects.get(pk=sent.json()["id"]))
    shown = caller.get(f"change-checks/{sent.json()['id']}").json()
    assert (shown["state"], shown["crossed"], shown["may_decide"]) == ("tried", [], True)
    assert shown["asked_by"]["name"] == "Desk"
    [role] = shown["change"]["roles"]
    document = {"id": str(vault.pk), "title": "Vault"}
    assert (shown["change"]["action"], role["name"], role["documents"]) == ("grant", "staff", [document])
    [line] = shown["lines"]
    assert (line["outcome"], line["worse"], line["gains"]) == ("answered", False, 1)
    assert (line["person"]["name"], line["question"]) == ("Bob", "When does the vault open?")
    assert (line["before"], line["after"], line["after_text"]) == ([], [document], None)
    [person] = shown["people"]
    assert (person["id"], person["outcomes"], person["gaining"]) == (str(cast.bob.pk), {"answered": 1, "same": 1}, 1)
    event = AuditEvent.objects.get(action="read_text", actor=caller.user)
    assert (event.object_id, event.details) == (shown["id"], {"questions": 1})
    everything = caller.get(f"change-checks/{shown['id']}", all="true").json()["lines"]
    assert {line["outcome"] for line in everything} == {"answered", "same"}
    assert not is_granted(vault)


def test_what_the_caller_may_not_see_is_left_out(desk: Make, cast: Cast, vault: Document) -> None:
    """Without rights to people, questions, documents and roles there are figures alone, and nothing is recorded."""
    check = run(ChangeCheck.objects.get(pk=desk(*ALL).post("change-checks", grants=give(vault)).json()["id"]))
    narrow = desk("view_changecheck", name="narrow")
    response = narrow.get(f"change-checks/{check.pk}", all="true")
    shown = response.json()
    assert (shown["figures"]["answered"], shown["may_decide"], shown["people"]) == (1, False, [])
    [role] = shown["change"]["roles"]
    assert (role["name"], role["documents"], shown["asked_by"]) == (None, [], None)
    for line in shown["lines"]:
        assert (line["person"], line["question"], line["role"]) == (None, None, None)
        assert (line["before"], line["after"], line["before_text"]) == ([], [], None)
    for word in ("Vault", str(vault.pk), "Bob", str(cast.bob.pk), "staff", "canteen"):
        assert word not in response.content.decode()
    assert not AuditEvent.objects.filter(action="read_text").exists()


def test_the_list_is_paged_and_narrowed(desk: Make, vault: Document) -> None:
    caller = desk(*ALL, "change_answerthresholds")
    first = caller.post("change-checks", grants=give(vault)).json()["id"]
    second = caller.post("change-checks", thresholds={"answer_from": 0.9, "closest_from": 0.1}).json()["id"]
    run(ChangeCheck.objects.get(pk=first))
    assert [row["id"] for row in caller.get("change-checks").json()["results"]] == [second, first]
    assert [row["id"] for row in caller.get("change-checks", kind="grants").json()["results"]] == [first]
    assert [row["id"] for row in caller.get("change-checks", state="waiting").json()["results"]] == [second]
    page = caller.get("change-checks", page_size="1", page="2").json()
    assert (page["count"], [row["id"] for row in page["results"]]) == (2, [first])
    assert caller.get("change-checks", state="odd").status_code == 400
    assert caller.get("change-checks", colour="red").status_code == 400
    assert "lines" not in page["results"][0]


def test_a_grant_waits_for_a_yes_and_is_approved(desk: Make, vault: Document) -> None:
    """`POST grants` says so; the yes is one of a person who may make the change."""
    switch_on(most_changed=0)
    caller = desk(*ALL)
    sent = caller.post("grants", **give(vault))
    assert (sent.status_code, sent.json()["done"], sent.json()["grants"]) == (202, False, 1)
    check = sent.json()["check"]
    assert caller.post(f"change-checks/{check}/approve").status_code == 409
    run(ChangeCheck.objects.get(pk=check))
    assert not is_granted(vault)
    shown = caller.get(f"change-checks/{check}").json()
    assert (shown["state"], shown["crossed"], shown["limits"]["most_changed"]) == ("held", ["changed"], 0)
    other = desk("view_changecheck", "decide_changes", name="other")
    for act in ("approve", "decline", "again", "stop"):
        assert other.post(f"change-checks/{check}/{act}").status_code == 403
    approved = caller.post(f"change-checks/{check}/approve").json()
    assert (approved["state"], approved["decided_by"]["name"]) == ("made", "Desk")
    assert is_granted(vault)
    refused = caller.post(f"change-checks/{check}/decline")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_decidable")


def test_a_change_is_declined_or_stopped(desk: Make, vault: Document) -> None:
    switch_on(most_changed=0)
    caller = desk(*ALL)
    held, waiting = (caller.post("change-checks", grants=give(vault), gate=True).json()["id"] for _ in range(2))
    run(ChangeCheck.objects.get(pk=held))
    assert caller.post(f"change-checks/{held}/decline").json()["state"] == "declined"
    assert caller.post(f"change-checks/{waiting}/stop").json()["state"] == "stopped"
    assert caller.post(f"change-checks/{waiting}/stop").status_code == 409
    assert not is_granted(vault)


def test_a_change_is_checked_again(desk: Make, vault: Document) -> None:
    """As the library is now: the answer is another check, and the earlier one has ended."""
    switch_on(most_changed=0)
    caller = desk(*ALL)
    first = caller.post("change-checks", grants=give(vault), gate=True).json()["id"]
    assert caller.post(f"change-checks/{first}/again").status_code == 409
    run(ChangeCheck.objects.get(pk=first))
    sent = caller.post(f"change-checks/{first}/again")
    assert (sent.status_code, sent.json()["state"], sent.json()["gate"]) == (202, "waiting", True)
    assert sent.json()["id"] != first
    assert caller.get(f"change-checks/{first}").json()["state"] == "declined"


def test_a_gate_within_the_limits_makes_the_change(desk: Make, vault: Document) -> None:
    switch_on()
    sent = desk(*ALL).post("change-checks", grants=give(vault), gate=True).json()
    assert sent["gate"]
    assert run(ChangeCheck.objects.get(pk=sent["id"])).state == CheckState.MADE
    assert is_granted(vault)


def test_a_dry_run_of_grants_is_no_check(desk: Make, vault: Document) -> None:
    switch_on()
    tried = desk(*ALL).post("grants", **give(vault), dry_run=True)
    assert (tried.status_code, tried.json()["done"], tried.json()["check"]) == (200, False, None)
    assert not ChangeCheck.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"gate": True},
        {"grants": {"action": "grant", "roles": ["staff"]}},
        {"grants": {"action": "grant", "roles": ["nobodies"], "collections": ["Test library"]}},
        {"grants": {"action": "grant", "roles": ["staff"], "collections": ["Test library"], "dry_run": True}},
        {"grants": {"action": "revoke", "roles": ["owners"], "collections": ["Test library"]}},  # changes nothing
        {"thresholds": {"answer_from": 0.9}},
        {"thresholds": {"answer_from": 0.2, "closest_from": 0.9}},
        {"thresholds": {"answer_from": "nan", "closest_from": "nan"}},
        {"thresholds": {"answer_from": 0.2, "closest_from": 0.1, "settings": True}},
        {"thresholds": {"settings": True}, "colour": "red"},
    ],
)
def test_what_cannot_be_checked_is_refused(desk: Make, vault: Document, body: dict[str, Any]) -> None:
    refused = desk(*ALL, "change_answerthresholds").post("change-checks", **body)
    assert refused.status_code == 400, refused.content
    assert not ChangeCheck.objects.exists()


def test_thresholds_are_put_live_checked_and_taken_back(desk: Make, vault: Document, settings: Settings) -> None:
    caller = desk(*ALL, "change_answerthresholds")
    settings.ANSWER_FROM, settings.CLOSEST_FROM, settings.ANSWERS_RIGHT = 0.5, 0.2, 0.0

    def put(**body: Any) -> Any:
        return caller.client.put("/api/v1/answer-thresholds", body, format="json")

    own = {"answer_from": 0.5, "closest_from": 0.2, "is_put_live": False, "check": None}
    assert caller.get("answer-thresholds").json() == own
    live = own | {"answer_from": 0.9, "closest_from": 0.3, "is_put_live": True}
    assert (put(answer_from=0.9, closest_from=0.3).status_code, caller.get("answer-thresholds").json()) == (200, live)
    assert AnswerThresholds.objects.get().changed_by == caller.user
    refused = put(answer_from=0.2, closest_from=0.3)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_change")
    switch_on(ChangeKind.THRESHOLDS)
    waits = put(answer_from=0.6, closest_from=0.3)
    assert (waits.status_code, waits.json() | {"check": None}) == (202, live)
    assert ChangeCheck.objects.get(pk=waits.json()["check"]).is_gate
    ChangeLimit.objects.update(is_on=False)
    taken = caller.client.delete("/api/v1/answer-thresholds")
    assert (taken.status_code, taken.json()) == (200, own)
    assert not AnswerThresholds.objects.exists()


def test_limits_are_listed_and_set(desk: Make) -> None:
    """Each kind has one; what is left out of a request is refused rather than set to something."""
    caller = desk(*LIMITS)
    rows = caller.get("change-limits").json()
    assert [(row["kind"], row["is_on"]) for row in rows] == [(kind.value, False) for kind in ChangeKind]
    body = {
        "kind": "grants",
        "is_on": True,
        "from_documents": 3,
        "most_worse": 5,
        "most_moved": 2,
        "most_changed": None,
        "most_people": 40,
    }

    def put(given: dict[str, Any]) -> Any:
        return caller.client.put("/api/v1/change-limits", given, format="json")

    changed = put(body)
    assert (changed.status_code, changed.json()[0]) == (200, body)
    assert AuditEvent.objects.get(object_type="changelimit").actor == caller.user
    for odd in ({"most_worse": 101}, {"kind": "odd"}, {"from_documents": 0}, {"most_people": -1}, {"colour": 1}):
        assert put(body | odd).status_code == 400, odd
    for name in body:
        assert put({key: value for key, value in body.items() if key != name}).status_code == 400, name
    assert ChangeLimit.objects.get().most_worse == 5


def test_the_report_counts_by_month(desk: Make, vault: Document) -> None:
    """In JSON, CSV and XLSX: figures alone. Files are recorded."""
    switch_on(most_changed=0)
    caller, viewer = desk(*ALL), desk("view_reports", scopes=("reports",), name="viewer")
    held, looked = (caller.post("change-checks", grants=give(vault), gate=gate).json()["id"] for gate in (True, False))
    for check in (held, looked):
        run(ChangeCheck.objects.get(pk=check))
    caller.post(f"change-checks/{held}/decline")
    [row] = viewer.get("reports/change-checks").json()["rows"]
    assert (row["checks"], row["held"], row["made"], row["declined"], row["worse"]) == (2, 1, 0, 1, 0)
    assert row["questions"] == 2 * ChangeCheck.objects.get(pk=held).figures["questions"] > 0
    [line] = csv.DictReader(io.StringIO(viewer.get("reports/change-checks", format="csv").content.decode()))
    assert (line["month"], line["checks"], line["held"]) == (row["month"], "2", "1")
    book = openpyxl.load_workbook(io.BytesIO(viewer.get("reports/change-checks", format="xlsx").content))
    [heading, cells] = book.active.values
    assert (heading[:2], cells[1]) == (("Month", "Checks"), 2)
    assert AuditEvent.objects.filter(action="export", object_type="changecheck").count() == 2
    assert desk("view_changecheck", scopes=("reports",), name="no").get("reports/change-checks").status_code == 403


NOWHERE = f"change-checks/{uuid4()}"
ENTRANCES = [
    ("get", "change-checks", ("view_changecheck",), {}),
    ("get", "change-checks/{check}", ("view_changecheck",), {}),
    ("post", "change-checks", ALL[:2] + GRANTS, {"grants": {}}),
    ("post", "change-checks", (*ALL[:2], "change_answerthresholds"), {"thresholds": {"settings": True}}),
    ("post", "change-checks/{check}/approve", (*ALL[:2], "decide_who_reads"), {}),
    ("post", "change-checks/{check}/decline", (*ALL[:2], "decide_who_reads"), {}),
    ("post", "change-checks/{check}/again", (*ALL[:2], "decide_who_reads"), {}),
    ("post", "change-checks/{check}/stop", (*ALL[:2], "decide_who_reads"), {}),
    ("get", "change-limits", ("view_changelimit",), {}),
    ("put", "change-limits", LIMITS, {}),
    ("get", "answer-thresholds", ("change_answerthresholds",), {}),
    ("put", "answer-thresholds", ("change_answerthresholds",), {"answer_from": 0.9, "closest_from": 0.1}),
    ("delete", "answer-thresholds", ("change_answerthresholds",), {}),
]


@pytest.mark.parametrize(("method", "path", "rights", "body"), ENTRANCES)
def test_each_entrance_needs_its_scope_and_every_right(
    desk: Make, vault: Document, method: str, path: str, rights: tuple[str, ...], body: dict[str, Any]
) -> None:
    """Without the scope, or any one right, it changes nothing and says nothing."""
    check = ChangeCheck.objects.get(pk=desk(*ALL, name="asker").post("change-checks", grants=give(vault)).json()["id"])
    caller = desk(*rights)
    given = {"grants": give(vault)} if "grants" in body else body
    address = f"/api/v1/{path.format(check=check.pk)}"

    def knock() -> int:
        answer = getattr(caller.client, method)(address, given if method != "get" else {}, format="json")
        if answer.status_code == 403:
            assert "Vault" not in answer.content.decode()
        return int(answer.status_code)

    for right in rights:
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        assert knock() == 403, right
        caller.user.user_permissions.add(held)
    caller.row.scopes = ["ask", "reports", "ingest"]
    caller.row.save()
    assert knock() == 403
    check.refresh_from_db()
    assert (check.state, ChangeCheck.objects.count()) == ("waiting", 1)
    assert not AnswerThresholds.objects.exists()
    caller.row.scopes = ["grant"]
    caller.row.save()
    assert knock() != 403


def test_a_check_that_is_not_there_is_not_found(desk: Make) -> None:
    caller = desk(*ALL)
    assert caller.get(NOWHERE).status_code == 404
    for act in ("approve", "decline", "again", "stop"):
        assert caller.post(f"{NOWHERE}/{act}").json()["code"] == "not_found"
