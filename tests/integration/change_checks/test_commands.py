"""On the shell, too, a change of many documents is checked before it is live."""

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from core.asking.confidence.threshold_values import forget_thresholds
from core.models import AnswerThresholds, ChangeCheck, ChangeLimit, Document, Role, RoleDocumentAccess, UserRole
from core.testing import Cast
from core.values.change_checks import ChangeKind, CheckState
from tests.integration.change_checks.conftest import Deciding, ask, run

CANTEEN_HOURS, VAULT_HOURS = "When does the canteen close?", "When does the vault open?"


def switch_on(kind: ChangeKind = ChangeKind.GRANTS, **limits: int) -> None:
    """Let changes of a kind wait from one document on."""
    ChangeLimit.objects.create(kind=kind, is_on=True, from_documents=1, **limits)


def say(*arguments: str) -> tuple[str, int]:
    """Return what a command prints, and its exit code."""
    out = StringIO()
    try:
        call_command(*arguments, stdout=out)
    except CommandError as error:
        return str(error), error.returncode
    except SystemExit as ended:
        return out.getvalue(), int(str(ended.code))
    return out.getvalue(), 0


def read(*arguments: str) -> dict[str, Any]:
    """Return the JSON that a command prints."""
    said: dict[str, Any] = json.loads(say(*arguments, "--json")[0])
    return said


def test_a_grant_that_is_held_makes_no_grant_and_lets_people_join(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    """It says which check it is; that makes the grant as whoever was named, within the limits."""
    switch_on()
    ask(cast.bob, VAULT_HOURS)
    alice = deciding(cast.alice)
    said = read("grant", "staff", "Vault", "--user", cast.charlie.email, "--as", alice.email)
    check = ChangeCheck.objects.get(pk=said["check"])
    assert (said["granted"], said["users"], check.is_gate, check.asked_by) == (0, 1, True, alice)
    assert UserRole.objects.filter(role=cast.staff, user=cast.charlie).exists()
    assert not RoleDocumentAccess.objects.filter(document=library["vault"]).exists()
    assert run(check).state == CheckState.MADE
    assert RoleDocumentAccess.objects.filter(document=library["vault"], role=cast.staff).exists()


def test_a_revocation_that_is_held_says_where_somebody_decides(cast: Cast, library: dict[str, Document]) -> None:
    """Without a person who may make it, it waits for a yes whatever the check finds."""
    switch_on(most_worse=100)
    ask(cast.bob, CANTEEN_HOURS)
    said, code = say("revoke", "staff", "Canteen")
    check = ChangeCheck.objects.get()
    assert code == 0
    assert f"/api/v1/change-checks/{check.pk}" in said
    assert "Changes before they are live" in said
    assert (run(check).state, check.crossed) == (CheckState.HELD, [])
    assert RoleDocumentAccess.objects.filter(document=library["canteen"], role=cast.staff).exists()


def test_what_the_limit_does_not_hold_is_made_at_once(cast: Cast, library: dict[str, Document]) -> None:
    """A change of fewer documents, and people alone."""
    ChangeLimit.objects.create(kind=ChangeKind.GRANTS, is_on=True, from_documents=2)
    assert read("grant", "staff", "Vault") == {
        "role": "staff",
        "granted": 1,
        "documents": [str(library["vault"].pk)],
        "users": 0,
    }
    ChangeLimit.objects.update(from_documents=1)
    assert read("revoke", "staff", "--user", cast.bob.email)["users"] == 1
    assert read("grant", "staff", "Vault")["granted"] == 0  # it is granted already
    assert not ChangeCheck.objects.exists()


def test_a_look_prints_figures_and_outcomes_and_changes_nothing(cast: Cast, library: dict[str, Document]) -> None:
    """In the foreground, without a word of a question; the exit code says whether a limit is crossed."""
    ask(cast.bob, CANTEEN_HOURS)
    before = set(RoleDocumentAccess.objects.values_list("pk", flat=True))
    said, code = say("revoke", "staff", "Canteen", "--check")
    assert (code, ChangeCheck.objects.get().state) == (0, CheckState.TRIED)
    assert "no longer answered" in said
    assert "No limit is switched on" in said
    assert "canteen" not in said.casefold()
    assert "bob" not in said.casefold()
    switch_on()
    said, code = say("revoke", "staff", "Canteen", "--check")
    assert code == 1
    assert "It would wait for a yes: more answers get worse or vanish than the limit allows." in said
    ChangeLimit.objects.update(most_worse=100)
    assert "It crosses no limit." in say("revoke", "staff", "Canteen", "--check")[0]
    found = read("revoke", "staff", "Canteen", "--check")
    assert (found["crossed"], found["figures"]["vanished"], found["limits"]["most_worse"]) == ([], 1, 100)
    assert read("grant", "staff", "Canteen", "--check") == {"check": None}
    assert set(RoleDocumentAccess.objects.values_list("pk", flat=True)) == before


def test_a_look_is_of_documents_and_of_a_role_that_there_is(cast: Cast, library: dict[str, Document]) -> None:
    assert say("grant", "staff", "Vault", "--user", cast.bob.email, "--check")[1] == 2
    assert say("grant", "stuff", "Vault", "--create-role", "--check")[1] == 2
    assert not Role.objects.filter(name="stuff").exists()
    assert not ChangeCheck.objects.exists()


def test_thresholds_are_shown_checked_and_put_live(
    cast: Cast, library: dict[str, Document], settings: Settings
) -> None:
    settings.ANSWER_FROM, settings.CLOSEST_FROM, settings.ANSWERS_RIGHT = 0.5, 0.2, 0.0
    cast.alice.user_permissions.add(Permission.objects.get(codename="change_answerthresholds"))
    new = ("thresholds", "--answer-from", "0.9", "--closest-from", "0.3")
    assert say("thresholds")[0].startswith("There is an answer from 0.50 on")
    assert read("thresholds") == {"answer_from": 0.5, "closest_from": 0.2, "is_put_live": False}
    assert say(*new, "--check")[1] == 0
    assert read("thresholds")["answer_from"] == 0.5
    live = {"answer_from": 0.9, "closest_from": 0.3, "is_put_live": True}
    assert read(*new, "--as", cast.alice.email) == live
    assert AnswerThresholds.objects.get().changed_by == cast.alice
    switch_on(ChangeKind.THRESHOLDS)
    held = read("thresholds", "--from-settings", "--as", cast.alice.email)
    assert held == live | {"check": str(ChangeCheck.objects.get(is_gate=True).pk)}
    ChangeLimit.objects.all().delete()
    assert read("thresholds", "--from-settings", "--as", cast.alice.email)["answer_from"] == 0.5
    forget_thresholds()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--answer-from", "0.9"),
        ("--answer-from", "0.2", "--closest-from", "0.9", "--check"),
        ("--answer-from", "nan", "--closest-from", "nan", "--check"),
        ("--answer-from", "0.9", "--closest-from", "0.1", "--from-settings"),
        ("--answer-from", "0.9", "--closest-from", "0.1"),  # by nobody
        ("--answer-from", "0.9", "--closest-from", "0.1", "--as", "bob@example.com"),  # who may not
    ],
)
def test_thresholds_that_cannot_be_are_refused(cast: Cast, arguments: tuple[str, ...]) -> None:
    assert say("thresholds", *arguments)[1] == 2
    assert not AnswerThresholds.objects.exists()
    assert not ChangeCheck.objects.exists()
