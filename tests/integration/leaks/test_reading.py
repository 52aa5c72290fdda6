"""Nothing is read for anybody but what that person may read, and nothing of it is kept in words."""

import datetime as dt
import json
from collections.abc import Sequence
from uuid import uuid4

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask, open_conversation
from core.asking.answering.follow_ups import _list_meanings, _Past
from core.asking.reading import reader
from core.asking.reading.readings import Reading
from core.language.query_understanding.follow_ups import Turn
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Origin, Refusal
from tests.unit.reading.made import make_reading

QUESTION = "what does the mooring cost?"
OPEN = "A berth is 11 euros a day. The harbour office is open at noon."
SECRET = "The mooring will cost 99 euros a day, which nobody knows yet."


class Reader:
    """A reader that says of everything that it answers, and remembers what it was given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def read(
        self, question: str, passages: Sequence[tuple[str, str]], *, budget_s: float | None = None
    ) -> list[Reading | None]:
        self.texts += [text for _, text in passages]
        return [make_reading(text, text.split()[0], answers=5.0) for _, text in passages]


@pytest.mark.usefixtures("floors", "fast")
def test_no_passage_of_others_is_read(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that would answer best is another's: who may read it gets it read, and nobody else does."""
    make_document("Berths", OPEN, roles=[cast.staff])
    make_document("Plans", SECRET, roles=[cast.owners])
    given = Reader()
    monkeypatch.setattr("core.asking.answering.ordering.read", given.read)
    monkeypatch.setattr(reader, "is_on", lambda: True)
    for person, texts in ((cast.bob, {OPEN}), (cast.alice, {OPEN, SECRET})):
        given.texts.clear()
        ask(QUESTION, audience=audience_of([person.pk]), asker=asker_for(person))
        assert set(given.texts) == texts


@pytest.mark.usefixtures("floors", "fast")
def test_a_follow_up_is_understood_by_what_its_readers_may_read(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the passages that its meanings find, another's passage is never read, nor does it choose a meaning."""
    make_document("Berths", OPEN, roles=[cast.staff])
    make_document("Plans", SECRET, roles=[cast.owners])
    given = Reader()
    for place in ("ordering", "preparation"):
        monkeypatch.setattr(f"core.asking.answering.{place}.read", given.read)
    monkeypatch.setattr(reader, "is_on", lambda: True)
    for person, texts in ((cast.bob, {OPEN}), (cast.alice, {OPEN, SECRET})):
        asker = asker_for(person)
        conversation = open_conversation(origin=Origin.COMMAND, asker=asker)
        ask(QUESTION, audience=audience_of([person.pk]), asker=asker, conversation=conversation)
        given.texts.clear()
        ask("and for how long?", audience=audience_of([person.pk]), asker=asker, conversation=conversation)
        assert set(given.texts) == texts


def test_readings_are_kept_without_words(settings: Settings) -> None:
    """A digest of the passage, its offsets and its figures are all that stays in memory."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    reader._kept.clear()
    [reading] = reader.read(QUESTION, [("Plans", SECRET)])
    assert reading is not None
    [(key, kept)] = reader._kept.items()
    assert len(key) == 16
    assert "mooring" not in repr(kept)
    assert kept.best[0].probability > 0.5


def test_a_meaning_names_the_documents_whose_words_an_earlier_question_holds() -> None:
    """Also where it goes on from a question between the first and the last one."""
    secret = (uuid4(), 1)
    past = [
        _Past(turn=Turn(question=question), asked_of=asked_of, answered_from=())
        for question, asked_of in (
            ("How thick? (fumigation of the hull)", (secret,)),
            ("What does the fumigation of the hull cost?", (secret,)),
            ("Where is the harbour?", ()),
        )
    ]
    meanings = _list_meanings("and a survey?", past, dt.date(2026, 3, 1))
    assert {meaning.text: meaning.named for meaning in meanings if "hull" in meaning.text or "cost" in meaning.text}
    assert all(secret in meaning.named for meaning in meanings if meaning.text != "and a survey?")
    between = [past[0], past[1], past[2]]
    between[0] = _Past(turn=past[0].turn, asked_of=(), answered_from=())
    first, *_ = _list_meanings("and a survey?", between, dt.date(2026, 3, 1))
    assert "survey" in first.text
    assert secret in first.named


def test_what_is_asked_back_names_and_narrows_to_what_all_readers_may_read(cast: Cast, settings: Settings) -> None:
    """Alice, who reads both, is asked which one; with Bob beside her neither the other nor its citation counts."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    make_document("Report on the tug", "The skipper was 58 years old and had a ticket.", roles=[cast.staff])
    barge = make_document("Report on the barge", "The skipper was 31 years old, on a first trip.", roles=[cast.owners])
    alice, both = audience_of([cast.alice.pk]), audience_of([cast.alice.pk, cast.bob.pk])
    asker = asker_for(cast.alice)
    asked = ask("How old was the skipper?", audience=alice, asker=asker)
    assert isinstance(asked, Refusal)
    assert "barge" in asked.message
    conversation = open_conversation(origin=Origin.COMMAND, asker=asker)
    first = ask("Which skipper was on a first trip?", audience=alice, asker=asker, conversation=conversation)
    assert barge.pk in {citation.document_id for citation in first.citations}
    for question in ("How old was the skipper?", "How old was he?"):
        shared = ask(question, audience=both, asker=asker, conversation=conversation)
        shown = as_json(shared)
        assert "barge" not in json.dumps(shown)
        assert "31 years" not in json.dumps(shown)
        assert str(barge.pk) not in json.dumps(shown)
