"""A real server of chat completions that fails in every way it can: all ends as an Answer or a Refusal."""

import json
from typing import Any

import pytest

from core.types import Answer, RefusalReason
from tests.integration.answers.chat_server import completion, failure, late, serving
from tests.integration.answers.conftest import CANTEEN, Asking, is_silent, log_of, shown

OPENS = "The canteen in the harbour office opens at noon."
WRITTEN = completion(f"ANSWER: {OPENS}\nQUOTE 9: {CANTEEN}")
BROKEN_CALL = {"id": "1", "type": "function", "function": {"name": "final_answer", "arguments": '{"statements": [{'}}
NO_CHOICES = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": []}

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def model(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings of a model on the loopback address."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings.LLM_MODEL, settings.LLM_RETRIES, settings.LLM_TIMEOUT_S = "openai/first", 1, 2
    return settings


def test_a_busy_server_is_asked_again(ask_as_bob: Asking, model: Any) -> None:
    """429, then an answer, written on a local server because of its address."""
    with serving(first=[failure(429, "busy"), WRITTEN]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text == f"{OPENS} [1]"
    assert chats.asked == ["first", "first"]
    log = log_of(result)
    assert (log.agent_mode, log.agent_mode_reason) == ("plain_text", "local server")


def test_a_model_that_is_too_slow_is_replaced_by_the_next(ask_as_bob: Asking, model: Any) -> None:
    """The fallback answers within the same question."""
    model.LLM_RETRIES, model.LLM_TIMEOUT_S, model.LLM_FALLBACK_MODELS = 0, 1, ["openai/second"]
    with serving(first=[late(4)], second=[WRITTEN]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert (chats.asked[0], chats.asked[-1]) == ("first", "second")


@pytest.mark.parametrize("mode", ["plain_text", "tool_calling"])
@pytest.mark.parametrize(
    "reply",
    [
        (200, b"<html>login</html>"),
        (200, b"{}"),
        (200, NO_CHOICES),
        (500, b"boom"),
        failure(401, "wrong key"),
        failure(404, "no such model"),
        failure(400, "This model's maximum context length is 4096 tokens", "context_length_exceeded"),
        completion(None),
        completion(None, tool_calls=[BROKEN_CALL]),
        completion("Happy to help!"),
    ],
    ids=["html", "empty", "no choices", "500", "401", "404", "too long", "no content", "broken call", "prose"],
)
def test_every_failure_is_told_in_words(ask_as_bob: Asking, model: Any, mode: str, reply: Any) -> None:
    """Without a word of the server's, within five steps: a refusal, or what the documents say by themselves."""
    model.AGENT_MODE, model.LLM_RETRIES = mode, 0
    with serving(first=[reply]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob()
    assert is_silent(result)
    assert isinstance(result, Answer) or result.reason is RefusalReason.MODEL_UNAVAILABLE
    assert len(chats.asked) <= 5
    for word in ("boom", "login", "4096", "wrong key", "Traceback", "html", "Happy"):
        assert word not in shown(result)


DOUBTED = "Only the canteen in the harbour office opens at noon."
BOTH = json.dumps({"statements": [{"text": OPENS, "quotes": []}, {"text": DOUBTED, "quotes": []}]})
DRAFT = completion(
    None, tool_calls=[{"id": "1", "type": "function", "function": {"name": "final_answer", "arguments": BOTH}}]
)


@pytest.mark.parametrize(
    "reply",
    [
        (200, b"<html>login</html>"),
        (200, b"{}"),
        (200, NO_CHOICES),
        (500, b"boom"),
        failure(401, "wrong key"),
        failure(429, "busy"),
        completion(None),
        late(4),
    ],
    ids=["html", "empty", "no choices", "500", "401", "429", "no content", "late"],
)
def test_a_judge_that_fails_lets_no_doubt_through_and_loses_nothing_else(
    ask_as_bob: Asking, model: Any, reply: Any
) -> None:
    """Asked once, of both drafts together; what is sure is shown."""
    model.AGENT_MODE, model.VERIFY_WITH_MODEL, model.VERIFY_TIMEOUT_S = "tool_calling", "always", 1
    with serving(first=[DRAFT, reply, DRAFT]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text == f"{OPENS} [1]"
    assert len(chats.asked) == 3
