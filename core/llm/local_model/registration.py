"""Remember which model of this machine is set up, in a file of FOOTNOTE_HOME that the settings read at the start."""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import FootnoteError
from core.infrastructure.kept_secrets import write_privately

FOLDER = "models"
_FILE = "registered.json"
_KEPT = _FILE + ".damaged"
_LARGEST = 64_000  # bytes of the file


class RegistrationError(FootnoteError):
    """The file that names the model of this machine cannot be used. Run manage.py model to set it up again."""


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
        with path.open("rb") as file:
            return _read_registered(json.loads(file.read(_LARGEST)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise RegistrationError(f"{path} is damaged. Run manage.py model to set it up again.") from error


def find_usable(home: Path) -> tuple[Registered | None, str]:
    """Return the model that is set up, or None, and why the file that names it cannot be used; "" where it can."""
    try:
        return find_registered(home), ""
    except RegistrationError as error:
        return None, error.message


def register(home: Path, registered: Registered) -> None:
    """Set up a model, in one step: a reader finds the one before or this one. A damaged file is kept beside it."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if find_usable(home)[1] and (folder / _FILE).is_file():
        (folder / _FILE).replace(folder / _KEPT)
    write_privately(folder / _FILE, json.dumps(asdict(registered), indent=1))


def unregister(home: Path) -> bool:
    """Forget the model that is set up; its file stays. False where there is none."""
    path = home / FOLDER / _FILE
    if not path.exists():
        return False
    path.unlink()
    return True


def _read_registered(raw: dict[str, Any]) -> Registered:
    """Return what a file says. ValueError or TypeError where a value is none that was written by `register`."""
    registered = Registered(**raw)
    texts = ("model", "title", "address", "file", "sha256", "licence", "source", "key")
    if not all(isinstance(getattr(registered, name), str) for name in texts):
        raise TypeError
    counts = (registered.context, registered.threads)
    if not all(type(count) is int and count > 0 for count in counts):
        raise TypeError
    seconds = registered.seconds_per_answer
    if seconds is not None and not (type(seconds) in (int, float) and 0 <= seconds < math.inf):
        raise TypeError
    server = urlsplit(registered.address)
    has_port = bool(server.port) or not registered.file  # a port out of bounds is a ValueError
    if not (registered.model and server.scheme in ("http", "https") and server.hostname and has_port):
        raise ValueError
    return registered
