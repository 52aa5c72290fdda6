"""Test previews while the model writes: verified statements, for readers who may read them, and nothing else."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Event
from time import sleep
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from core.models import Answer as Stored
from core.models import AuditEvent, RoleDocumentAccess
from core.types import Answer
from tests.integration.answers.chat_server import Chats, completion, failure, serving
from tests.integration.answers.conftest import Asking, is_silent, log_of
from tests.integration.counted import count_from_now

OPENS = "The canteen in the harbour office opens at noon."
CLOSES = "The canteen closes at three."
DOGS = "Visitors may not bring dogs."
INVENTED = "The canteen serves whale on Fridays."

pytestmark = pytest.mark.enable_socket


def written(*statements: str) -> Any:
    """The reply of a model that writes."""
    return completion("\n".join(statements))


def called(*statements: str) -> Any:
    """The reply of a model that calls the tool."""
    arguments = json.dumps({"statements": [{"text": text, "quotes": []} for text in statements]})
    function = {"name": "final_answer", "arguments": arguments}
    return completion(None, tool_calls=[{"id": "1", "type": "function", "function": function}])


REPLIES = {"plain_text": written, "tool_calling": called}


@pytest.fixture
def model(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a model on the loopback address, without a judge."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings.LLM_MODEL, settings.LLM_RETRIES, settings.LLM_TIMEOUT_S = "openai/first", 0, 20
    settings.VERIFY_WITH_MODEL = "never"
    return settings


@contextmanager
def replying(model: Settings, *replies: Any, knows_streams: bool = True) -> Iterator[Chats]:
    """A server that gives these replies."""
    with serving(first=list(replies)) as chats:
        model.LLM_API_BASE, chats.knows_streams = chats.address, knows_streams
        yield chats


@pytest.mark.parametrize("mode", REPLIES)
def test_a_statement_is_told_before_the_reply_has_ended(ask_as_bob: Asking, model: Settings, mode: str) -> None:
    """With its mark; the next goes on from it, and so does the answer."""
    model.AGENT_MODE = mode
    told: list[str] = []
    heard = Event()

    def preview(words: str) -> None:
        told.append(words)
        heard.set()

    risen = count_from_now()

    def wait_for_it(sent: str) -> None:
        if CLOSES in sent:
            assert heard.wait(10)  # else the connection breaks off, and nothing was told of its stream

    with replying(model, REPLIES[mode](OPENS, CLOSES, DOGS)) as chats:
        chats.before_piece = wait_for_it
        result = ask_as_bob(preview=preview)
    assert isinstance(result, Answer)
    assert told[0] == f"{OPENS} [1]"
    assert all(later.startswith(earlier) for earlier, later in pairwise([*told, result.text]))
    assert len(chats.asked) == 1
    assert Stored.objects.get(query=result.query_id).prompt_tokens == 10
    noted = AuditEvent.objects.filter(action="answer_begun", object_id=str(result.query_id))
    assert noted.count() == len(told)
    assert str(result.citations[0].chunk_id) in str(noted.values_list("details"))
    assert 0 < log_of(result).timings_ms["first_statement"] <= result.processing_time_ms
    assert risen("footnote_first_statement_seconds_count") == 1


@pytest.mark.parametrize("mode", REPLIES)
def test_nobody_listens(ask_as_bob: Asking, model: Settings, mode: str) -> None:
    """Then the reply is not streamed, and the answer is the same."""
    model.AGENT_MODE = mode
    with replying(model, REPLIES[mode](OPENS, CLOSES)) as chats:
        alone = ask_as_bob()
        assert chats.streamed == []
        heard = ask_as_bob(preview=lambda words: None)
    assert isinstance(alone, Answer)
    assert isinstance(heard, Answer)
    assert alone.text == heard.text
    assert "first_statement" not in alone.timings_ms


@pytest.mark.parametrize("mode", REPLIES)
def test_what_does_not_stand_ends_it(ask_as_bob: Asking, model: Settings, mode: str) -> None:
    """Neither it nor what comes behind it: in the answer something else may be in its place."""
    model.AGENT_MODE = mode
    told: list[str] = []
    with replying(model, REPLIES[mode](OPENS, INVENTED, DOGS, CLOSES)):
        result = ask_as_bob(preview=told.append)
    assert isinstance(result, Answer)
    assert told == [f"{OPENS} [1]"]  # once, however much comes behind it


def test_what_a_judge_would_be_asked_about_waits_for_it(ask_as_bob: Asking, model: Settings) -> None:
    """Though the judge lets it through in the end."""
    model.AGENT_MODE, model.VERIFY_WITH_MODEL = "plain_text", "always"
    told: list[str] = []
    doubted = "Only the canteen in the harbour office opens at noon."
    with replying(model, written(doubted, OPENS, DOGS), completion("")):
        ask_as_bob(preview=told.append)
    assert told == []


def test_a_document_that_is_withdrawn_meanwhile(ask_as_bob: Asking, model: Settings) -> None:
    """Nothing of it is previewed, from that moment on."""
    model.AGENT_MODE = "plain_text"
    told: list[str] = []

    def withdraw(words: str) -> None:
        told.append(words)
        RoleDocumentAccess.objects.filter(document__title="Canteen rules").delete()

    with replying(model, written(OPENS, CLOSES, DOGS)):
        result = ask_as_bob(preview=withdraw)
    assert told == [f"{OPENS} [1]"]
    assert not isinstance(result, Answer)


@pytest.mark.parametrize("reply", ["NOTHING", "The passages do not say when it opens. They are about ferries."])
def test_a_refusal_is_not_told(ask_as_bob: Asking, model: Settings, reply: str) -> None:
    """There is no answer of which it could be the beginning."""
    model.AGENT_MODE = "plain_text"
    told: list[str] = []
    with replying(model, written(reply, reply)):
        assert is_silent(ask_as_bob(preview=told.append))
    assert told == []


def test_thoughts_are_not_told(ask_as_bob: Asking, model: Settings) -> None:
    """A model that reasons aloud has not begun to answer."""
    model.AGENT_MODE = "plain_text"
    told: list[str] = []
    with replying(model, written(f"<think>{CLOSES} {DOGS}", f"{DOGS} </think>", OPENS, CLOSES)):
        ask_as_bob(preview=told.append)
    assert told == [f"{OPENS} [1]"]


def test_where_nothing_is_near_a_small_model_is_not_told_of(ask_as_bob: Asking, model: Settings) -> None:
    """The same gate holds for the beginning as for the answer."""
    model.AGENT_MODE = "plain_text"
    model.ANSWER_FROM = model.CLOSEST_FROM = 1.0
    told: list[str] = []
    with replying(model, written(OPENS, CLOSES, DOGS)):
        ask_as_bob(preview=told.append)
    assert told == []


class TestStreamsThatFail:
    """The reply is asked for whole where it does not come in pieces, and failures are what they are without."""

    def test_a_server_that_does_not_stream(self, ask_as_bob: Asking, model: Settings) -> None:
        """It sends a whole reply, which is none of a stream's pieces."""
        with replying(model, written(OPENS), knows_streams=False) as chats:
            result = ask_as_bob(preview=lambda words: None)
        assert isinstance(result, Answer)
        assert result.text == f"{OPENS} [1]"
        assert (len(chats.asked), len(chats.streamed)) == (2, 1)

    def test_a_stream_that_breaks_off(self, ask_as_bob: Asking, model: Settings) -> None:
        """In the middle of the reply."""

        def break_off(sent: str) -> None:
            if sent:
                raise ConnectionError

        with replying(model, written(OPENS, CLOSES)) as chats:
            chats.before_piece = break_off
            result = ask_as_bob(preview=lambda words: None)
        assert isinstance(result, Answer)
        assert result.text.startswith(f"{OPENS} [1]")
        assert (len(chats.asked), len(chats.streamed)) == (2, 1)

    def test_a_server_that_refuses(self, ask_as_bob: Asking, model: Settings) -> None:
        """The documents' own words are the answer, at once, and it is said why."""
        with replying(model, failure(401, "wrong key")) as chats:
            result = ask_as_bob(preview=lambda words: None)
        assert isinstance(result, Answer)
        assert "not set up" in result.message
        assert len(chats.asked) == 1

    def test_a_stream_without_an_end(self, ask_as_bob: Asking, model: Settings) -> None:
        """It has the time of a whole reply, and not that time for each piece."""
        model.LLM_TIMEOUT_S = 1
        with replying(model, written(*[CLOSES] * 100)) as chats:
            chats.before_piece = lambda sent: sleep(0.1)
            result = ask_as_bob(preview=lambda words: None)
        assert is_silent(result)
        assert result.processing_time_ms < 8000
