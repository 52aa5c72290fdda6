"""Set up a model of this machine: check a file, load it once, time it, and register it; or take one of an Ollama."""

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import requests

from core.errors import FootnoteError
from core.llm.local_model.fetching import hash_file
from core.llm.local_model.gguf import read_head
from core.llm.local_model.machine import Machine
from core.llm.local_model.registration import FOLDER, Registered, register
from core.llm.local_model.server import serving, time_answer

PROVIDER = "llamafile"  # LiteLLM's name for a server of llama.cpp's on this machine
LOCAL_PROVIDERS = frozenset({PROVIDER, "ollama_chat"})  # of the models that are set up here
CONTEXT = 8192  # tokens; the passages of a question and its answer take some 3,000
_LEAST_CONTEXT = 2048

ADDRESS = "http://127.0.0.1:11434"
_WAIT_S = 3
_MOST = 200


class SetUpError(FootnoteError):
    """The model cannot be set up."""


def check_file(path: Path, machine: Machine, *, context: int, anyway: bool = False) -> int:
    """Return how many tokens of conversation a file is served with. SetUpError, in words, for one that does not fit.

    anyway: serve it though memory seems too small.
    """
    head = read_head(path)
    fitting = min(context, head.context or context)
    if fitting < _LEAST_CONTEXT:
        raise SetUpError(f"The model takes {fitting:,} tokens; the passages of one question need {_LEAST_CONTEXT:,}.")
    needed = head.memory(fitting)
    if not machine.fits(needed) and not anyway:
        raise SetUpError(
            f"The model needs about {in_gigabytes(needed)} of memory, and {in_gigabytes(machine.memory)} are free, of "
            "which Footnote itself needs one. Choose a smaller model, or set it up anyway (--anyway)."
        )
    return fitting


def set_up_file(
    path: Path,
    *,
    home: Path,
    name: str,
    machine: Machine,
    threads: int,
    context: int,
    licence: str,
    source: str,
    check: Callable[[], None] = lambda: None,
) -> Registered:
    """Load a checked file once, time it, and register it. ModelServerError, in words, where it does not work.

    check: called while it is loaded and before it is registered; what it raises ends the work, and nothing is changed.
    """
    registered = Registered(
        model=f"{PROVIDER}/{name}",
        title=read_head(path).name or name,
        address=f"http://127.0.0.1:{_find_free_port()}/v1",
        file=str(path.resolve()),
        sha256=hash_file(path),
        licence=licence or read_head(path).licence,
        source=source,
        key=secrets.token_urlsafe(24),
        context=context,
        threads=threads or machine.threads,
    )
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    port = _find_free_port()  # the registered one may be in use by then: it is only tried here
    with serving(registered, port=port, log=home / FOLDER / "trial.log", check=check):
        seconds = time_answer(registered, port=port)
    check()
    timed = replace(registered, seconds_per_answer=round(seconds, 1))
    register(home, timed)
    return timed


class OllamaError(FootnoteError):
    """Ollama cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    """A model that Ollama has."""

    name: str
    size: int  # bytes
    digest: str


def list_installed(address: str = ADDRESS) -> list[Installed]:
    """Return the models of an Ollama on this machine. OllamaError where none answers there."""
    if urlsplit(address).hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise OllamaError("Only an Ollama on this machine is looked for. For another, set LLM_MODEL and LLM_API_BASE.")
    try:
        reply = requests.get(f"{address.rstrip('/')}/api/tags", timeout=_WAIT_S)
        reply.raise_for_status()
        listed = reply.json()["models"]
        return [
            Installed(name=str(one["name"]), size=int(one.get("size") or 0), digest=str(one.get("digest") or ""))
            for one in listed[:_MOST]
        ]
    except (requests.RequestException, ValueError, LookupError, TypeError, AttributeError) as error:
        raise OllamaError(f"No Ollama answers on {address}.") from error


def set_up_ollama(installed: Installed, *, home: Path, address: str = ADDRESS) -> Registered:
    """Register a model that an Ollama on this machine serves."""
    registered = Registered(
        model=f"ollama_chat/{installed.name}",
        title=installed.name,
        address=address,
        sha256=installed.digest.removeprefix("sha256:"),
        source="Ollama",
    )
    register(home, registered)
    return registered


def in_gigabytes(size: float) -> str:
    """Format bytes as people read them."""
    return f"{size / 1e9:.1f} GB"


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
