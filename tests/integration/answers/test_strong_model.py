"""The played strong model over a real server: it answers in words of its own, judges, searches again, and refuses."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.strong_model import Reply, StrongModel, serving
from core.testing import Cast, make_document
from core.types import Answer, RefusalReason
from tests.integration.answers.conftest import CANTEEN, QUESTION, Asking, is_silent, log_of

OWN_WORDS = "Lunch in the harbour office starts at noon, when its canteen opens."
TOWER = "Who keeps the key of the bell tower?"
PORTER = "You get the tower's key from the porter."
KEYS = "The key of the bell tower hangs in the lodge and is kept by the porter."
REPLIES = (
    Reply(question=QUESTION, sentences=(OWN_WORDS,), search="", expected=(("noon",),), sources=("Canteen rules",)),
    Reply(question=TOWER, sentences=(PORTER,), search=KEYS, expected=(("porter",),), sources=("Keys of the house",)),
)

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def done(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """Run the model's server and return its reports."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings.LLM_MODEL, settings.LLM_RETRIES, settings.LLM_TIMEOUT_S = "openai/scripted-70b", 0, 5
    settings.AGENT_MODE, settings.VERIFY_WITH_MODEL = "auto", "auto"
    reports: list[dict[str, Any]] = []
    with serving(StrongModel(REPLIES, others=["Is there a swimming pool?"]), report=reports.append) as server:
        settings.LLM_API_BASE = server.address
        yield reports


def test_it_steers_and_judges_its_own_words(ask_as_bob: Asking, done: list[dict[str, Any]]) -> None:
    """A paraphrase without a quote is shown with the sentence that carries it, after one verdict."""
    result = ask_as_bob()
    assert isinstance(result, Answer)
    assert result.text == f"{OWN_WORDS} [1]"
    assert [citation.quoted_excerpt for citation in result.citations] == [CANTEEN.partition(" Visitors")[0]]
    assert [did["did"] for did in done] == ["answered", "judged"]
    log = log_of(result)
    assert (log.agent_mode, log.agent_mode_reason) == ("tool_calling", "large model")


def test_it_searches_once_for_what_it_was_not_shown(ask_as_bob: Asking, done: list[dict[str, Any]], cast: Cast) -> None:
    """And says nothing where that brings nothing that it may read, or where it knows no reply."""
    make_document("Keys of the house", KEYS, roles=[cast.owners])
    for question, steps in ((TOWER, ["searched", "nothing"]), ("Is there a swimming pool?", ["nothing"])):
        result = ask_as_bob(question)
        assert is_silent(result)
        assert isinstance(result, Answer) or result.reason is not RefusalReason.MODEL_UNAVAILABLE
        assert [did["did"] for did in done] == steps
        done.clear()
