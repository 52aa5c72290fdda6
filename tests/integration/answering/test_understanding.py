"""Filters and searches that a question names."""

import datetime as dt

import pytest

from core.api import stored_result
from core.asking.answering.understanding import understand
from core.models import Document, Query
from core.serialization import as_json
from core.testing import Cast
from core.types import Answer, Filters, Refusal
from tests.integration.answering.conftest import DECEMBER, JUNE, MARCH, Ask

TODAY = dt.date(2026, 3, 15)
FIRST, LAST = dt.date(2024, 1, 1), dt.date(2024, 12, 31)


def names_of(result: Answer | Refusal) -> set[str]:
    """The documents that were searched for the answer."""
    pks = {retrieved.document_id for retrieved in result.retrieved}
    return set(Document.objects.filter(pk__in=pks).values_list("title", flat=True))


def test_a_filter_in_the_question_is_applied_and_told(ask_bob: Ask) -> None:
    """Only the minutes of June are searched; the result and the stored question say so."""
    result = ask_bob("What did the harbour board decide about the mooring fee in the June 2024 minutes?")
    assert isinstance(result, Answer)
    assert "12 euros" in result.text
    assert names_of(result) == {f"Harbour board minutes {JUNE}"}
    applied = Filters(document_type="minutes", date_from=dt.date(2024, 6, 1), date_to=dt.date(2024, 6, 30))
    assert result.filters == applied
    assert as_json(result)["filters"] == {
        "document_type": "minutes",
        "date_from": "2024-06-01",
        "date_to": "2024-06-30",
        "max_results": 5,
    }
    row = Query.objects.get(request_id=result.request_id)
    assert (row.filters, row.applied_filters) == ({"max_results": 5}, as_json(result)["filters"])


def test_since_a_month(ask_bob: Ask) -> None:
    """An open stretch leaves out what is older."""
    result = ask_bob("What has the harbour board decided on the mooring fee since June 2024?")
    assert names_of(result) == {f"Harbour board minutes {date}" for date in (JUNE, DECEMBER)}


def test_a_given_filter_always_wins(ask_bob: Ask) -> None:
    """Dates that were given are kept, whatever the question names; what was not given may still be understood."""
    given = Filters(date_from=MARCH, date_to=MARCH)
    result = ask_bob("What did the board decide about the fee in the June 2024 minutes?", filters=given)
    assert names_of(result) == {f"Harbour board minutes {MARCH}"}
    assert result.filters == Filters(document_type="minutes", date_from=MARCH, date_to=MARCH)


def test_a_filter_that_leaves_nothing_is_as_if_it_were_not_there(cast: Cast, ask_bob: Ask) -> None:
    """Neither minutes of another year, nor statements that only Alice may read, narrow what Bob asks."""
    for question in ("What happened in 1066?", "What did the statement of January 2025 say about the mooring fee?"):
        understood = understand(question, given=Filters(), audience=cast.audience(cast.bob), today=TODAY)
        assert understood.filters == Filters(), question
        assert [search.filters for search in understood.sub_queries] == [Filters()], question
    no_such_year = "What do the 1999 minutes say about the mooring fee?"
    understood = understand(no_such_year, given=Filters(), audience=cast.audience(cast.bob), today=TODAY)
    assert understood.filters == Filters(document_type="minutes")


def test_alice_for_whom_there_is_a_statement_gets_it(ask_alice: Ask) -> None:
    """The same words narrow what she asks."""
    result = ask_alice("What did the statement of January 2025 say about the mooring fee?")
    assert names_of(result) == {"Harbour board statement"}
    assert result.filters.document_type == "statement"


def test_a_month_without_a_sign_of_documents_comes_first_and_not_alone(ask_bob: Ask) -> None:
    """It is no filter: passages of that month come before the others."""
    result = ask_bob("Who voted against the decision on the mooring fee in December 2024?")
    assert result.filters == Filters()
    ranked = [Document.objects.get(pk=r.document_id).document_date for r in result.retrieved]
    assert ranked[0] == DECEMBER
    assert len(set(ranked)) > 1
    assert isinstance(result, Answer)
    assert "Erik Falk" in result.text


def test_both_sides_of_a_change_are_searched(ask_bob: Ask) -> None:
    """Neither of the dates is crowded out, and there is room for both."""
    result = ask_bob("How did the mooring fee change between March 2024 and December 2024?")
    ranked = [Document.objects.get(pk=r.document_id).document_date for r in result.retrieved]
    assert ranked[:2] == [MARCH, DECEMBER]
    assert len(result.retrieved) > Filters().max_results


def test_a_broad_question_hears_every_document(ask_bob: Ask) -> None:
    """One passage of each comes before the second of any."""
    result = ask_bob("What do the minutes say about the mooring fee?")
    ranked = [Document.objects.get(pk=r.document_id).document_date for r in result.retrieved]
    assert sorted(ranked[:3]) == [MARCH, JUNE, DECEMBER]
    assert result.filters == Filters(document_type="minutes")


def test_the_latest_is_the_newest_that_the_audience_may_read(cast: Cast, ask_bob: Ask) -> None:
    """For Bob the meeting of December, for Alice the statement after it."""
    question = "What did the harbour board say about the mooring fee at the latest meeting?"
    newest = {}
    for person in (cast.alice, cast.bob):
        understood = understand(question, given=Filters(), audience=cast.audience(person), today=TODAY)
        newest[person.display_name] = (understood.filters.date_from, understood.filters.date_to)
    assert newest == {"Alice": (dt.date(2025, 1, 15),) * 2, "Bob": (DECEMBER, DECEMBER)}


def test_a_month_without_its_year(ask_bob: Ask) -> None:
    """All documents are of one year, and it is that year."""
    result = ask_bob("What did the June minutes say about the mooring fee?")
    assert (result.filters.date_from, result.filters.date_to) == (dt.date(2024, 6, 1), dt.date(2024, 6, 30))


def test_the_date_of_a_joined_question_narrows_it_alone(cast: Cast, ask_bob: Ask) -> None:
    """Another question beside it, and both together, are looked for at all times."""
    question = "What was the mooring fee in June 2024, and who keeps the pier?"
    understood = understand(question, given=Filters(), audience=cast.audience(cast.bob), today=TODAY)
    june = Filters(date_from=dt.date(2024, 6, 1), date_to=dt.date(2024, 6, 30))
    assert [(search.query, search.filters) for search in understood.sub_queries] == [
        ("What was the mooring fee in June 2024", june),
        ("who keeps the pier", Filters()),
        (question, Filters()),
    ]


@pytest.mark.parametrize("question", ["When does the canteen open?", "What is the mooring fee in 2030?"])
def test_a_plain_question_is_one_search(cast: Cast, ask_bob: Ask, question: str) -> None:
    """With the words and filters as they are."""
    understood = understand(question, given=Filters(), audience=cast.audience(cast.bob), today=TODAY)
    assert [(search.query, search.filters) for search in understood.sub_queries] == [(question, Filters())]
    assert understood.limit == 5


def test_a_stored_result_tells_its_filters_to_whom_they_would_apply(cast: Cast, ask_alice: Ask) -> None:
    """To somebody who may read nothing that they leave, those given with the question."""
    result = ask_alice("Which walrus does the statement of January 2025 mention?")
    assert isinstance(result, Refusal)
    assert result.filters.document_type == "statement"
    told = {
        person.display_name: stored_result(result.request_id, audience=cast.audience(person)).filters.document_type
        for person in (cast.alice, cast.bob)
    }
    assert told == {"Alice": "statement", "Bob": ""}
