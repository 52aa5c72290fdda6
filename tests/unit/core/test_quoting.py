"""Quotes from texts that are held in memory: those that answer, word for word, and nothing of them is kept."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from core.asking import quoting
from core.asking.generation.extractive.selection import select
from core.asking.generation.markup import MarkedPassage
from core.asking.quoting import Quoted, quote_texts
from core.language.nlp.sentence_scoring import ignore_meaning
from core.library import embedding
from core.library.embedding import similarity
from core.testing import HashingProvider, fast_embedding

ASK = "When does the mooring of the barge Petunia end?"
TELLS = "The mooring of the barge Petunia ends on 3 May because the quay is dredged."


@pytest.fixture(autouse=True)
def _fast() -> Iterator[None]:
    with fast_embedding():
        yield


def test_what_answers_is_quoted_from_its_text() -> None:
    """The text by its number, and the sentence as written there."""
    texts = ["Lunch, anyone?", f"Morning all. {TELLS} Tell the crew.", "", "I like barges."]
    assert [one for one in quote_texts(ASK, texts, most=3) if "ends" in one.words] == [Quoted(text=1, words=TELLS)]
    assert {one.text for one in quote_texts(ASK, texts, most=3)} == {1}


def test_where_nothing_answers_nothing_is_quoted() -> None:
    """Near is not enough, and no text is no text."""
    assert quote_texts(ASK, ["Lunch, anyone?", "I like barges.", "Petunia!", "We end at five."], most=3) == []
    assert quote_texts(ASK, [], most=3) == []


def test_there_are_no_more_than_are_wanted() -> None:
    """The best first."""
    texts = [f"The mooring of the barge Petunia ends on {day} May." for day in range(1, 8)]
    assert len(quote_texts(ASK, texts, most=7)) > 2
    assert quote_texts(ASK, texts, most=2) == quote_texts(ASK, texts, most=7)[:2]


def test_an_item_is_quoted_behind_what_introduces_it() -> None:
    """An item alone might say the opposite."""
    text = "In the harbour office nobody may bring:\n- dogs into the canteen kitchen\n- bikes into the tower"
    words = [one.words for one in quote_texts("May I bring dogs into the canteen kitchen?", [text], most=1)]
    assert words == ["In the harbour office nobody may bring:\n- dogs into the canteen kitchen"]
    assert all(line in text for line in words[0].splitlines())


def test_words_that_do_not_stand_in_their_text_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of quotes that holds for documents holds here, whatever chose them."""
    passages = [MarkedPassage(number=0, source="", text=TELLS)]
    reading, chosen = select(ASK, passages, ignore_meaning, today=dt.date(2026, 1, 5))
    altered = [replace(one, text=one.text.replace("3", "4")) for one in chosen]
    assert altered
    monkeypatch.setattr(quoting, "select", lambda *_, **__: (reading, altered))
    assert quote_texts(ASK, [TELLS], most=3) == []


def test_no_vector_of_a_text_is_kept() -> None:
    """The store of late vectors, which lives as long as the process, holds nothing of it."""
    similarity._kept.clear()
    assert quote_texts(ASK, [TELLS], most=1)
    assert dict(similarity._kept) == {}


def test_no_text_is_sent_to_a_model_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the corpus is embedded behind an API, the packaged model compares."""
    sent: list[Sequence[str]] = []

    def call(_: object, texts: Sequence[str]) -> list[list[float]]:
        sent.append(texts)
        return np.ones((len(texts), 4)).tolist()

    monkeypatch.setattr(embedding.LiteLLMProvider, "_call_model", call)
    monkeypatch.setattr(embedding, "load_provider", lambda setting: {"packaged": HashingProvider()}[setting])
    with embedding.use(embedding.LiteLLMProvider("openai/of-somebody", batch_size=8)):
        assert [one.words for one in quote_texts(ASK, [TELLS], most=1)] == [TELLS]
    assert sent == []
