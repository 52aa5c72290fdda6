"""Test `manage.py oversharing`: what it lists, what it narrows after a yes, and who is recorded for it."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from core.models import AuditEvent, Document, OversharingRisk, SensitivityLook, UsergroupRole, UserRole, forget_shown
from core.testing import Cast, make_document
from tests.integration.oversharing.people import WIFI, give, look, make_people, make_shelf

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture(autouse=True)
def _shown() -> None:
    forget_shown()


class Terminal(io.StringIO):
    """Standard input at which a person types."""

    def isatty(self) -> bool:
        """Say that somebody is there."""
        return True


def run(*options: str) -> tuple[int, str, str]:
    """Return the exit code, what is printed or said of an error, and what is said besides."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("oversharing", *options, stdout=out, stderr=err)
    except CommandError as error:
        return error.returncode, str(error), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def read(*options: str) -> Any:
    """Return the JSON that is printed."""
    return json.loads(run(*options, "--json")[1])


@pytest.fixture
def network(cast: Cast) -> Document:
    """A document with a password, which two people of the staff and a crowd of forty read."""
    document = make_document("Network [bold]", WIFI, roles=[cast.staff])
    give(make_people("crowd", 40), document)
    return document


@pytest.fixture
def risk(network: Document) -> OversharingRisk:
    """The risk of that."""
    return look()["secret", network.pk]


def test_open_risks_are_a_table_and_json(risk: OversharingRisk) -> None:
    """With --all those that are over, too; titles as they are written."""
    code, said, _ = run()
    assert code == 0
    row = next(line for line in said.splitlines() if str(risk.pk)[:8] in line)
    assert [word for word in ("high", "20", "holds", "42") if word not in row] == []
    assert "[bold]" in said
    [shown] = read()["risks"]
    assert (shown["id"], shown["kind"], shown["level"], shown["score"]) == (str(risk.pk), "secret", "high", 20)
    assert (shown["of"], shown["people"], shown["state"]) == ("Network [bold]", 42, "open")
    assert (shown["subjects"], shown["role"], shown["reason"]) == (["password"], None, None)
    OversharingRisk.objects.update(state="gone")
    assert run()[1] == "There is no open risk.\n"
    assert read()["risks"] == []
    assert "gone" in run("--all")[1]
    assert [one["state"] for one in read("--all")["risks"]] == ["gone"]


def test_a_look_goes_through_what_waits(network: Document, settings: Settings) -> None:
    """All of it, once; then nothing waits."""
    make_document("Hours", "The office opens at nine.", roles=[])
    assert run()[1] == "There is no open risk.\n"
    said = run("--look")[1]
    assert said.startswith("Documents looked through: 2. Risks opened: 1.")
    assert SensitivityLook.objects.count() == 2
    again = read("--look")
    assert (again["looked"], again["opened"], len(again["risks"])) == (0, 0, 1)
    settings.OVERSHARING_ENABLED = False
    code, said, _ = run("--look")
    assert (code, "OVERSHARING_ENABLED" in said) == (2, True)


def test_the_suggestion_is_narrowed_after_a_yes(
    network: Document, risk: OversharingRisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says first who loses what; a no changes nothing, and without anybody to ask it is refused."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    code, said, _ = run("--narrow", str(risk.pk))
    assert (code, "--yes" in said) == (2, True)
    monkeypatch.setattr("sys.stdin", Terminal("\n"))
    code, _, asked = run("--narrow", str(risk.pk))
    assert code == 0
    for line in ("read it now: 42", "crowd (people: 40, documents: 1)", "read it then: 2", "Nothing was changed"):
        assert line in asked
    assert network.role_access.count() == 2
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    code, said, _ = run("--narrow", str(risk.pk))
    assert (code, said) == (0, "Narrowed; grants taken back: 1.\n")
    assert [row.role.name for row in network.role_access.all()] == ["staff"]


def test_roles_are_named_and_who_does_it_is_recorded(cast: Cast, network: Document, risk: OversharingRisk) -> None:
    """By the beginning of an id; a role that does not read it is refused."""
    code, said, _ = run("--narrow", str(risk.pk)[:8], "--role", "owners", "--yes")
    assert (code, said) == (2, "owners does not read it. Roles that do: crowd, staff.")
    assert network.role_access.count() == 2
    narrowed = read("--narrow", str(risk.pk)[:8], "--role", "staff", "--yes", "--as", cast.alice.email)
    assert (narrowed["roles"], narrowed["taken"], narrowed["risk"]["people"]) == (["staff"], 1, 40)
    assert AuditEvent.objects.get(action="revoke").actor == cast.alice
    assert read("--narrow", str(risk.pk), "--role", "crowd", "--yes")["taken"] == 1
    assert AuditEvent.objects.filter(action="revoke", actor=None).count() == 1


def test_a_usergroup_gives_its_role_no_more(cast: Cast) -> None:
    board = make_people("board", 2)
    make_shelf("Minutes", 2, read_by=board)
    mapping = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", handle="all", role=board)
    for user in make_people("crowd", 20).users.all():
        UserRole.objects.create(user=user, role=board, usergroup=mapping)
    [risk] = [risk for (kind, _), risk in look().items() if kind == "odd_group"]
    said = run("--narrow", str(risk.pk), "--yes")[1]
    assert said == "The usergroup gives the role no more; people who lost it: 20.\n"
    assert UserRole.objects.filter(role=board).count() == 2


def test_a_risk_is_found_right_with_a_reason(cast: Cast, risk: OversharingRisk) -> None:
    """By who runs the server, or by who is named."""
    assert run("--accept", str(risk.pk))[0] == 2
    assert run("--accept", str(risk.pk), "--reason", " ")[0] == 2
    code, said, _ = run("--accept", str(risk.pk), "--reason", "It is for visitors")
    assert (code, said) == (0, "It is right so, until it grows.\n")
    risk.refresh_from_db()
    assert (risk.state, risk.reason, risk.decided_by) == ("accepted", "It is for visitors", None)
    event = AuditEvent.objects.get(action="accept_risk")
    assert (event.actor, event.object_id) == (None, str(risk.pk))
    accepted = read("--accept", str(risk.pk), "--reason", "Still right", "--as", cast.alice.email)["risk"]
    assert (accepted["state"], accepted["reason"]) == ("accepted", "Still right")
    risk.refresh_from_db()
    assert risk.decided_by == cast.alice


def test_what_cannot_be_decided_says_why(network: Document, risk: OversharingRisk) -> None:
    """Exit code 1, and nothing is changed."""
    OversharingRisk.objects.update(state="gone")
    code, said, _ = run("--narrow", str(risk.pk), "--yes")
    assert (code, "is over" in said) == (1, True)
    code, said, _ = run("--accept", str(risk.pk), "--reason", "It is right")
    assert (code, "gone" in said) == (1, True)
    network.role_access.all().delete()
    code, said, _ = run("--narrow", str(risk.pk), "--yes")
    assert (code, "No role is suggested" in said) == (1, True)


@pytest.mark.parametrize(
    "options",
    [
        ("--narrow", "00000000-0000-0000-0000-000000000000", "--yes"),
        ("--narrow", "abc", "--yes"),
        ("--narrow", "%%%%", "--yes"),
        ("--accept", "nobody knows", "--reason", "It is right"),
        ("--role", "staff"),
        ("--reason", "It is right"),
        ("--as", "nobody@example.com"),
    ],
)
def test_what_names_nothing_is_wrong_usage(risk: OversharingRisk, options: tuple[str, ...]) -> None:
    assert run(*options)[0] == 2
    risk.refresh_from_db()
    assert risk.state == "open"


def test_a_beginning_that_several_ids_have_is_refused(cast: Cast) -> None:
    documents = [make_document(f"Network {n}", WIFI, roles=[cast.staff]) for n in range(2)]
    look()
    for number, document in enumerate(documents):
        OversharingRisk.objects.filter(document=document).update(id=f"abcd000{number}-0000-4000-8000-000000000000")
    code, said, _ = run("--accept", "abcd", "--reason", "It is right")
    assert (code, said) == (2, "Several risks have such an id: give more of it.")
    assert run("--accept", "ABCD0001", "--reason", "It is right")[0] == 0
    assert OversharingRisk.objects.get(document=documents[1]).state == "accepted"
