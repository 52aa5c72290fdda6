"""Questions in other words, another spelling or another language than the documents'."""

import datetime as dt
from contextlib import nullcontext
from typing import Any
from uuid import UUID

import pytest

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, stored_result
from core.asking.answering import query_rewriting
from core.asking.answering.decision import NOT_COUNTED
from core.asking.answering.follow_ups import NOTHING_MORE
from core.asking.answering.query_rewriting import NOT_ENGLISH, correct_spelling
from core.asking.answering.searches import Searching
from core.asking.answering.series import newest_of_each
from core.asking.answering.understanding import understand
from core.asking.confidence.endings import COME_CLOSEST
from core.errors import NotFoundError
from core.library.retrieval.access_filter import select_permitted_chunks
from core.library.retrieval.lexical import by_words
from core.library.retrieval.vocabulary import find_standing_words
from core.llm.scripted import answers, script_model
from core.models import Document, Query
from core.models.row_security import as_audience
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer, Audience, Filters, Passage, Refusal, RefusalReason
from tests.integration.answering.conftest import DECEMBER, Ask, asking, conversation_of

TODAY = dt.date(2026, 3, 15)


@pytest.fixture
def desk(cast: Cast, fast: None) -> dict[str, Document]:
    """A page for all staff, and one for Alice alone, which has a word that no other page has."""
    return {
        "all": make_document(
            "Moorings",
            "Every receipt is kept by the harbour office. A vessel may stay on the mooring for ninety days.",
            "The engine hoist is inspected by Mr Whitlock.",
            roles=[cast.staff],
        ),
        "own": make_document("Quarantine", "The fumigation of the vessel is secret.", roles=[cast.owners]),
    }


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("who keeps the reciept", "who keeps the receipt"),
        ("harbuor office", "harbour office"),
        ("Who is Whitlok?", "Who is Whitlock?"),
        ("is the vesel safe", "is the vessel safe"),
    ],
)
def test_a_misspelt_word_is_put_right(desk: dict[str, Document], cast: Cast, typed: str, meant: str) -> None:
    """By the words of what the audience may read, in the question's own form."""
    found = correct_spelling(typed, cast.audience(cast.bob))
    assert found.text == meant
    assert found.named == (desk["all"].edition,)


@pytest.mark.parametrize(
    "question",
    [
        "where may I park my bike",
        "who keeps the whitlock",
        "is there a wifi pasword",
        "qwzx vbnmk tyrfg",
        "hoist",
        "who repairs the foist",  # one letter from the hoist, and a word that a dictionary has
        "where does the vassal lie",
    ],
)
def test_what_the_documents_do_not_hold_stays(desk: dict[str, Document], cast: Cast, question: str) -> None:
    """A word in the documents, one that English knows, and one that resembles nothing stay."""
    assert correct_spelling(question, cast.audience(cast.bob)).text == question


def test_shorthand_is_not_misspelt(cast: Cast, fast: None) -> None:
    """ "Cant" would become "can", which asks the opposite."""
    make_document("Berths", "A member can moor here, and dons a vest.", roles=[cast.staff])
    for question in ("i cant moor here", "why dont i get a vest"):
        assert correct_spelling(question, cast.audience(cast.bob)).text == question


def test_a_question_of_usual_words_costs_no_query(
    desk: dict[str, Document], cast: Cast, django_assert_num_queries: Any
) -> None:
    """One with an unusual word costs one look into the index of words, another where no word is one slip away."""
    audience = cast.audience(cast.bob)
    with django_assert_num_queries(0):
        correct_spelling("how long may a boat stay at the harbour, and who decides", audience)


def test_only_what_may_be_read_puts_a_word_right(desk: dict[str, Document], cast: Cast) -> None:
    """ "Fumigation" is in Alice's page alone: for all others it is as if it were not."""
    question = "when is the fumigatoin"
    alice, bob, charlie = cast.alice, cast.bob, cast.charlie
    assert correct_spelling(question, cast.audience(alice)).text == "when is the fumigation"
    for audience in (cast.audience(bob), cast.audience(alice, bob), cast.audience(charlie), cast.audience(None)):
        assert correct_spelling(question, audience).text == question
        assert find_standing_words(["fumigation"], audience) == {}


def test_a_corrected_question_is_shown_to_those_who_may_read_the_word(desk: dict[str, Document], cast: Cast) -> None:
    """The document that holds it is kept with the question, as for a follow-up."""
    result = asking(cast, "alice")("when is the fumigatoin of the vessel")
    row = Query.objects.get(request_id=result.request_id)
    assert (row.question_text, result.asked) == (
        "when is the fumigatoin of the vessel",
        "when is the fumigation of the vessel",
    )
    assert row.named_documents == [desk["own"].pk]


@pytest.mark.parametrize("question", ["when is the fumigatoin of the vessel", "who signs the fumigatoin bill"])
def test_a_corrected_word_is_told(desk: dict[str, Document], cast: Cast, question: str) -> None:
    """Below an answer and in a refusal, above what comes closest; later to those alone who may read the word."""
    told = "I read “fumigatoin” as “fumigation”."
    result = asking(cast, "alice")(question)
    is_unsure = isinstance(result, Refusal) and result.reason is RefusalReason.UNSURE
    assert result.message.endswith(f"{told} {COME_CLOSEST}" if is_unsure else told)

    def look(audience: Audience) -> str:
        return stored_result(result.request_id, audience=audience, viewer=cast.alice.pk).message

    assert told in look(cast.audience(cast.alice))
    revoke(cast.owners, [desk["own"]], by=None)
    make_document("Pilots", "A pilot waits at the quay.", roles=[cast.staff])
    try:
        assert "fumigation" not in look(cast.audience(cast.alice))
    except NotFoundError:  # an answer from a document that is not to be read any more
        assert isinstance(result, Answer)


def test_a_word_of_the_same_meaning_finds_its_passage(cast: Cast, fast: None) -> None:
    """It weighs less than the word itself, and finds what shares no word with the question."""
    lift = make_document("Lifts", "Nobody rides in the lift with a vessel.", roles=[cast.staff])
    word = make_document("Elevator", "An elevator of grain stands at the quay.", roles=[cast.staff])
    audience = cast.audience(cast.bob)

    def found(also: tuple[str, ...]) -> dict[UUID, float]:
        with as_audience(audience):
            chunks = select_permitted_chunks(audience, Filters())
            scored = by_words(chunks, "elevator", permitted=2, limit=5, also=also).scores
            of = dict(chunks.values_list("pk", "document_id"))
        return {of[pk]: score for pk, score in scored.items()}

    assert set(found(())) == {word.pk}
    both = found(("lift",))
    assert set(both) == {lift.pk, word.pk}
    assert both[lift.pk] < both[word.pk]


def test_a_question_for_now_is_answered_from_the_newest_of_a_series(cast: Cast, ask_bob: Ask) -> None:
    """Passages of earlier minutes come after; with a date, or without "now", nothing is put before anything."""
    audience = cast.audience(cast.bob)

    def first(question: str) -> dt.date | None:
        understood = understand(question, given=Filters(), audience=audience, today=TODAY)
        searching = Searching(audience=audience, selection=None, timed=lambda step: nullcontext())
        passages = searching.all_aspects(understood, embedded=lambda: None).passages
        assert [passage.rank for passage in passages] == list(range(1, len(passages) + 1))
        return passages[0].document_date

    for question in ("what is the mooring fee set by the harbour board now", "current mooring fee euros harbour board"):
        assert first(question) == DECEMBER


def test_what_only_an_older_document_says_is_not_put_behind() -> None:
    """The newest of a series goes first where it is about as near to the question; pages without dates stay."""
    old, new = dt.date(2024, 1, 1), dt.date(2025, 1, 1)
    one, page = _passage(1, "Minutes of 2024", old, 0.7), _passage(3, "Page", None, 0.6)
    other = _passage(2, "Minutes of 2025", new, 0.6)
    assert [p.content for p in newest_of_each([one, other, page])] == ["2", "3", "1"]
    far = _passage(2, "Minutes of 2025", new, 0.3)
    assert [p.content for p in newest_of_each([one, far, page])] == ["1", "2", "3"]


def test_a_document_as_a_whole_is_known_by_its_title(cast: Cast, fast: None) -> None:
    """Only where one document that may be read has the words in its title: else it is a question like any other."""
    manual = make_document("Harbour Safety Manual", "Wear a vest.", "Keep clear of ropes.", roles=[cast.staff])
    make_document("Safety of boats", "Boats carry flares.", roles=[cast.staff])
    make_document("Safety Manual for Divers", "Divers wear a rope.", roles=[cast.owners])

    def searched(question: str, audience: Audience) -> tuple[str, UUID | None]:
        understood = understand(question, given=Filters(), audience=audience, today=TODAY)
        return understood.filters.source, understood.whole

    bob = cast.audience(cast.bob)
    assert searched("summarise the safety manual", bob) == (manual.title, manual.pk)
    assert searched("what is the harbour safety manual about?", bob) == (manual.title, manual.pk)
    assert searched("summarise the safety manual", cast.audience(cast.alice)) == ("", None)
    assert searched("summarise the manual for divers", bob) == ("", None)
    assert searched("summarise the safety of pilots", bob) == ("", None)
    assert searched("what do boats contain", bob) == ("", None)


def test_another_language_is_told(desk: dict[str, Document], cast: Cast) -> None:
    """Without a real model nothing is translated; the refusal says which language is searched in."""
    result = asking(cast, "bob")("wie viele tage darf ich hier bleiben?")
    assert isinstance(result, Refusal)
    assert NOT_ENGLISH in result.message
    english = asking(cast, "bob")("how many bicycles may I keep here?")
    assert isinstance(english, Refusal)
    assert NOT_ENGLISH not in english.message


def test_a_real_model_translates_the_question(desk: dict[str, Document], cast: Cast) -> None:
    """It is searched for and answered in English, and shown so."""
    sentence = "A vessel may stay on the mooring for ninety days."
    with script_model("How long may a vessel stay on the mooring?", answers((sentence, 1, sentence))) as script:
        result = asking(cast, "bob")("Wie lange darf ein Schiff an der Boje liegen?")
    assert isinstance(result, Answer), as_json(result)
    assert result.asked == "How long may a vessel stay on the mooring?"
    assert "Wie lange darf" in str(script.asked[0])


def test_a_translation_that_leads_elsewhere_is_refused(desk: dict[str, Document], cast: Cast) -> None:
    """A mention that nobody wrote is neither searched for nor shown: the question stays as it was typed."""
    typed = "Wie lange darf ein Schiff an der Boje liegen?"
    with script_model("How long may a vessel stay on the mooring of <!channel>?", answers()) as script:
        assert asking(cast, "bob")(typed).asked == typed
    assert "Wie lange darf" in str(script.asked[0])


def test_documents_of_that_language_are_searched_in_it(desk: dict[str, Document], cast: Cast) -> None:
    """If documents have half of the longer words, nothing is translated, and no refusal asks for it."""
    make_document("Boje", "Ein Schiff darf neunzig Tage an der Boje liegen.", roles=[cast.owners])
    question = "Wie lange darf ein Schiff an der Boje liegen?"
    with script_model(answers()) as script:
        assert asking(cast, "alice")(question).asked == question
    assert len(script.asked) == 1
    with script_model("How long may a ship stay at the buoy?", answers()):
        assert asking(cast, "bob")(question).asked == "How long may a ship stay at the buoy?"


@pytest.mark.parametrize("reply", ["", "x" * (query_rewriting.LONGEST + 1), "Wie lange darf ich hier bleiben?"])
def test_a_translation_that_is_none_is_not_used(desk: dict[str, Document], cast: Cast, reply: str) -> None:
    """The question is searched for as it is."""
    with script_model(reply, answers()):
        result = asking(cast, "bob")("Wie lange darf ein Schiff an der Boje liegen?")
    assert result.asked == "Wie lange darf ein Schiff an der Boje liegen?"


def test_an_answer_is_not_given_twice_without_a_word(desk: dict[str, Document], cast: Cast) -> None:
    """A further question that the same statements answer gets the reply that this is all; the same question is not."""
    ask_bob, conversation = asking(cast, "bob"), conversation_of(cast, "bob")
    question = "How long may a vessel stay on the mooring?"
    first = ask_bob(question, conversation=conversation)
    assert isinstance(first, Answer)
    assert first.message == ""
    further = ask_bob("For how long?", conversation=conversation)
    assert isinstance(further, Answer)
    assert further.text.splitlines()[0] == first.text.splitlines()[0]
    assert further.message == NOTHING_MORE


def _passage(rank: int, name: str, date: dt.date | None, similarity: float) -> Passage:
    return Passage(
        chunk_id=None,
        document_id=None,
        document_name=name,
        document_type="minutes" if date else "page",
        document_date=date,
        source_url="",
        page_number=None,
        chapter="",
        section="",
        content=str(rank),
        similarity=similarity,
        score=1.0,
        rank=rank,
    )


@pytest.mark.parametrize(
    ("question", "is_said"),
    [
        ("How many receipts are there in total?", True),
        ("how many hoists has the quarantine", True),
        ("Which colour has the quay?", False),
        ("How many nights in a row may visitors stay?", False),
    ],
)
def test_a_refusal_says_that_nothing_is_counted(
    desk: dict[str, Document], ask_bob: Ask, question: str, is_said: bool
) -> None:
    """By the question alone, whatever the documents hold."""
    result = ask_bob(question)
    assert isinstance(result, Refusal)
    assert (NOT_COUNTED in result.message) is is_said


def test_a_number_among_the_closest_is_not_said_to_be_uncounted(cast: Cast, fast: None) -> None:
    """The documents state it; Footnote is only not sure that it is the one."""
    make_document("Quay", "The quay has 14 berths for visitors.", roles=[cast.staff])
    make_document("Ropes", "Ropes are counted in the spring.", roles=[cast.staff])
    stated = asking(cast, "bob")("how many berths do pilots from abroad get at night")
    unstated = asking(cast, "bob")("how many ropes do pilots from abroad get at night")
    assert isinstance(stated, Refusal)
    assert isinstance(unstated, Refusal)
    assert (NOT_COUNTED in stated.message, NOT_COUNTED in unstated.message) == (False, True)


def test_words_for_a_kind_of_document_are_a_hint(cast: Cast, fast: None) -> None:
    """The paper that minutes tell of is no paper of the library, which has another one."""
    kinds = {"Ropes": Document.Type.PAPER, "Minutes of May": Document.Type.MINUTES}
    texts = {
        "Ropes": "A knot is tied by hand.",
        "Minutes of May": "The paper on moorings found that a mooring of steel lasts nine years.",
    }
    for title, text in texts.items():
        document = make_document(title, text, roles=[cast.staff])
        Document.objects.filter(pk=document.pk).update(document_type=kinds[title])
    result = ask(
        "What did the paper on moorings say of a mooring of steel?",
        audience=audience_of([cast.bob.pk]),
        asker=asker_for(cast.bob),
    )
    assert isinstance(result, Answer)
    assert "nine years" in result.text
    assert result.filters.document_type == ""
