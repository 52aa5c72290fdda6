"""Start the server of a model file in a process of its own, wait until it is ready, and ask it something to time it."""

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from core.errors import FootnoteError
from core.llm.local_model.machine import SENT, WRITTEN
from core.llm.local_model.registration import Registered
from core.llm.local_model.serving import CANNOT_LOAD, KEY, NOT_INSTALLED

_LOADED_WITHIN_S = 300
_ASKED_WITHIN_S = 300
_HEALTHY_WITHIN_S = 5
_ROOT = Path(__file__).resolve().parents[3]
_LAST_LINES = 4000  # characters of what llama.cpp wrote
# A prompt about as a passage is, long enough to time.
_PROMPT = "Repeat the first sentence.\n" + "The harbour office opens at nine and closes at five on working days. " * 16
NOT_THERE = "The server program, llama.cpp, is not installed. On the machine of the worker run: make model-server"


class ModelServerError(FootnoteError):
    """The model cannot be served."""


def is_installed() -> bool:
    """Return True if the server program is installed beside this process."""
    return importlib.util.find_spec("xllamacpp") is not None


def check_installed() -> None:
    """Raise ModelServerError, with how to install it, where the server program is missing."""
    if not is_installed():
        raise ModelServerError(NOT_THERE)


def start_server(registered: Registered, *, port: int, log: Path) -> subprocess.Popen[bytes]:
    """Start the server's process. log: takes what it writes of errors."""
    command = [
        *(sys.executable, "-m", "core.llm.local_model.serving", registered.file),
        *("--name", registered.model.partition("/")[2], "--port", str(port)),
        *("--context", str(registered.context), "--threads", str(registered.threads)),
    ]
    with log.open("wb") as errors:
        return subprocess.Popen(
            command,
            env={**os.environ, KEY: registered.key},
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )


def is_healthy(port: int) -> bool:
    """Return True if a server on this machine says that it is ready."""
    try:
        return requests.get(f"http://127.0.0.1:{port}/health", timeout=_HEALTHY_WITHIN_S).status_code == 200
    except requests.RequestException:
        return False


def explain_end(code: int, log: Path) -> str:
    """Say why a server's process ended, in words for who runs it."""
    if code == NOT_INSTALLED:
        return NOT_THERE
    written = log.read_text(encoding="utf-8", errors="replace")[-_LAST_LINES:] if log.exists() else ""
    if "unknown model architecture" in written:
        name = written.partition("unknown model architecture:")[2].strip().split("\n")[0][:60].strip(" '\"")
        return f"llama.cpp does not know the architecture of this model ({name}). Choose another model."
    if code == -9:
        return "The server of the model was killed: most likely memory ran out. If so, choose a smaller model."
    if code == CANNOT_LOAD:
        return "llama.cpp cannot load the file: it is damaged, or needs more memory than there is."
    return f"The server of the model ended by itself (code {code})."


@contextmanager
def serving(
    registered: Registered, *, port: int, log: Path, check: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Serve a model within the block. ModelServerError, in words, where it cannot be loaded.

    check: called while the model is loaded; what it raises ends the server.
    """
    process = start_server(registered, port=port, log=log)
    try:
        deadline = time.monotonic() + _LOADED_WITHIN_S
        while not is_healthy(port):
            if (code := process.poll()) is not None:
                raise ModelServerError(explain_end(code, log))
            if time.monotonic() > deadline:
                raise ModelServerError(f"The model was not loaded within {_LOADED_WITHIN_S} seconds.")
            check()
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def time_answer(registered: Registered, *, port: int) -> float:
    """Ask a served model something short and return the seconds that a usual answer would take.

    ModelServerError where it does not reply, or with nothing.
    """
    request = {"messages": [{"role": "user", "content": _PROMPT}], "max_tokens": 24, "temperature": 0}
    began = time.monotonic()
    try:
        reply = requests.post(
            f"http://127.0.0.1:{port}/v1/chat/completions",
            json=request,
            headers={"Authorization": f"Bearer {registered.key}"},
            timeout=_ASKED_WITHIN_S,
        )
        reply.raise_for_status()
        said = reply.json()
        text = str(said["choices"][0]["message"].get("content") or "")
    except (requests.RequestException, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ModelServerError(f"The model was loaded and did not reply ({type(error).__name__}).") from error
    if not text.strip():
        raise ModelServerError("The model was loaded and replied with nothing. Choose another file.")
    timings = said.get("timings") or {}
    read, written = timings.get("prompt_per_second") or 0, timings.get("predicted_per_second") or 0
    if read > 0 and written > 0:
        return float(SENT / read + WRITTEN / written)
    return (time.monotonic() - began) * SENT / 300
