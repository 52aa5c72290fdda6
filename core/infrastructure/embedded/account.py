"""Choose the account of the embedded server. PostgreSQL refuses root, so under root it needs an ordinary account."""

import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from core.errors import DatabaseUnavailableError


@dataclass(frozen=True, kw_only=True)
class Account:
    """A user of this machine that the server's programs run as."""

    uid: int
    gid: int

    @classmethod
    def for_server(cls, data: Path | None = None) -> Self:
        """The account that owns `data`; without it this process's own, or an unprivileged one when that is root."""
        if os.geteuid() != 0:
            return cls(uid=os.geteuid(), gid=os.getegid())
        if data is not None and data.exists():
            owner = data.stat()
            return cls(uid=owner.st_uid, gid=owner.st_gid)
        for entry in _list_unprivileged_entries():
            return cls(uid=entry.pw_uid, gid=entry.pw_gid)
        raise DatabaseUnavailableError(
            "PostgreSQL does not run as root, and this machine has no other user for it. Add one, run Footnote as an "
            "ordinary user, or set DATABASE_URL to your own server."
        )

    @property
    def is_other(self) -> bool:
        """True when this is not the account that this process runs as."""
        return self.uid != os.geteuid()

    def run(
        self, command: Sequence[str], *, env: Mapping[str, str], timeout_s: int
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account, away from folders that it may not see. OSError when it cannot be run."""
        identity: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_other else {}
        return subprocess.run(
            command,
            check=False,
            cwd="/",
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            **identity,
        )

    def reaches(self, *paths: Path) -> bool:
        """Return True if this account can enter these folders and read these files.

        The system is asked, not the permission bits, so that any kind of right counts.
        """
        if not self.is_other:
            return True
        test = 'if [ -d "$0" ]; then [ -x "$0" ]; else [ -r "$0" ]; fi'
        return all(self.run(["/bin/sh", "-c", test, str(path)], env={}, timeout_s=10).returncode == 0 for path in paths)

    def own(self, path: Path) -> None:
        """Give a path that this process has made to the account."""
        if self.is_other:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def _list_unprivileged_entries() -> list[pwd.struct_passwd]:
    """Accounts to choose from, best first: who called sudo, then nobody. PostgreSQL wants one with a passwd entry."""
    caller = int(os.environ.get("SUDO_UID") or 0)
    everybody = pwd.getpwall()
    candidates = [entry for entry in everybody if entry.pw_uid == caller]
    candidates += [entry for entry in everybody if entry.pw_name == "nobody"]
    return [entry for entry in candidates if entry.pw_uid != 0]
