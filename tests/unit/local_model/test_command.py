"""The command says what is wrong in words, changes nothing then, and fetches nothing that was not chosen."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from adminsite.management.commands.start import _list_beside
from core.llm.local_model.registration import Registered, find_registered
from core.llm.local_model.setting_up import OllamaError, list_installed, set_up_ollama
from tests.unit.local_model.files import make_gguf

SERVED = Registered(model="llamafile/tiny-1b", title="Tiny", address="http://127.0.0.1:1/v1", file="/x.gguf")


@pytest.fixture
def home(tmp_path: Path, settings: Any) -> Path:
    settings.FOOTNOTE_HOME, settings.LOCAL_MODEL = tmp_path, None
    return tmp_path


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("model", *arguments, stdout=out)
    return out.getvalue()


def test_the_list_names_size_licence_memory_and_time_and_fetches_nothing(home: Path) -> None:
    listed = run("--list")
    for word in ("memory free", "Apache-2.0", "GB", "seconds for an answer", "estimated"):
        assert word in listed
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>Please sign in</html>", "not in the GGUF format"),
        (make_gguf()[:-100], "cut off: 100 bytes"),
        (b"", "not in the GGUF format"),
    ],
)
def test_a_file_that_is_no_model_is_refused_and_nothing_is_set_up(home: Path, content: bytes, said: str) -> None:
    file = home / "m.gguf"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        run("--file", str(file))
    assert find_registered(home) is None


def test_a_file_with_another_hash_or_too_large_for_memory_is_refused(home: Path) -> None:
    file = home / "m.gguf"
    file.write_bytes(make_gguf())
    with pytest.raises(CommandError, match="SHA-256 is"):
        run("--file", str(file), "--sha256", "0" * 64)
    file.write_bytes(make_gguf({"general.architecture": "llama", "llama.context_length": 512}))
    with pytest.raises(CommandError, match="512 tokens"):
        run("--file", str(file))
    assert find_registered(home) is None


def test_what_is_not_there_is_told(home: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        run("--file", str(home / "nothing.gguf"))
    with pytest.raises(CommandError, match="No model nonsense is offered") as refused:
        run("nonsense")
    assert refused.value.returncode == 2
    assert "No model was set up." in run("--forget")


def test_the_server_is_started_only_for_a_file_that_is_used(settings: Any) -> None:
    settings.LLM_MODEL, settings.LOCAL_MODEL = SERVED.model, SERVED
    assert list(_list_beside()) == ["model"]
    settings.LLM_MODEL = "extractive/sentences"
    assert _list_beside() == {}
    settings.LOCAL_MODEL = None
    assert _list_beside() == {}


@contextmanager
def ollama(body: bytes, status: int = 200) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.enable_socket
def test_a_model_of_an_ollama_is_registered_with_its_digest(home: Path) -> None:
    with ollama(json.dumps({"models": [{"name": "tiny:1b", "size": 5, "digest": "sha256:abc"}]}).encode()) as address:
        [installed] = list_installed(address)
        set_up_ollama(installed, home=home, address=address)
    registered = find_registered(home)
    assert registered is not None
    assert (registered.model, registered.sha256, registered.file) == ("ollama_chat/tiny:1b", "abc", "")


@pytest.mark.enable_socket
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"models": 7}', b'{"models": [{"size": 1}]}', b"<html>"])
def test_what_is_no_ollama_is_told(body: bytes) -> None:
    with ollama(body) as address, pytest.raises(OllamaError, match="No Ollama answers"):
        list_installed(address)


def test_an_ollama_elsewhere_is_not_asked() -> None:
    with pytest.raises(OllamaError, match="on this machine"):
        list_installed("http://models.example:11434")
