"""Homes that are migrated already: one is made in a session, and copied for each test that starts processes of its own.

Making the files of a database and its tables takes twenty seconds, copying them one.
"""

import dataclasses
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.infrastructure.embedded.account import Account
from core.infrastructure.embedded.credentials import Credentials
from tests.quick_server import SETTINGS

ROOT = Path(__file__).resolve().parents[1]
Prepare = Callable[[Path], None]


@pytest.fixture(scope="session")
def prepare_home(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Prepare:
    """Return what makes an empty folder, which every account can reach, the home of a stopped, migrated Footnote.

    The processes that share the tests copy the same one, which the first that needs it makes.
    """
    folder = tmp_path_factory.getbasetemp()
    kept = (folder if worker_id == "master" else folder.parent) / "prepared-home"

    def prepare(home: Path) -> None:
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                _make(kept)
        _copy(kept, home)

    return prepare


def _make(kept: Path) -> None:
    """Migrate a new home, stop its database, and keep its files; where pytest keeps files no server could run."""
    home = Path(tempfile.mkdtemp(prefix="footnote-prepared-"))
    home.chmod(0o755)  # under root, the database runs as another user
    names = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "TMPDIR")
    settings = {name: os.environ[name] for name in names if name in os.environ}
    settings |= {"FOOTNOTE_HOME": str(home), "DEBUG": "1"}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    try:
        done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not (home / "postgres" / "postmaster.pid").exists(), "the database was left running"
        unfinished = kept.with_suffix(".new")
        unfinished.mkdir()
        shutil.copy2(home / "postgres.json", unfinished)
        _copy_data(home / "postgres", unfinished / "postgres")
        # No test has this server's machine fail.
        with (unfinished / "postgres" / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in SETTINGS.items())
        unfinished.rename(kept)
    finally:
        shutil.rmtree(home)


def _copy(kept: Path, home: Path) -> None:
    _copy_data(kept / "postgres", home / "postgres")
    credentials = Credentials.load(kept / "postgres.json")
    assert credentials is not None
    # Each copy looks for a port of its own: two that begin with the same one would be in each other's way.
    dataclasses.replace(credentials, base=str(home), port=0).save(home / "postgres.json")


def _copy_data(data: Path, copy: Path) -> None:
    """Copy the server's files, and give the copies to the account that owns the files."""
    account = Account.for_server(data)
    shutil.copytree(data, copy, symlinks=True)
    for path in (copy, *copy.rglob("*")):
        account.own(path)
