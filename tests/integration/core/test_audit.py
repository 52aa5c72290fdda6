"""The audit trail is a chain: what was changed, taken out or put in is found, and at which event."""

import csv
import hashlib
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, connections, transaction

from core.access.audit import Head, export, head, seal, verify
from core.errors import AuditTrailError
from core.models import AuditEvent, User
from core.testing import Cast

INSERTED = (
    "INSERT INTO core_auditevent (id, action, object_type, object_id, details, created_at, number, digest)"
    " VALUES (gen_random_uuid(), 'grant', 'role', '1', '{}', now(), 6, repeat('0', 64))"
)
pytestmark = pytest.mark.django_db


def write(count: int, by: User | None = None) -> list[AuditEvent]:
    """So many events, none of them in the chain yet."""
    return [
        AuditEvent.objects.create(actor=by, action="change", object_type="role", object_id=str(n), details={"n": n})
        for n in range(1, count + 1)
    ]


def tamper(statement: str, *values: Any) -> None:
    """Do what only the owner of the database can: switch the trigger off, and change the rows."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE core_auditevent DISABLE TRIGGER footnote_audit_stays")
        cursor.execute(statement, values)
        assert cursor.rowcount == 1
        cursor.execute("ALTER TABLE core_auditevent ENABLE TRIGGER footnote_audit_stays")


def verified(*arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code of verify_audit, and what it says as JSON."""
    out, code = io.StringIO(), 0
    try:
        call_command("verify_audit", "--json", *arguments, stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, json.loads(out.getvalue())


def test_what_is_written_is_chained_and_holds() -> None:
    """In the order of writing, also what was there before; and events of later follow on."""
    events = write(3)
    assert seal() == 3
    assert [AuditEvent.objects.get(pk=event.pk).number for event in events] == [1, 2, 3]
    write(2)
    code, said = verified()
    assert (code, said["intact"], said["checked"], said["head"]) == (0, True, 5, str(head()))
    assert seal() == 0


@pytest.mark.parametrize(
    ("statement", "broken_at", "why"),
    [
        ("UPDATE core_auditevent SET details = '{\"n\": 9}' WHERE number = 3", 3, "changed after it was written"),
        ("UPDATE core_auditevent SET action = 'grant' WHERE number = 1", 1, "changed after it was written"),
        ("UPDATE core_auditevent SET actor_id = NULL WHERE number = 4", 4, "changed after it was written"),
        (
            "UPDATE core_auditevent SET created_at = created_at - interval '1 s' WHERE number = 5",
            5,
            "changed after it was",
        ),
        ("UPDATE core_auditevent SET digest = repeat('0', 64) WHERE number = 2", 2, "changed after it was written"),
        ("UPDATE core_auditevent SET number = 99 WHERE number = 2", 2, "missing"),
        ("DELETE FROM core_auditevent WHERE number = 3", 3, "missing"),
        (
            INSERTED,
            6,
            "changed after it was written",
        ),
    ],
)
def test_whatever_is_changed_is_found_where_it_is(statement: str, broken_at: int, why: str, cast: Cast) -> None:
    """The first event that is wrong is named, and the exit code is 1 also where only the rest is checked."""
    write(5, by=cast.alice)
    seal()
    assert verified()[0] == 0
    tamper(statement)
    code, said = verified()
    assert (code, said["intact"], said["broken_at"], said["checked"]) == (1, False, broken_at, broken_at - 1)
    assert why in said["why"]
    assert verified("--from", str(broken_at))[1]["broken_at"] == broken_at


def test_a_head_that_was_kept_tells_what_the_chain_alone_cannot(cast: Cast) -> None:
    """Taking the end away, or making everything anew, leaves a chain that holds; the head of before does not fit it."""
    write(5)
    seal()
    kept = str(head())
    assert verified("--head", kept)[0] == 0
    tamper("DELETE FROM core_auditevent WHERE number = 5")
    assert verified()[0] == 0
    assert verified("--head", kept)[1]["why"] == "the chain ends before the head that was kept"
    write(2)
    code, said = verified("--head", kept)
    assert (code, said["broken_at"]) == (1, 5)
    assert "not the chain whose head was kept" in said["why"]


@pytest.mark.parametrize(
    "arguments", [("--from", "0"), ("--head", "x"), ("--head", "1:ab"), ("--from", "3", "--head", f"2:{'0' * 64}")]
)
def test_what_cannot_be_checked_is_said(arguments: tuple[str, ...]) -> None:
    """Wrong usage is neither a chain that holds nor one that breaks."""
    with pytest.raises(CommandError) as refused:
        call_command("verify_audit", *arguments)
    assert refused.value.returncode == 2


def test_the_command_says_in_words_where_it_breaks(cast: Cast) -> None:
    """With the number, the id and what is wrong; and the head where it holds."""
    (_first, second, _third) = write(3)
    out = io.StringIO()
    call_command("verify_audit", stdout=out)
    assert f"3 audit events are as they were written. Head: {head()}" in out.getvalue()
    tamper("UPDATE core_auditevent SET object_id = '7' WHERE number = 2")
    with pytest.raises(SystemExit):
        call_command("verify_audit", stdout=out)
    assert f"The chain breaks at event 2 ({second.pk})" in out.getvalue()


def test_neither_the_model_nor_the_database_changes_an_event() -> None:
    """In the chain or not yet; a place in the chain is given once."""
    event = write(2)[0]
    refused: list[Callable[[], Any]] = [
        event.save,
        event.delete,
        AuditEvent.objects.all().delete,
        lambda: AuditEvent.objects.update(action="x"),
    ]
    for attempt in refused:
        with pytest.raises(AuditTrailError):
            attempt()
    statements = ["UPDATE core_auditevent SET action = 'x'", "DELETE FROM core_auditevent"]
    for chained in (False, True):
        if chained:
            seal()
            statements.append("UPDATE core_auditevent SET number = number + 10")
        for statement in statements:
            with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
                connection.cursor().execute(statement)
    assert AuditEvent.objects.filter(action="change").count() == 2


def test_a_person_who_is_deleted_stays_in_the_trail(cast: Cast) -> None:
    """They are there by id: the chain holds, and the actor of each event is known."""
    (event,) = write(1, by=cast.bob)
    seal()
    gone = cast.bob.pk
    cast.bob.delete()
    event.refresh_from_db()
    assert event.actor_id == gone
    assert verified()[0] == 0


@pytest.mark.django_db(transaction=True)
def test_one_that_is_being_written_holds_up_nobody() -> None:
    """Sealing and other writers go on while a transaction is open; its event comes into the chain afterwards."""
    is_written, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            AuditEvent.objects.create(action="grant", object_type="role", object_id="held")
            is_written.set()
            may_end.wait(60)
        connections.close_all()

    held = threading.Thread(target=hold)
    held.start()
    try:
        assert is_written.wait(60)
        write(2)
        assert seal() == 2
    finally:
        may_end.set()
        held.join(60)
    assert seal() == 1
    assert AuditEvent.objects.get(object_id="held").number == 3
    assert verify().broken_at is None


@pytest.mark.django_db(transaction=True)
def test_many_who_write_and_seal_at_once_make_one_chain() -> None:
    """Every event has one place, without a gap."""

    def work() -> None:
        for _ in range(5):
            write(3)
            seal()
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    numbers = AuditEvent.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, 91))
    verdict = verify()
    assert (verdict.broken_at, verdict.head) == (None, head())


def test_an_export_can_be_checked_without_footnote(cast: Cast, tmp_path: Path) -> None:
    """Each line's digest follows from the line, and the last one is the export itself."""
    write(3, by=cast.alice)
    target, told = tmp_path / "trail.jsonl", io.StringIO()
    call_command("export_audit", "--output", str(target), "--as", cast.alice.email, stderr=told)
    previous = "0" * 64
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    for row in rows:
        digest = row.pop("digest")
        assert row["previous"] == previous
        canonical = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(canonical.encode()).hexdigest() == digest
        previous = digest
    assert [row["action"] for row in rows] == ["change", "change", "change", "export"]
    assert rows[-1]["actor"] == str(cast.alice.pk)
    assert f"Head: {Head(number=4, digest=previous)}" in told.getvalue()


def test_an_export_for_a_spreadsheet_has_the_same_events() -> None:
    """From the number that was asked for; details as JSON."""
    write(3)
    rows = list(csv.DictReader(io.StringIO("".join(export("csv", start=2, by=None)))))
    assert [(row["number"], row["action"]) for row in rows] == [("2", "change"), ("3", "change"), ("4", "export")]
    assert json.loads(rows[0]["details"]) == {"n": 2}
    assert rows[0]["previous"] == AuditEvent.objects.get(number=1).digest


def test_a_file_of_the_trail_is_its_owners_alone_and_replaces_another_only_when_told(tmp_path: Path) -> None:
    """It tells who did what, and with --rights who may read what. A refused export is no event."""
    write(2)
    target = tmp_path / "trail.jsonl"
    call_command("export_audit", "--output", str(target), stderr=io.StringIO())
    assert target.stat().st_mode & 0o777 == 0o600
    target.write_text("of before")
    target.chmod(0o644)
    events = AuditEvent.objects.count()
    for path, reason in ((target, "exists already.*--replace"), (tmp_path, "is not a file")):
        with pytest.raises(CommandError, match=reason) as refused:
            call_command("export_audit", "--output", str(path), stderr=io.StringIO())
        assert refused.value.returncode == 2
    assert (target.read_text(), AuditEvent.objects.count()) == ("of before", events)
    call_command("export_audit", "--output", str(target), "--replace", stderr=io.StringIO())
    assert target.stat().st_mode & 0o777 == 0o600
    assert [json.loads(line)["action"] for line in target.read_text().splitlines()][-2:] == ["export", "export"]
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        call_command("export_audit", "--output", str(tmp_path / "none" / "trail.jsonl"), stderr=io.StringIO())
    assert list(tmp_path.iterdir()) == [target]
