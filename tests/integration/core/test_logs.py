"""The log lines of a question, as the settings write them."""

import datetime as dt
import io
import json
import logging
import logging.config
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from core.access.audiences import asker_for
from core.api import ask, search
from core.asking.answering.conversations import open_conversation
from core.testing import Cast, make_document
from core.types import Origin
from tests.integration.bot.slack_server import TOKEN, Failure, SlackServer

pytestmark = pytest.mark.usefixtures("fast")

QUESTION = "When does the canteen in the harbour office open?"


@contextmanager
def written() -> Iterator[io.StringIO]:
    """Capture the configured handler's output within the block."""
    [handler] = [each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler]
    stream = io.StringIO()
    before = handler.setStream(stream)
    try:
        yield stream
    finally:
        handler.setStream(before)


def lines_of(stream: io.StringIO) -> list[dict[str, Any]]:
    """The lines as objects."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture(autouse=True)
def configured(cast: Cast, fast: None) -> Iterator[None]:
    """The settings' own logging, and a document."""
    make_document("Canteen rules", "The canteen in the harbour office opens at noon.", roles=[cast.staff])
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    logging.config.dictConfig({**settings.LOGGING, "incremental": False})
    yield
    root.handlers, root.level = handlers, level


def test_a_question_can_be_followed_by_its_id(cast: Cast) -> None:
    """It leaves a line when it comes in, for its embedding, for each search and for its end, all with the same ids."""
    with written() as stream:
        result = ask(QUESTION, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    lines = lines_of(stream)
    events = [line["event"] for line in lines if line["component"].startswith("core.")]
    assert [events[0], events[-1]] == ["query_received", "answer_generated"]
    assert events.index("embedding_generated") < events.index("chunks_retrieved")
    embedded = next(line for line in lines if line["event"] == "embedding_generated")
    assert (embedded["component"], embedded["texts"]) == ("core.asking.answering.searches", 1)
    of_core = [line for line in lines if line["component"].startswith("core.")]
    assert {(line["request_id"], line["trace_id"]) for line in of_core} == {(result.request_id, result.trace_id)}
    assert of_core[0]["question_length"] == len(QUESTION)
    assert of_core[-1]["chunks_retrieved"] == 1
    assert of_core[-1]["processing_time_ms"] >= 0
    assert "noon" not in stream.getvalue()
    assert "canteen" not in stream.getvalue().casefold()


def test_what_was_embedded_before_is_said_to_come_from_the_cache(cast: Cast) -> None:
    """The first search embeds the question, and its time is that of the model; the next has it at hand."""
    question = "Where do the dredgers of the northern basin lie?"
    with written() as stream:
        for _ in range(2):
            ask(question, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    embedded = [line["from_cache"] for line in lines_of(stream) if line["event"] == "embedding_generated"]
    assert embedded[0] == 0
    assert set(embedded[1:]) == {1}


def test_a_question_is_a_follow_up_once_its_conversation_has_another(cast: Cast) -> None:
    """Programs open a conversation before they ask the first question."""
    conversation = open_conversation(origin=Origin.REST, asker=asker_for(cast.bob))
    with written() as stream:
        for question in (QUESTION, "When does it close?"):
            ask(question, asker=asker_for(cast.bob), audience=cast.audience(cast.bob), conversation=conversation)
        ask(QUESTION, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    received = [line["is_follow_up"] for line in lines_of(stream) if line["event"] == "query_received"]
    assert received == [False, True, False]


def test_every_line_has_the_same_frame(cast: Cast) -> None:
    """A time with its zone, level, component, event; the id is null outside of questions, and so is the error."""
    with written() as stream:
        search(QUESTION, audience=cast.audience(cast.bob))
        ask("", asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
        logging.getLogger("core.example").error("example_failed", extra={"error": "TimeoutError"})
    lines = lines_of(stream)
    assert all({"timestamp", "level", "component", "event", "request_id", "error"} <= line.keys() for line in lines)
    times = [dt.datetime.fromisoformat(line["timestamp"]) for line in lines]
    assert times == sorted(times)
    assert {time.utcoffset() for time in times} == {dt.timedelta(0)}
    told = {line["event"]: (line["level"], line["request_id"] is not None, line["error"]) for line in lines}
    assert told == {
        "chunks_retrieved": ("INFO", False, None),
        "query_received": ("INFO", True, None),
        "answer_generated": ("INFO", True, None),
        "example_failed": ("ERROR", False, "TimeoutError"),
    }


def test_what_slack_answers_is_not_logged() -> None:
    """Not even where it cannot be read: it repeats what was said."""
    with SlackServer() as slack, written() as stream:
        slack.fail("chat.postMessage", Failure(error="", raw=b'{"ok": true, "message": {"text": "It opens at noon.'))
        client = WebClient(token=TOKEN, base_url=slack.url, retry_handlers=[])
        with pytest.raises(SlackApiError):
            client.chat_postMessage(channel="C1", text="It opens at noon.")
    assert "noon" not in stream.getvalue()
