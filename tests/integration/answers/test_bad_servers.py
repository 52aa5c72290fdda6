"""Test servers of models that hang, drip, flood or never end: the key-free answer comes in time, and says why."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import product
from threading import Thread
from typing import Any

import pytest

from core.llm.bounds import LARGEST_REPLY
from core.llm.client import litellm_ready
from core.types import Answer
from tests.integration.answers.conftest import Asking, log_of

Serve = Callable[[socket.socket], None]
LLM_CLIENTS = ("openai", "ollama_chat")  # LiteLLM asks servers of the two kinds by different code
OPENS = "The canteen in the harbour office opens at noon."
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

pytestmark = pytest.mark.enable_socket


def write_event(text: str) -> bytes:
    choice = {"index": 0, "finish_reason": None, "delta": {"content": text}}
    event = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n".encode()


def hang(connection: socket.socket) -> None:
    """Take the request and say nothing."""
    time.sleep(30)


def drip(connection: socket.socket) -> None:
    """Send a byte of the body now and then."""
    connection.sendall(WHOLE + b"Content-Length: 100000\r\n\r\n")
    for _ in range(300):
        connection.sendall(b" ")
        time.sleep(0.1)


def flood(connection: socket.socket) -> None:
    """Send ten megabytes in one reply."""
    said = json.dumps({"choices": [{"message": {"content": f"{OPENS} " * 200_000}}]}).encode()
    assert len(said) > LARGEST_REPLY
    connection.sendall(WHOLE + f"Content-Length: {len(said)}\r\n\r\n".encode() + said)


def send_bytes_without_end(connection: socket.socket) -> None:
    """Send a body that has no line and no end."""
    connection.sendall(WHOLE + b"\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def stay_alive(connection: socket.socket) -> None:
    """Stream signs of life and no word."""
    connection.sendall(STREAM)
    for _ in range(300):
        connection.sendall(b": still there\n\n" + write_event(""))
        time.sleep(0.1)


def die(connection: socket.socket) -> None:
    """Stream half a sentence, and go."""
    connection.sendall(STREAM + write_event("The canteen in the"))


def loop(connection: socket.socket) -> None:
    """Stream the right sentence again and again, as fast as it is taken."""
    connection.sendall(STREAM)
    while True:
        connection.sendall(write_event(f"{OPENS}\n"))


@contextmanager
def serving(serve: Serve) -> Iterator[tuple[str, list[float]]]:
    """Serve every connection so; yields the address, and when each request came."""
    asked: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take(connection: socket.socket) -> None:
            with connection:
                try:
                    connection.recv(1_000_000)
                    asked.append(time.monotonic())
                    serve(connection)
                except OSError:
                    return

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                Thread(target=take, args=(connection,), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", asked
        listener.shutdown(socket.SHUT_RDWR)


@cache
def load_clients() -> None:
    """Ask a server that hangs up by each client, once in a process: the first question loads for a second and more."""
    with serving(die) as (address, came):
        for client in LLM_CLIENTS:
            with suppress(Exception):
                asked = {"messages": [{"role": "user", "content": "When?"}], "timeout": 10, "max_retries": 0}
                list(litellm_ready().completion(f"{client}/first", **asked, base_url=address, api_key="x", stream=True))
    assert len(came) >= len(LLM_CLIENTS)


@pytest.fixture
def model(settings: Any, monkeypatch: pytest.MonkeyPatch, ask_as_bob: Asking) -> Any:
    """A model whose calls are repeated twice, and whose first word has to come within half a second.

    What is loaded once has been loaded.
    """
    ask_as_bob()
    load_clients()
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings.LLM_MODEL, settings.LLM_RETRIES, settings.LLM_TIMEOUT_S = "openai/first", 2, 1
    settings.LLM_FIRST_WORDS_S = 0.5
    return settings


def every_way() -> Iterator[Any]:
    """Yield each server with each way to ask it. The slow ones repeat a server in another mode or by another client.

    Of each server remain a streamed answer in plain text, and one over the other client, in the other mode; whole ones
    of the server that hangs, both ways, and of the one that drips.
    """
    for serve in (hang, drip, flood, send_bytes_without_end, stay_alive, die):
        for how, mode, provider in product(("whole", "streamed"), ("plain_text", "tool_calling"), LLM_CLIENTS):
            stays = {
                ("plain_text", "openai"): how == "streamed" or serve in (hang, drip),
                ("tool_calling", "ollama_chat"): how == "streamed" or serve is hang,
            }.get((mode, provider), False)
            name = f"{how}-{serve.__name__}-{mode}-{provider}"
            marks = () if stays else (pytest.mark.slow,)
            yield pytest.param(serve, mode, how == "streamed", provider, id=name, marks=marks)


@pytest.mark.parametrize(("serve", "mode", "is_streamed", "provider"), list(every_way()))
def test_the_key_free_answer_comes_in_time(
    ask_as_bob: Asking, model: Any, serve: Serve, mode: str, is_streamed: bool, provider: str
) -> None:
    """Within the model's time once, however often a failed call is repeated."""
    model.AGENT_MODE, model.LLM_MODEL = mode, f"{provider}/first"
    with serving(serve) as (address, _):
        model.LLM_API_BASE = address
        began = time.monotonic()
        result = ask_as_bob(preview=(lambda words: None) if is_streamed else None)
        took = time.monotonic() - began
    assert isinstance(result, Answer)
    assert "opens at noon" in result.text
    assert (result.model_provider, log_of(result).model) == ("extractive", "extractive/sentences")
    assert "did not respond" in result.message
    assert took < 6


@pytest.mark.parametrize("serve", [hang, stay_alive])
def test_without_a_first_word_nobody_waits_for_the_whole_time(ask_as_bob: Asking, model: Any, serve: Serve) -> None:
    model.LLM_TIMEOUT_S = 60
    with serving(serve) as (address, asked):
        model.LLM_API_BASE = address
        began = time.monotonic()
        result = ask_as_bob(preview=lambda words: None)
        took = time.monotonic() - began
    assert isinstance(result, Answer)
    assert result.model_provider == "extractive"
    assert took < 6
    assert len(asked) == 1


def test_a_model_of_this_machine_has_twice_its_measured_time(settings: Any) -> None:
    """One that needs forty seconds to read the passages has not failed before its first word."""
    from core.llm.client import model_settings
    from core.llm.local_model.registration import Registered

    settings.LLM_TIMEOUT_S, settings.LLM_FIRST_WORDS_S, settings.LLM_MODEL = 300, 20.0, "llamafile/tiny-1b"
    settings.LOCAL_MODEL = None
    assert model_settings().first_words_s == 20
    settings.LOCAL_MODEL = Registered(
        model="llamafile/tiny-1b", title="", address="http://127.0.0.1:1/v1", seconds_per_answer=45.0
    )
    assert model_settings().first_words_s == 90
    settings.LLM_TIMEOUT_S = 60
    assert model_settings().first_words_s == 60


@pytest.mark.parametrize("mode", ["plain_text", "tool_calling"])
def test_of_a_model_in_a_loop_what_it_said_first_is_shown_once(ask_as_bob: Asking, model: Any, mode: str) -> None:
    model.AGENT_MODE, model.LLM_TIMEOUT_S, model.LLM_FIRST_WORDS_S = mode, 30, 5.0
    with serving(loop) as (address, _):
        model.LLM_API_BASE = address
        began = time.monotonic()
        result = ask_as_bob(preview=lambda words: None)
        took = time.monotonic() - began
    assert isinstance(result, Answer)
    assert result.text.count("opens at noon") == 1
    assert took < 20
