"""One tiny offered model on a server of the loopback address, and the server program beside it."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.llm.local_model import choosing
from core.llm.local_model.choosing import Offer
from tests.unit.local_model.files import make_gguf
from tests.unit.local_model.hub import SERVER_PROGRAM, Hub, hub

TINY = make_gguf(values=250_000)  # a megabyte
NAME = "tiny-1b"


@contextmanager
def offering(monkeypatch: pytest.MonkeyPatch, settings: Any, home: Path) -> Iterator[Hub]:
    """Offer one model, which the hub serves, and install the server program."""
    settings.FOOTNOTE_HOME, settings.LOCAL_MODEL, settings.LOCAL_MODEL_PROBLEM = home, None, ""
    install_server(monkeypatch)
    with hub() as at:
        at.content = TINY
        offer = Offer(
            name=NAME,
            title="Tiny 1B",
            repository="tests/tiny",
            file="tiny-1b.gguf",
            size=len(TINY),
            parameters=1e9,
            licence="MIT",
            sha256=hashlib.sha256(TINY).hexdigest(),
            memory_per_token=100,
        )
        monkeypatch.setattr(choosing, "OFFERS", (offer,))
        monkeypatch.setattr(choosing, "_HUB", at.address.replace("model.gguf", "{}/{}"))
        yield at
        at.goes_on.set()


def install_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the program in the place of llama.cpp's in the way of this process, and of those that it starts."""
    monkeypatch.syspath_prepend(SERVER_PROGRAM)
    others = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{SERVER_PROGRAM}{os.pathsep}{others}" if others else str(SERVER_PROGRAM))
