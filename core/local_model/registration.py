"""Remember which model of this machine is set up, in a file of FOOTNOTE_HOME that the settings read at the start."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import FootnoteError
from core.kept_secrets import write_privately

FOLDER = "models"
_FILE = "registered.json"


class RegistrationError(FootnoteError):
    """The file that names the model of this machine cannot be used. Delete it, then run: manage.py model"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Registered:
    """A model of this machine that is set up."""

    model: str  # as LLM_MODEL names it
    title: str  # for people
    address: str  # of its server, as LLM_API_BASE
    file: str = ""  # the GGUF file that Footnote serves; empty where another server has it
    sha256: str = ""  # of the file, or what its server states
    licence: str = ""
    source: str = ""  # where the file came from
    key: str = ""  # that its server asks for
    context: int = 8192  # tokens that the server keeps of one conversation
    threads: int = 1
    seconds_per_answer: float | None = None  # measured when it was set up


def find_registered(home: Path) -> Registered | None:
    """Return the model that is set up under FOOTNOTE_HOME, or None. RegistrationError for a file that is damaged."""
    path = home / FOLDER / _FILE
    try:
        return _read(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise RegistrationError(f"{path} is damaged. Delete it, then run manage.py model again.") from error


def register(home: Path, registered: Registered) -> None:
    """Set up a model, in one step: a reader finds the one before or this one."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    write_privately(folder / _FILE, json.dumps(asdict(registered), indent=1))


def unregister(home: Path) -> bool:
    """Forget the model that is set up; its file stays. False where there is none."""
    path = home / FOLDER / _FILE
    if not path.exists():
        return False
    path.unlink()
    return True


def _read(raw: dict[str, Any]) -> Registered:
    registered = Registered(**raw)
    if not (isinstance(registered.model, str) and isinstance(registered.address, str) and registered.model):
        raise TypeError
    return registered
