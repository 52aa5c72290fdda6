"""The restore drill: real files in, everything destroyed, and the same answers with the same citations afterwards."""

import datetime as dt
import json
import shutil
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from core import api
from core.access import audit
from core.access.audiences import asker_for, audience_of
from core.access.changes import plan_change
from core.access.grants import change_members, grant, revoke
from core.infrastructure.queue import EVALUATE, enqueue
from core.library.originals.storage import build_name
from core.management.commands.restore import Command
from core.models import AuditEvent, ChangeCheck, Chunk, Document, ModelExamination, Role, RoleDocumentAccess, User
from core.models.versions import current_versions
from core.operations.backup import programs
from core.operations.backup.aftermath import Aftermath
from core.operations.backup.archive import DUMP, Manifest, hash_file
from core.quality.change_checks.running import resume_lost, run_check
from core.quality.change_checks.submitting import check_grants
from core.testing import Cast
from core.types import Answer, Refusal
from core.values.change_checks import CheckState
from tests.flush import end_idle_connections
from tests.integration.buckets import keep_in, keep_in_bucket
from tests.integration.databases import other_database

LEAVE = b"# Leave\n\nSeventeen days of leave may be carried over into the next year by every member of staff."
VAULT = b"# Vault\n\nThe vault in the harbour office opens with the code quagmire on weekdays."
QUESTIONS = {
    "bob": "How many days of leave may be carried over into the next year?",
    "alice": "With which code does the vault in the harbour office open?",
}


@dataclass(frozen=True, kw_only=True)
class Drill:
    """A backup, and what was so when it was taken."""

    folder: Path
    cited: dict[str, list[dict[str, Any]]]
    audit_export: Path  # of after two revocations that came later


def _ask(name: str, question: str) -> Answer | Refusal:
    person = User.objects.get(email=f"{name}@example.com")
    return api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))


def _cite(name: str) -> list[dict[str, Any]]:
    """The citations of an answer, as far as they are not of the moment."""
    result = _ask(name, QUESTIONS[name])
    assert isinstance(result, Answer)
    return [
        {"document": each.document_id, "chunk": each.chunk_id, "quote": each.quoted_excerpt, "at": each.start}
        for each in result.citations
    ]


def _run(command: str, *arguments: str) -> str:
    said = StringIO()
    call_command(command, *arguments, stdout=said, stderr=said)
    return said.getvalue()


@pytest.fixture
def _kept_apart(tmp_path: Path, settings: Settings) -> None:
    """Originals in a folder that is thrown away half-way."""
    _keep_originals_in(settings, tmp_path / "originals")


def _keep_originals_in(settings: Settings, folder: Path) -> None:
    keep_in(settings, "core.library.originals.storage.AtomicFileStorage", location=folder)


@pytest.fixture
def drill(transactional_db: None, cast: Cast, fast: None, tmp_path: Path, _kept_apart: None) -> Drill:
    """A library of two files, questions, grants of which one has ended, and a job that runs; then its backup."""
    for name, content, role in (("leave", LEAVE, cast.staff), ("vault", VAULT, cast.owners)):
        (tmp_path / f"{name}.md").write_bytes(content)
        _run("ingest", str(tmp_path / f"{name}.md"), "--collection", name, "--grant", role.name)
    visitors = Role.objects.create(name="visitors")
    change_members(visitors, [cast.charlie], give=True, by=None)
    grant(visitors, Document.objects.all(), by=None, until=timezone.now() + dt.timedelta(seconds=1))
    RoleDocumentAccess.objects.filter(role=visitors).update(expires_at=timezone.now())
    cited = {name: _cite(name) for name in QUESTIONS}
    for state in ("admitted", "refused"):
        ModelExamination.objects.create(
            model=f"llamafile/{state}-1b",
            identity=state,
            prompt_hash="x",
            state=state,
            decided_by=cast.alice,
            finished_at=timezone.now(),
        )
    ProcrastinateJob.objects.filter(pk=enqueue(EVALUATE, query_id="0")).update(status="doing")
    _wait_for_a_check(cast)
    _run("backup", str(tmp_path / "backup"))
    revoke(cast.owners, Document.objects.filter(title="Vault"), by=None)
    change_members(cast.staff, [cast.bob], give=False, by=None)
    _run("export_audit", "--output", str(tmp_path / "audit.jsonl"))
    end_idle_connections()
    return Drill(folder=tmp_path / "backup", cited=cited, audit_export=tmp_path / "audit.jsonl")


def _wait_for_a_check(cast: Cast) -> None:
    """Have the vault granted to Bob's role within the limits, by who may do so; and have it wait for a yes."""
    cast.alice.user_permissions.add(Permission.objects.get(codename="decide_who_reads"))
    vault = Document.objects.get(title="Vault")
    change = plan_change(gives=True, documents=[(cast.staff.pk, vault.pk)])
    check_grants(change, by=cast.alice, is_gate=True)
    held = check_grants(change, by=cast.alice, is_gate=True)
    ChangeCheck.objects.filter(pk=held.pk).update(state=CheckState.HELD)


def test_no_change_that_was_being_checked_is_made_by_itself(drill: Drill) -> None:
    """It may have been declined after the backup. What waited for a yes waits for one; the other can be decided."""
    with other_database():
        said = _run("restore", str(drill.folder))
        assert "at the time of the backup: 1. None of them is made by itself" in said
        states = list(ChangeCheck.objects.order_by("created_at").values_list("state", flat=True))
        assert states == [CheckState.STOPPED, CheckState.HELD]
        for check in ChangeCheck.objects.all():
            run_check(check.pk)  # by the job that came back, too
        assert resume_lost() == 0
        assert not RoleDocumentAccess.objects.filter(role__name="staff", document__title="Vault").exists()
        assert list(ChangeCheck.objects.order_by("created_at").values_list("state", flat=True)) == states


def test_what_was_destroyed_comes_back(
    drill: Drill, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same questions give the same citations, originals open, and Charlie reads nothing.

    What lay in a folder may come back in a bucket, from which the next backup is taken.
    """
    modes = {path.stat().st_mode & 0o777 for path in (drill.folder, *drill.folder.rglob("*"))}
    assert modes == {0o700, 0o600}  # for its owner alone
    manifest = (drill.folder / "manifest.json").read_text()
    assert not [word for word in ("alice", "Vault", "quagmire", "leave") if word in manifest]
    before = current_versions()
    shutil.rmtree(tmp_path / "originals")
    with keep_in_bucket(settings, monkeypatch) as bucket, other_database():
        said = _run("restore", str(drill.folder))
        assert {name: _cite(name) for name in QUESTIONS} == drill.cited
        for name, content in (("Leave", LEAVE), ("Vault", VAULT)):
            with storages["originals"].open(build_name(Document.objects.get(title=name).original_hash)) as kept:
                assert kept.read() == content
        for question in QUESTIONS.values():
            assert isinstance(_ask("charlie", question), Refusal)
        assert not Chunk.objects.exists()  # row-level security came back
        assert "grants, roles, accounts and tokens that were taken away after that are back" in said
        assert ", of which 1 ran when the backup was taken." in said
        taken = Manifest.read(drill.folder).moment
        assert f"Restored as of {taken:%-d %B %Y, %H:%M} UTC: " in said
        assert taken.isoformat() not in said
        assert "Before you start Footnote, set them as they were" in said
        assert "Models that had been let in at the time of the backup: 1. They answer nobody" in said
        states = dict(ModelExamination.objects.values_list("identity", "state"))
        assert states == {"admitted": "examined", "refused": "refused"}
        reopened = ModelExamination.objects.get(identity="admitted")
        assert (reopened.decided_by, reopened.reason.split(":")[0]) == (None, "A backup was restored")
        assert set(ProcrastinateJob.objects.values_list("status", flat=True)) == {"todo"}
        assert enqueue(EVALUATE, query_id="1") > 1  # numbers go on where they were
        assert current_versions() != before  # no process takes what it kept for what is there now
        assert sorted(bucket.objects.values()) == sorted([LEAVE, VAULT])
        _run("backup", str(tmp_path / "again"))
        kept = [path.read_bytes() for path in (tmp_path / "again" / "originals").rglob("*") if path.is_file()]
        assert sorted(kept) == sorted([LEAVE, VAULT])
        told = AuditEvent.objects.filter(action__in=["backup", "restore"]).order_by("number")
        assert [event.action for event in told] == ["backup", "restore", "backup"]
        assert audit.verify().broken_at is None


def test_jobs_are_spoken_of_where_some_wait() -> None:
    """A backup of a quiet installation has none, and nobody has to read what would become of them."""
    manifest = Manifest(
        taken_at="2026-11-30T07:16:13.822209+00:00",
        version="0.4.0",
        commit="",
        postgresql="18.0",
        migrations={},
        audit_head="0:",
        counts={"people": 3},
        originals=2,
        missing_originals=[],
        dump_sha256="",
        list_sha256="",
    )
    chain = audit.ChainVerdict(checked=0, head=audit.Head(number=0, digest=""))
    found = Aftermath(jobs_handed_back=0, jobs_waiting=0, expired_grants=0, without_original=[], chain=chain)
    said = StringIO()
    Command(stdout=said)._tell(manifest, found)
    assert said.getvalue() == "Restored as of 30 November 2026, 07:16 UTC: 3 people, 2 originals.\n"


def test_what_cannot_be_restored_loses_nothing(drill: Drill, tmp_path: Path) -> None:
    """Damage is found before anything is touched, and a restore that fails half-way is taken back; then one replaces.

    What an export of the audit trail says was revoked since is revoked again.
    """
    Role.objects.create(name="of later")
    original = next(path for path in (drill.folder / "originals").rglob("*") if path.is_file())
    for number, part in enumerate((Path(DUMP), original.relative_to(drill.folder), Path("manifest.json"))):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(drill.folder, copy)
        content = bytearray((copy / part).read_bytes())
        content[len(content) // 2] ^= 1
        (copy / part).write_bytes(content)
        with pytest.raises(CommandError, match=f"{part.name} is damaged or missing"):
            _run("restore", str(copy), "--replace")
    with pytest.raises(CommandError, match=r"not empty.*stop web, bot and worker.* --replace"):
        _run("restore", str(drill.folder))
    with pytest.raises(CommandError, match="exists already") as refused:
        _run("backup", str(drill.folder))
    assert refused.value.returncode == 2
    for path in (tmp_path / "none", next(path for path in drill.folder.iterdir() if path.is_file())):
        with pytest.raises(CommandError, match="is no backup") as refused:
            _run("restore", str(path))
        assert refused.value.returncode == 2

    lacking = tmp_path / "lacking"  # whole by its checksums, and yet not all of a database
    shutil.copytree(drill.folder, lacking)
    programs.run("pg_dump", ["--format=custom", "--schema=reporting", f"--file={lacking / DUMP}"])
    replace(Manifest.read(lacking), dump_sha256=hash_file(lacking / DUMP)).write(lacking)
    with pytest.raises(CommandError, match=r"psql failed: .*does not exist"):
        _run("restore", str(lacking), "--replace")

    stranger = tmp_path / "other.jsonl"
    lines = [json.loads(line) for line in drill.audit_export.read_text().splitlines()]
    stranger.write_text("".join(json.dumps(line | {"previous": "0" * 64}) + "\n" for line in lines))
    with pytest.raises(CommandError, match="does not go on from where this backup ends") as refused:
        _run("restore", str(drill.folder), "--replace", "--revocations", str(stranger))
    assert refused.value.returncode == 2
    assert Role.objects.filter(name="of later").exists()

    said = _run("restore", str(drill.folder), "--replace", "--revocations", str(drill.audit_export))
    assert not Role.objects.filter(name="of later").exists()
    assert "Taken away again: 1 grants, 1 roles; 0 people" in said
    for name, question in QUESTIONS.items():
        assert isinstance(_ask(name, question), Refusal)
