"""An upgrade is rehearsed on a copy of a database of the first squashed migrations; the database stays as it is."""

import gzip
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql
from pytest_django import DjangoDbBlocker, Settings

from adminsite.management.commands import rehearse_upgrade
from core.errors import RehearsalError
from core.infrastructure.database_address import address_of
from core.operations.backup import programs
from core.operations.backup.archive import DUMP
from core.operations.rehearsal.child import build_environment, work_on
from core.operations.rehearsal.place import Place, drop_database
from core.operations.rehearsal.rehearsing import GUIDE, rehearse
from core.operations.rehearsal.report import Report
from tests.integration.databases import go_to, other_database

SQUASHED = Path(__file__).parents[2] / "upgrade/footnote-squashed.sql.gz"
WORDS = ("parental", "hotel", "crowns", "Handbook", "alice@", "Each parent")  # of questions, answers, titles, people


@pytest.fixture(scope="module")
def squashed(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The name of the database of a new installation of the first squashed migrations, after three questions of people.

    Tests change copies of it.
    """
    dump, kept = tmp_path_factory.mktemp("dump") / "squashed.sql", f"footnote_squashed_{secrets.token_hex(4)}"
    dump.write_bytes(gzip.decompress(SQUASHED.read_bytes()))
    with django_db_blocker.unblock():
        with other_database() as name:
            programs.run("psql", ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={dump}"])
            go_to(name)  # which closes the connection: nobody may be connected to what is copied
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'CREATE DATABASE "{kept}" TEMPLATE "{name}"')
        yield kept
        with connection._nodb_cursor() as cursor:
            drop_database(cursor.connection, kept)


def _rehearse(*arguments: str) -> tuple[int, str, str]:
    """The exit code, and what was written to both streams."""
    out, err = StringIO(), StringIO()
    try:
        call_command("rehearse_upgrade", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def _keep_reports(patch: pytest.MonkeyPatch) -> list[Report]:
    """Return the reports of the rehearsals to come: one that is asked for JSON has the lines for people, too."""
    reports: list[Report] = []

    def rehearse_and_keep(*arguments: Any, **options: Any) -> Report:
        reports.append(rehearse(*arguments, **options))
        return reports[-1]

    patch.setattr(rehearse_upgrade, "rehearse", rehearse_and_keep)
    return reports


def _list_copies() -> list[str]:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, 'footnote_rehearsal_')")
        return [name for (name,) in cursor.fetchall()]


def _dump_all() -> str:
    return programs.run("pg_dump", ["--no-owner", "--enable-row-security", "--restrict-key=none"])


pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _as_in_a_trial(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings are good enough for a trial, here and in the process that works on the copy.

    That process loads no reader: a test of what is answered sets it itself.
    """
    settings.DEBUG = True
    monkeypatch.setenv("DEBUG", "1")
    monkeypatch.setenv("READER", "none")


def test_an_upgrade_from_the_first_squashed_state_is_rehearsed(squashed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is applied and locked, which answer changes, and what there is to do; and leaves nothing behind.

    The database is in use meanwhile: a running Footnote of before need not be stopped.
    """
    monkeypatch.delenv("READER")
    reports = _keep_reports(monkeypatch)
    with other_database(template=squashed) as name, psycopg.connect(address_of(name)):
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE core_answer SET answer_text = 'Other words than today.' WHERE query_id ="
                " (SELECT id FROM core_query WHERE question_text LIKE '%%hotel%%') RETURNING query_id"
            )
            (changed,) = cursor.fetchone()
            cursor.execute("SELECT request_id FROM core_query WHERE id = %s", [changed])
            (request_id,) = cursor.fetchone()
        before = _dump_all()
        code, out, err = _rehearse("--json", "--questions", "3")
        assert _dump_all() == before
    assert _list_copies() == []
    told: dict[str, Any] = json.loads(out)
    assert (code, told["would_fail"], told["failed"]) == (0, False, None)
    names = [one["name"] for one in told["migrated"]["applied"]]
    assert "core.0047_editions" in names
    assert "core.0039_recognised_text" not in names
    locked = {lock["table"] for one in told["migrated"]["applied"] for lock in one["locks"]}
    assert "core_roledocumentaccess" in locked
    assert not [table for table in locked if table.startswith("oauth2_provider")]  # that this very upgrade makes
    outcomes = {one["id"]: one["outcome"] for one in told["compared"]}
    assert outcomes.pop(request_id) == "other wording"
    assert set(outcomes.values()) <= {"same", "other wording"}  # of 0.4 itself, by what its readers chose
    assert "same" in outcomes.values()  # who may read nothing is refused as before
    assert len(outcomes) == 2
    assert told["examined"]["questions"] > 0
    assert told["examined"]["failed"] == 0
    assert told["migrated"]["bytes_most"] >= told["migrated"]["bytes_before"] > 0
    assert told["release_before"] == "0.3.0"
    assert [note["release"] for note in told["notes"]] == ["0.4.0"]
    assert "Migrating ..." in err
    lines = "\n".join(reports[0].list_lines())
    assert "Upgrading to " in lines
    assert ", from the tables of 0.3.0 or later ones." in lines
    assert " applied in " in lines
    assert "Stop web, bot and workers before you migrate." in lines
    assert [word for word in WORDS if word in out + err + lines] == []


def test_a_migration_that_fails_is_named_and_the_exit_code_says_so(squashed: str) -> None:
    """With PostgreSQL's message, and nothing of the row that it is about."""
    with other_database(template=squashed):
        with connection.cursor() as cursor:  # what the row holds would be in the details of the message
            cursor.execute("CREATE TABLE core_quotedwords_of_alice (secret text)")
            cursor.execute("ALTER TABLE core_citation ADD COLUMN document_version integer")
        code, out, _ = _rehearse()
    assert code == 1
    assert "It failed while migrating at core.0047_editions: " in out
    assert 'column "document_version" of relation "core_citation" already exists' in out
    assert "The upgrade would fail." in out
    assert _list_copies() == []


def test_a_backup_is_rehearsed_with_and_a_damaged_one_refused(tmp_path: Path) -> None:
    """Whatever the database holds; and --keep keeps the copy, which the next rehearsal names."""
    with other_database(with_tables=True):
        call_command("backup", str(tmp_path / "backup"), stdout=StringIO())
    with other_database():
        code, out, _ = _rehearse("--backup", str(tmp_path / "backup"), "--questions", "0", "--keep")
        [kept] = _list_copies()
        try:
            assert code == 0
            assert kept in out
            assert "Migrations: none is missing." in out
            with Place.open() as place:
                assert (place.drop_left_behind(), place.list_kept()) == ([], [kept])
        finally:
            with Place.open() as place:
                place.drop(kept)
        (tmp_path / "backup" / DUMP).write_bytes(b"nothing")
        with pytest.raises(CommandError, match="damaged") as refused:
            _rehearse("--backup", str(tmp_path / "backup"))
        assert refused.value.returncode == 2


def test_a_database_that_somebody_made_is_emptied_again_and_never_one_that_holds_something() -> None:
    """For a user who may create none."""
    with other_database(with_tables=True) as name:
        with other_database() as empty:
            go_to(name)
            assert _rehearse("--questions", "0", "--into", empty)[0] == 0
            with psycopg.connect(address_of(empty)) as beside:
                assert beside.execute("SELECT to_regclass('core_user')").fetchone() == (None,)
                beside.execute("CREATE TABLE precious (value text)")
            with pytest.raises(CommandError, match="not empty"):
                _rehearse("--into", empty)
            with psycopg.connect(address_of(empty)) as beside:
                assert beside.execute("SELECT to_regclass('precious')").fetchone() == ("precious",)
        go_to(name)
        with pytest.raises(CommandError, match="names the database of the installation"):
            _rehearse("--into", name)


def test_what_cannot_be_rehearsed_says_what_to_do(superuser: psycopg.Connection) -> None:
    """No right to create databases, too small a disk, and another rehearsal."""
    with Place.open() as place:
        with pytest.raises(RehearsalError, match="Another rehearsal runs"), Place.open():
            pass
        with pytest.raises(RehearsalError, match="Make room"):
            place.refuse_without_room(10**18)
    own = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}
    name, password = f"footnote_plain_{secrets.token_hex(4)}", secrets.token_urlsafe(12)
    superuser.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
    try:
        connection.settings_dict.update({"USER": name, "PASSWORD": password})
        with Place.open() as place, pytest.raises(RehearsalError, match=f"ALTER ROLE {name} CREATEDB"):
            place.refuse_without_right()
    finally:
        connection.settings_dict.update(own)
        superuser.execute(f"DROP ROLE {name}")


@pytest.mark.parametrize(
    ("ending", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 130, marks=pytest.mark.slow), (signal.SIGKILL, -9)],
)
def test_a_rehearsal_that_is_ended_leaves_no_copy(ending: signal.Signals, code: int, squashed: str) -> None:
    """It drops its own; one that is killed cannot, and the next drops it."""
    with other_database(template=squashed) as name:
        environment = os.environ | {
            "DATABASE_URL": address_of(name),
            "FOOTNOTE_HOME": str(django_settings.FOOTNOTE_HOME),
        }
        with subprocess.Popen(
            [sys.executable, "manage.py", "rehearse_upgrade"],
            cwd=django_settings.BASE_DIR,
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stderr
            for line in process.stderr:
                if line.startswith("Migrating"):
                    process.send_signal(ending)
                    break
            process.stderr.read()
            assert process.wait(timeout=60) == code
        if ending == signal.SIGKILL:
            [left] = _list_copies()
            with _place_when_free() as place:
                assert place.drop_left_behind() == [left]
        assert _list_copies() == []


@contextmanager
def _place_when_free() -> Iterator[Place]:
    """PostgreSQL gives the lock of a killed process back a moment after its end."""
    for _ in range(100):
        try:
            with Place.open() as place:
                yield place
                return
        except RehearsalError:
            time.sleep(0.1)
    pytest.fail("The lock was not given back.")


def test_a_database_is_dropped_though_a_session_in_it_may_not_be_ended(superuser: psycopg.Connection) -> None:
    """As autovacuum's, which goes by itself when it is asked to. Here it is another role's, which leaves soon."""
    name, role, password = (f"footnote_{secrets.token_hex(4)}" for _ in range(3))
    superuser.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password)))
    own = address_of(connection.settings_dict["NAME"])
    try:
        with psycopg.connect(own, autocommit=True) as server:
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
            address = {**psycopg.conninfo.conninfo_to_dict(own), "dbname": name, "user": role, "password": password}
            other = psycopg.connect(**address)
            leaving = threading.Timer(0.5, other.close)
            leaving.start()
            drop_database(server, name)
            leaving.join()
            assert server.execute("SELECT count(*) FROM pg_database WHERE datname = %s", [name]).fetchone() == (0,)
    finally:
        superuser.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_the_process_on_the_copy_knows_no_key_and_no_other_database() -> None:
    """Only with --call-embedding-model it has the keys; and it refuses a database that is not the copy."""
    env = {
        "OPENAI_API_KEY": "sk-1",
        "SLACK_BOT_TOKEN": "xoxb-1",
        "LLM_MODEL": "openai/gpt-4.1",
        "LLM_FALLBACK_MODELS": "openai/gpt-4.1-mini",
        "EVALUATION_MODEL": "openai/gpt-4.1",
        "DATABASE_URL": "postgres://live/live",
        "DATABASE_REPLICA_URLS": "postgres://replica/live",
        "VECTOR_ENGINE_URL": "http://engine",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://traces",
        "SECRET_KEY": "kept",
    }
    told = build_environment(env, address="postgres://copy/copy", calls_embedding_model=False)
    assert told["DATABASE_URL"] == "postgres://copy/copy"
    assert told["LLM_MODEL"] == "extractive/sentences"
    assert told["SECRET_KEY"] == "kept"  # what it encrypts is read by migrations
    assert set(told) & (set(env) - {"LLM_MODEL", "DATABASE_URL", "SECRET_KEY"}) == set()
    paid = build_environment(env, address="postgres://copy/copy", calls_embedding_model=True)
    assert {"OPENAI_API_KEY"} == set(paid) - set(told)
    with other_database() as name:
        order = {"copy": "another", "empties": True}
        with pytest.raises(RehearsalError, match="ended early"), work_on(address_of(name), order) as lines:
            list(lines)


def test_the_guide_is_there_for_the_command() -> None:
    """In the image, too, which takes no other document."""
    assert (Path(django_settings.BASE_DIR) / GUIDE).is_file()
    assert f"!{GUIDE}" in (Path(django_settings.BASE_DIR) / ".dockerignore").read_text().splitlines()
