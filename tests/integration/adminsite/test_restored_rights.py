"""Test that a restore gives nobody a right that was revoked after the backup."""

import json
from io import StringIO
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from pytest_django import Settings

from core.access import audit
from core.models import AuditEvent, Budget
from core.testing import Cast
from tests.flush import end_idle_connections
from tests.integration.adminsite import kinds_of_rights_elsewhere  # noqa: F401 - which adds its kinds
from tests.integration.adminsite.kinds_of_rights import ALWAYS_TAKEN, KINDS
from tests.integration.buckets import keep_in

# What the events of the audit trail tell without a statement.
_BY_EVENTS = {"grant", "document_not_withdrawn", "role_by_hand"}


def _run(command: str, *arguments: str) -> str:
    said = StringIO()
    call_command(command, *arguments, stdout=said, stderr=said)
    return said.getvalue()


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    keep_in(settings, "core.library.originals.storage.AtomicFileStorage", location=tmp_path / "originals")


def test_no_right_comes_back_that_was_taken_away(
    transactional_db: None, cast: Cast, fast: None, tmp_path: Path
) -> None:
    """Of two rights of each kind one is taken away: it comes back without a statement of rights, and not with one.

    What nobody took away stays, and what cannot be taken away is counted.
    """
    taken, left = ({name: give() for name, give in KINDS.items()} for _ in range(2))
    factor = Authenticator.objects.create(user=cast.alice, type="totp", data={})
    assert [name for rights in (taken, left) for name, (_, holds) in rights.items() if not holds()] == []
    backup, events, rights = tmp_path / "backup", tmp_path / "events.jsonl", tmp_path / "rights.jsonl"
    _run("backup", str(backup))
    for take, _ in taken.values():
        take()
    assert [name for name, (_, holds) in taken.items() if holds()] == []
    factor.delete()
    Budget.objects.create(scope="installation", hard_tokens=1)
    _run("export_audit", "--output", str(events))
    _run("export_audit", "--output", str(rights), "--rights")

    end_idle_connections()
    said = _run("restore", str(backup), "--replace", "--revocations", str(events))
    back = {name for name, (_, holds) in taken.items() if holds()}
    assert back == set(KINDS) - _BY_EVENTS
    assert "no statement of rights" in said

    said = _run("restore", str(backup), "--replace", "--revocations", str(rights))
    assert {name for name, (_, holds) in taken.items() if holds()} == set()
    assert {name for name, (_, holds) in left.items() if not holds()} == ALWAYS_TAKEN
    for line in (
        "1 × second factors that were removed since",
        "1 × budgets that were made or changed since",
        "1 × people with another address now",
        "3 × data sources of which address, credentials or collection changed since",
        "3 × channels that were set or narrowed since",
        "1 × documents that were deleted since",
    ):
        assert line in said
    assert "are back" not in said
    assert AuditEvent.objects.filter(action="revoke", details__restored=True).exists()
    audit.seal()
    assert audit.verify().broken_at is None


def test_a_statement_is_whole_or_refused(transactional_db: None, cast: Cast, tmp_path: Path) -> None:
    """One that was cut off, or follows other events, changes nothing: what it lacks would be taken away.

    It has ids and hashes: no name and no address.
    """
    _run("backup", str(tmp_path / "backup"))
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    _run("export_audit", "--output", str(whole), "--rights")
    assert whole.stat().st_mode & 0o777 == 0o600
    lines = whole.read_text().splitlines(keepends=True)
    assert not [line for line in lines if "example.com" in line or "owners" in line]
    first = next(number for number, line in enumerate(lines) if "rights" in json.loads(line))
    pieces = (lines[:-1], [*lines[:-2], lines[-1]], lines[:first] + lines[-1:], lines[: first - 1] + lines[first:])
    for some in pieces:
        cut.write_text("".join(some))
        with pytest.raises(CommandError, match=r"not whole|does not go on"):
            _run("restore", str(tmp_path / "backup"), "--replace", "--revocations", str(cut))
    with pytest.raises(CommandError, match="--rights needs --format jsonl"):
        _run("export_audit", "--rights", "--format", "csv")
