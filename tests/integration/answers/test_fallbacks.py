"""Test the models that take the place of one that fails: other servers, and the key-free model at the end."""

from collections.abc import Callable
from typing import Any

import pytest

from core.types import Answer, Refusal
from tests.integration.answers.chat_server import completion, failure, serving
from tests.integration.answers.conftest import CANTEEN, Asking, log_of

OPENS = "The canteen in the harbour office opens at noon."
WRITTEN = completion(f"ANSWER: {OPENS}\nQUOTE 9: {CANTEEN}")
KEY_FREE = "extractive/sentences"

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def model(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings of a model on the loopback address, whose first call alone counts."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings.LLM_MODEL, settings.LLM_RETRIES, settings.LLM_TIMEOUT_S = "openai/first", 0, 2
    return settings


@pytest.mark.parametrize(
    "reply",
    [failure(500, "boom"), failure(401, "wrong key"), failure(429, "busy"), (200, b"<html>login</html>")],
    ids=["500", "401", "429", "html"],
)
@pytest.mark.parametrize(
    ("mode", "preview"),
    [("tool_calling", None), ("plain_text", lambda words: None)],
    ids=["tools, whole", "text, streamed"],
)
def test_the_key_free_model_answers_where_the_first_fails(
    ask_as_bob: Asking, model: Any, preview: Callable[[str], None] | None, mode: str, reply: Any
) -> None:
    """However the first fails, in either mode, streamed or not; and the answer says whose words it is."""
    model.LLM_FALLBACK_MODELS, model.AGENT_MODE = [KEY_FREE], mode
    with serving(first=[reply]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob(preview=preview)
    assert isinstance(result, Answer)
    assert "opens at noon" in result.text
    log = log_of(result)
    assert (result.model_provider, log.model) == ("extractive", KEY_FREE)
    assert log.model_settings["model"] == "openai/first"
    assert log.model_settings["fallbacks"] == [KEY_FREE]


def test_a_missing_key_is_no_reason_to_say_nothing(
    ask_as_bob: Asking, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key-free model needs none."""
    monkeypatch.delenv("OPENAI_API_KEY")
    model.LLM_FALLBACK_MODELS = [KEY_FREE]
    result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.model_provider == "extractive"


def test_the_key_free_model_comes_after_all_others(ask_as_bob: Asking, model: Any) -> None:
    """Each server is asked, in order, before it."""
    model.LLM_FALLBACK_MODELS = ["openai/second", KEY_FREE]
    with serving(first=[failure(500, "boom")], second=[failure(503, "boom")]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.model_provider == "extractive"
    assert list(dict.fromkeys(chats.asked)) == ["first", "second"]


def test_where_the_key_free_model_comes_first_no_other_is_asked(ask_as_bob: Asking, model: Any) -> None:
    """It never fails."""
    model.LLM_MODEL, model.LLM_FALLBACK_MODELS = KEY_FREE, ["openai/second"]
    with serving(second=[WRITTEN]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob()
    assert isinstance(result, Answer)
    assert chats.asked == []


@pytest.mark.parametrize("preview", [None, lambda words: None], ids=["whole", "streamed"])
def test_another_server_answers_where_the_first_fails(
    ask_as_bob: Asking, model: Any, preview: Callable[[str], None] | None
) -> None:
    """The reply is read as the first's would be, and the log counts it with the model that wrote it."""
    model.LLM_FALLBACK_MODELS = ["openai/second"]
    with serving(first=[failure(500, "boom")], second=[WRITTEN]) as chats:
        model.LLM_API_BASE = chats.address
        result = ask_as_bob(preview=preview)
    assert isinstance(result, Answer)
    assert result.text == f"{OPENS} [1]"
    assert list(dict.fromkeys(chats.asked)) == ["first", "second"]
    assert log_of(result).model == "openai/second"


def test_a_question_that_no_model_answers_is_answered_in_the_documents_words(ask_as_bob: Asking, model: Any) -> None:
    """The asker is told why; also where the question itself is to be rewritten by a model."""
    model.LLM_FALLBACK_MODELS = ["openai/second"]
    with serving(first=[failure(500, "boom")], second=[failure(500, "boom")]) as chats:
        model.LLM_API_BASE = chats.address
        english = ask_as_bob("When does the canteen in the harbour office open?")
        german = ask_as_bob("Wann öffnet die Kantine im Hafenamt?")
    assert isinstance(english, Answer)
    assert english.model_provider == "extractive"
    assert isinstance(german, Refusal)
    assert all("did not respond" in result.message for result in (english, german))
