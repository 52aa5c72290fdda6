"""A document as a whole: gone through part by part, for those who may read it and for nobody else."""

import datetime as dt
from typing import Any

import pytest

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, replay
from core.asking.answering.understanding import understand
from core.asking.confidence.judgement import SURE_OF_NAME
from core.library import embedding
from core.library.retrieval.outline import outline
from core.llm.scripted import answers, script_model
from core.models import Chunk, Document, QueryLog, User
from core.models.row_security import bypass_row_security
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer, Audience, Filters, Refusal, RefusalReason

TODAY = dt.date(2026, 3, 15)
ASKED = "Summarise the pilot manual"
PARTS = {
    "": "This manual is for everyone who guides ships into the harbour. It is renewed each year.",
    "Tides": "A ship waits when the tide is out. It waits at the buoy.",
    "Fog > Horns": "The horn sounds twice a minute.",
    "Fog > Lights": "The lights are green.",
    "Charts": "Thing | Scale\n--- | ---\nChart | 1:500\n\nA chart is drawn anew every tenth year.",
    "Working alone": "Nobody works alone in the tower.",
}
OVERVIEW = [
    "This manual is for everyone who guides ships into the harbour. [1]",
    "Tides: A ship waits when the tide is out. [2]",
    "Fog: The horn sounds twice a minute. [3]",
    "Charts: A chart is drawn anew every tenth year. [4]",
    "Nobody works alone in the tower. [5]",  # its heading would not stand before it
]


def make_manual(title: str, *roles: Any, **options: Any) -> Document:
    """A document with a chunk in each of its sections."""
    document = make_document(title, *PARTS.values(), roles=roles, **options)
    with bypass_row_security():
        for index, section in enumerate(PARTS):
            Chunk.objects.filter(document=document, chunk_index=index).update(section_title=section)
    return document


@pytest.fixture
def manual(cast: Cast, fast: None) -> Document:
    """For Alice alone; Bob may read something else about ships."""
    make_document("Canteen rules", "The canteen closes when the last ship has left the harbour.", roles=[cast.staff])
    return make_manual("Harbour pilot manual", cast.owners)


def asked(question: str, *readers: User, **options: Any) -> Answer | Refusal:
    """Ask as the first of the readers, where all of them read the answer."""
    audience = audience_of([reader.pk for reader in readers])
    return ask(question, asker=asker_for(readers[0]), audience=audience, **options)


def told(result: Answer | Refusal) -> dict[str, Any]:
    """All that a person hears, without what differs from one question to the next."""
    changing = {"request_id", "query_id", "conversation_id", "trace_id", "processing_time_ms", "timings_ms", "asked"}
    return {name: value for name, value in as_json(result).items() if name not in changing}


@pytest.mark.parametrize("question", ["summarise the circular of April 2024", "what's in the newsletter of april 2024"])
def test_a_month_may_name_it(question: str, cast: Cast, fast: None) -> None:
    """For those who may read it: a month and a word for a kind of document name the only one of that month."""
    make_manual("Notice to pilots", cast.owners, document_date=dt.date(2024, 4, 7))
    make_document("Canteen rules", "The canteen closes at noon.", roles=[cast.staff], document_date=dt.date(2024, 3, 7))
    result = asked(question, cast.alice)
    assert isinstance(result, Answer)
    assert result.text.split("\n") == OVERVIEW
    assert isinstance(asked(question, cast.alice, cast.bob), Refusal)


@pytest.mark.parametrize(
    "question",
    [ASKED, "what is the harbour pilot manual about?", "overview of the pilot rules", "tell me about the pilot guide"],
)
def test_it_is_gone_through_in_its_order(question: str, manual: Document, cast: Cast) -> None:
    """A line for each part, from its own first chunk, and the reply names the only document searched."""
    result = asked(question, cast.alice)
    assert isinstance(result, Answer)
    assert result.text.splitlines() == OVERVIEW
    assert [citation.section for citation in result.citations] == [
        "",
        "Tides",
        "Fog > Horns",
        "Charts",
        "Working alone",
    ]
    assert {citation.document_id for citation in result.citations} == {manual.pk}
    assert result.filters.source == manual.title
    assert result.confidence >= SURE_OF_NAME
    assert QueryLog.objects.get(request_id=result.request_id).retrieval_strategy == "outline"


@pytest.mark.parametrize("question", ["summarise arXiv 2212.11772", "Which paper has the arXiv id 2212.11772?"])
def test_a_paper_asked_for_by_its_id_is_gone_through(question: str, cast: Cast, fast: None) -> None:
    """The question need not have its title."""
    paper = make_manual("How pilots read the tide", cast.owners)
    with bypass_row_security():
        Document.objects.filter(pk=paper.pk).update(source_url="https://arxiv.org/abs/2212.11772")
    result = asked(question, cast.alice)
    assert isinstance(result, Answer)
    assert result.text.splitlines() == OVERVIEW
    assert {citation.document_id for citation in result.citations} == {paper.pk}


def test_who_may_not_read_it_is_told_what_is_told_where_there_is_none(manual: Document, cast: Cast) -> None:
    """Bob alone, and Alice where Bob reads along: the same words and figures as without the document."""
    readers = ((cast.bob,), (cast.charlie,), (cast.alice, cast.bob), (cast.alice, cast.charlie))
    there = [told(asked(ASKED, *who)) for who in readers]
    manual.delete()
    assert there == [told(asked(ASKED, *who)) for who in readers]
    assert "tide" not in str(there)
    assert all(isinstance(asked(ASKED, *who), Refusal) for who in readers)


def test_a_name_that_no_document_has_is_a_question_like_any_other(manual: Document, cast: Cast) -> None:
    """The frame of the question alone makes no overview."""
    result = asked("Summarise the parking rules", cast.alice)
    assert isinstance(result, Refusal)
    assert result.reason in {RefusalReason.NOTHING_FOUND, RefusalReason.UNSURE}
    assert QueryLog.objects.get(request_id=result.request_id).retrieval_strategy != "outline"


def parts_for(document: Document, audience: Audience, **given: Any) -> list[str]:
    """The parts that an audience is given of a document, whoever asked for it."""
    vector = embedding.provider().embed([ASKED])[0]
    found = outline(document.pk, vector, audience=audience, filters=Filters(**given), limit=12)
    return [passage.opens for passage in found.passages]


def test_the_parts_are_read_under_the_rule_of_access(manual: Document, cast: Cast) -> None:
    """Whatever was understood before: a grant that is gone by then gives nothing, and filters leave out the rest."""
    alice = cast.audience(cast.alice)
    assert parts_for(manual, alice) == [manual.title, "Tides", "Fog", "Charts", "Working alone"]
    assert parts_for(manual, alice, section="Fog") == ["Horns", "Lights"]
    assert parts_for(manual, alice, document_type="minutes") == []
    for others in (cast.audience(cast.bob), cast.audience(cast.alice, cast.bob), cast.audience(None), audience_of([])):
        assert parts_for(manual, others) == []
    revoke(cast.owners, [manual], by=None)
    assert parts_for(manual, alice) == []


def found_by(question: str, cast: Cast, **given: Any) -> Document | None:
    """The document that Alice asks about as a whole."""
    understood = understand(question, given=Filters(**given), audience=cast.audience(cast.alice), today=TODAY)
    return Document.objects.filter(pk=understood.whole).first()


def test_of_two_editions_the_newer_and_of_two_documents_none(manual: Document, cast: Cast) -> None:
    """A filter, a date or a type may leave one of them."""
    minutes = [
        make_manual(
            "Pilot board",
            cast.owners,
            collection=f"Board {month}",
            document_type="minutes",
            document_date=dt.date(2024, month, 20),
        )
        for month in (3, 6)
    ]
    assert found_by("summarise the pilot board minutes", cast) == minutes[1]
    assert found_by("summarise the pilot board report", cast) is None
    assert found_by("summarise the minutes of March 2024", cast) == minutes[0]
    assert found_by("summarise the latest minutes", cast) == minutes[1]
    assert found_by("summarise the pilot rules", cast) is None
    assert found_by("summarise the rules", cast) is None
    assert found_by("summarise the rules", cast, source="harbour pilot") == manual
    assert found_by("summarise the lot rules", cast) is None  # a piece of "pilot"


def test_a_document_that_is_called_just_so_goes_before_others(cast: Cast, fast: None) -> None:
    """Of two titles with the words, the one that has no others is meant."""
    named = make_document("Travel policy", "A room costs at most 160.", roles=[cast.staff])
    make_document("Handbook: expenses and travel policy", "Meals cost at most 40.", roles=[cast.staff])
    assert found_by("summarise the travel policy", cast) == named
    assert found_by("what is the travel policy about?", cast) == named
    assert found_by("summarise the travel rules", cast) is None


def test_a_real_model_is_shown_the_whole_document(manual: Document, cast: Cast) -> None:
    """The first passage of each part, in order, each said to be one."""
    lead = "A ship waits when the tide is out."
    with script_model(answers((lead, 2, lead))) as script:
        result = asked(ASKED, cast.alice)
    assert isinstance(result, Answer)
    assert result.text == f"{lead} [1]"
    shown = str(script.asked[0][-1]["content"])
    places = [
        shown.index(f'opens="{heading}"') for heading in (manual.title, "Tides", "Fog", "Charts", "Working alone")
    ]
    assert places == sorted(places)
    assert "The lights are green" not in shown


def test_a_given_text_is_no_document_of_the_library(manual: Document, cast: Cast) -> None:
    """It alone is looked at, whatever it is called."""
    result = asked(ASKED, cast.alice, selected_text="The pilot manual is kept in the tower.")
    assert {citation.document_id for citation in getattr(result, "citations", ())} <= {None}


def test_a_replay_comes_to_the_same(manual: Document, cast: Cast) -> None:
    """The passages of then still say which parts they open."""
    assert replay(asked(ASKED, cast.alice).request_id).differing == ()
