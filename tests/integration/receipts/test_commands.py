"""Test the commands of receipts: one issues, one verifies on any machine, one lists and makes keys."""

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.management import CommandError, call_command
from pytest_django import Settings

from core.asking.receipts.keys import PUBLIC, list_published_keys
from core.testing import Cast
from tests.integration.receipts.conftest import Asks

pytestmark = pytest.mark.usefixtures("fast")

VERIFIER = configured.BASE_DIR / "core/asking/receipts/verify_receipt.py"


def run_verifier(*arguments: object, program: Path = VERIFIER) -> tuple[int, str]:
    """Run the verifier as a program, in an environment that has no database."""
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nowhere"}
    command = [sys.executable, str(program), *(["verify_receipt"] if program.name == "manage.py" else [])]
    done = subprocess.run(
        [*command, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


def test_a_receipt_is_written_and_verified_by_programs(cast: Cast, asks: Asks, tmp_path: Path) -> None:
    """With keys, an export of the trail and its head; as a file of its own and as manage.py's command."""
    result, told = asks(cast.bob), io.StringIO()
    target, keys, trail = (tmp_path / name for name in ("receipt.json", "keys.json", "trail.jsonl"))
    call_command("receipt", result.request_id, "--as", cast.bob.email, "--output", str(target), stderr=told)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert "readers_1" in told.getvalue()
    out = io.StringIO()
    call_command("receipt_keys", "--json", stdout=out)
    keys.write_text(out.getvalue())
    head = io.StringIO()
    call_command("export_audit", "--output", str(trail), stderr=head)
    kept = head.getvalue().strip().removeprefix("Head: ")
    code, said = run_verifier(target, "--keys", keys, "--audit", trail, "--head", kept)
    assert (code, "untouched, and the signer is known" in said) == (0, True)
    assert run_verifier(target, program=configured.BASE_DIR / "manage.py")[0] == 3
    lines = trail.read_text().splitlines(keepends=True)
    trail.write_text("".join(lines[:-2] + lines[-1:]))
    assert run_verifier(target, "--keys", keys, "--audit", trail)[0] == 1
    code, said = run_verifier(target, "--document", trail, "--json")
    assert (code, json.loads(said)["untouched"]) == (1, False)


def test_less_can_be_passed_on(cast: Cast, asks: Asks, tmp_path: Path) -> None:
    """A copy without a part verifies; nothing is written over."""
    target, less = tmp_path / "receipt.json", tmp_path / "less.json"
    call_command(
        "receipt", asks(cast.bob).request_id, "--as", cast.bob.email, "--output", str(target), stderr=io.StringIO()
    )
    assert run_verifier(target, "--without", "question", "--output", less)[0] == 3
    assert run_verifier(less)[0] == 3
    assert run_verifier(target, "--without", "question", "--output", less)[0] == 2
    assert run_verifier(target, "--without", "nothing", "--output", tmp_path / "other.json")[0] == 2
    assert not (tmp_path / "other.json").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["missing.json"], 2),
        (["hostile"], 1),
        (["hostile", "--without", "question"], 2),
        (["hostile", "--head", "1:00"], 2),
        (["hostile", "--audit", "hostile", "--head", "1:00"], 2),
    ],
)
def test_wrong_usage_is_said(tmp_path: Path, arguments: list[str], code: int) -> None:
    """Without a traceback, and without a verdict."""
    (tmp_path / "hostile").write_bytes(b"\xff\xfe{")
    given = [
        each if each.startswith("--") or ":" in each or each == "question" else tmp_path / each for each in arguments
    ]
    assert run_verifier(*given)[0] == code


def test_nobody_else_gets_one(cast: Cast, asks: Asks, tmp_path: Path) -> None:
    """Errors say what is wrong, and a file that is there stays."""
    request_id = asks(cast.bob).request_id
    with pytest.raises(CommandError) as nothing:
        call_command("receipt", request_id, "--as", cast.charlie.email)
    assert nothing.value.returncode == 2
    with pytest.raises(CommandError, match="Nobody has the e-mail address"):
        call_command("receipt", request_id, "--as", "nobody@example.com")
    kept = tmp_path / "kept"
    kept.write_text("kept")
    with pytest.raises(CommandError, match="exists already"):
        call_command("receipt", request_id, "--as", cast.bob.email, "--output", str(kept))
    assert kept.read_text() == "kept"
    out = io.StringIO()
    call_command(
        "receipt", request_id, "--as", cast.bob.email, "--leave-out", "model", stdout=out, stderr=io.StringIO()
    )
    assert set(json.loads(out.getvalue())) == {"payload", "protected", "signature", "header"}


def test_keys_are_made_and_listed(settings: Settings) -> None:
    """A new key signs once it is first, and its public half is published alone later."""
    out = io.StringIO()
    call_command("receipt_keys", "--new", stdout=out)
    private, public = [line for line in out.getvalue().splitlines() if " " not in line]
    assert public.startswith(PUBLIC)
    settings.RECEIPT_SIGNING_KEYS = [private]
    signing = list_published_keys()[0].name
    settings.RECEIPT_SIGNING_KEYS = ["A" * 43, public]
    listed = io.StringIO()
    call_command("receipt_keys", stdout=listed)
    assert f"{signing}  published alone" in listed.getvalue()
    assert private not in listed.getvalue()
    settings.RECEIPT_SIGNING_KEYS = [public]
    with pytest.raises(CommandError) as wrong:
        call_command("receipt_keys")
    assert wrong.value.returncode == 2
