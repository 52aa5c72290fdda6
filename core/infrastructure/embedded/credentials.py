"""Keep what is needed to use the embedded server again: the place of its files, its port and its passwords."""

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from core.errors import DatabaseUnavailableError
from core.infrastructure.kept_secrets import write_privately

SUPERUSER = "postgres"
ROLE = "footnote"  # the ordinary role of the application, and its database's name
HOST = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """Kept in a file that only its owner can read."""

    base: str  # the folder that holds the server's files
    port: int  # the last port used; 0 before the first start
    password: str  # of ROLE
    superuser_password: str

    @classmethod
    def new(cls, base: Path) -> Self:
        """Fresh random passwords for a server under `base`."""
        return cls(
            base=str(base), port=0, password=secrets.token_urlsafe(24), superuser_password=secrets.token_urlsafe(24)
        )

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Read them back; None when there is no such file yet."""
        try:
            return cls(**json.loads(path.read_text()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise DatabaseUnavailableError(
                f"{path} is damaged. Restore it from a backup. Without it, the embedded database cannot be opened."
            ) from error

    def save(self, path: Path) -> None:
        """Write them, in one step so that a crash leaves the old file or the new one."""
        write_privately(path, json.dumps(asdict(self)))

    def url(self) -> str:
        """Return the DATABASE_URL of the application."""
        return f"postgres://{ROLE}:{self.password}@{HOST}:{self.port}/{ROLE}"

    def superuser_url(self, database: str) -> str:
        """Return the address for what only a superuser may do."""
        return f"postgres://{SUPERUSER}:{self.superuser_password}@{HOST}:{self.port}/{database}"
