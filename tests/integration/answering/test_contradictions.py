"""Documents that answer a question otherwise than the one that is cited, with the reader that is packaged."""

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, stored_result
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.statements import cite
from core.language.wording import describe_below
from core.llm.scripted import script_model
from core.models import Answer as AnswerRow
from core.models import Document
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer
from tests.integration.citing import cite_only

OLD, NEW = dt.date(2023, 4, 3), dt.date(2026, 2, 9)
ASK_BERTH = "What does a berth cost per night?"
BERTH_24 = "A berth costs 24 euros per night, with water and electricity. Pay at the desk."
BERTH_31 = "One night at a berth costs 31 euros."


@pytest.fixture(autouse=True)
def _with_reader(cast: Cast, settings: Settings) -> None:
    """The real reader, which has all the time that it needs."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000


def pages(cast: Cast, *texts: tuple[str, str, dt.date | None]) -> list[Document]:
    return [make_document(name, text, roles=[cast.staff], document_date=date) for name, text, date in texts]


def asked(cast: Cast, question: str, *, user: str = "bob") -> Answer:
    person = getattr(cast, user)
    result = ask(question, audience=audience_of([person.pk]), asker=asker_for(person))
    assert isinstance(result, Answer), result
    return result


# A question, and what two documents say of it: the values differ.
DIFFERENT = [
    pytest.param(
        "How many days of annual leave do I get?",
        "Each employee gets 25 days of annual leave a year.",
        "Staff are entitled to 28 days of annual leave per year.",
        id="days",
    ),
    pytest.param(
        "When does the boat shed open?",
        "The boat shed opens at 7:30 in the morning.",
        "Every morning the boat shed opens at 9 am.",
        id="times",
    ),
    pytest.param(
        "What does a berth cost per night?",
        "A berth costs 24 euros per night, with water and electricity.",
        "The price of a berth is €31 per night.",
        id="prices",
    ),
    pytest.param(
        "When is the grant application due?",
        "The grant application is due on 14 May.",
        "The grant application has to be handed in; it is due on 2 June.",
        id="dates",
    ),
    pytest.param(
        "What discount do members get?",
        "Members get a discount of 10 percent on all courses.",
        "The discount for members is 15%.",
        id="shares",
    ),
    pytest.param(
        "What is the phone number of the harbour office?",
        "The phone number of the harbour office is 0431 555 7120.",
        "You can reach the harbour office by phone at 0431 555 8899.",
        id="telephones",
    ),
    pytest.param(
        "How many people may be in the sauna?",
        "At most six people may be in the sauna at once.",
        "Up to eight people may be in the sauna.",
        id="counts",
    ),
    pytest.param(
        "How long are invoices kept?",
        "Invoices are kept for ten years in the archive.",
        "Accounting keeps invoices for 7 years.",
        id="years",
    ),
]


@pytest.mark.parametrize(("question", "one", "other"), DIFFERENT)
def test_another_value_of_the_same_kind_contradicts(cast: Cast, question: str, one: str, other: str) -> None:
    """It is found whichever of the two is the newer one, and the sentence below the answer names it."""
    pages(cast, ("Welcome guide", one, OLD), ("House rules", other, NEW))
    result = asked(cast, question)
    told = result.contradiction
    assert told is not None
    cited = next(each for each in result.citations if each.edition == told.cited)
    name = told.by.document_name
    assert {cited.document_name, name} == {"Welcome guide", "House rules"}
    which, on = ("A newer", "9 February 2026") if name == "House rules" else ("An older", "3 April 2023")
    assert f"{which} document says otherwise: “{name}” of {on} has “" in describe_below(result)


# A question, what two documents say, and what these are called: nothing of it contradicts.
NOT_DIFFERENT = [
    pytest.param(
        (
            "How many days of parental leave do I get?",
            "Each employee gets 20 days of parental leave.",
            "Each employee gets 10 days of study leave.",
        ),
        id="another kind of leave",
    ),
    pytest.param(
        (
            "What does a berth cost per night?",
            "A berth costs 24 euros per night.",
            "A mooring buoy costs 12 euros per night.",
        ),
        id="another thing",
    ),
    pytest.param(
        (
            "When does the boat shed open?",
            "The boat shed opens at 7:30.",
            "The boat shed closes at 18:30.",
        ),
        id="another event",
    ),
    pytest.param(
        (
            "How many days of annual leave do I get?",
            "Staff get 25 days of annual leave.",
            "Staff in Rostock get 28 days of annual leave.",
        ),
        id="a place",
    ),
    pytest.param(
        (
            "How many days of annual leave do I get?",
            "Staff get 25 days of annual leave.",
            "Staff get 28 days of annual leave.",
            "Nordhafen handbook",
            "Suedhafen handbook",
        ),
        id="companies in titles",
    ),
    pytest.param(
        (
            "How many days of annual leave do I get?",
            "In 2024 everybody gets 25 days of annual leave.",
            "In 2026 everybody gets 28 days of annual leave.",
        ),
        id="years in sentences",
    ),
    pytest.param(
        (
            "What is the budget for training?",
            "The budget for training is 40,000 euros.",
            "The budget for training is 55,000 euros.",
            "Budget 2025",
            "Budget 2026",
        ),
        id="years in titles",
    ),
    pytest.param(
        (
            "How many people came to the open day?",
            "340 people came to the open day.",
            "410 people came to the open day.",
            "Newsletter May",
            "Newsletter June",
        ),
        id="a series",
    ),
    pytest.param(
        (
            "How many days of annual leave do I get?",
            "Staff get 25 days of annual leave.",
            "Apprentices get 30 days of annual leave.",
        ),
        id="another role",
    ),
    pytest.param(
        (
            "How many days of annual leave do I get?",
            "Staff get 25 days of annual leave.",
            "Grade 7 staff get 30 days of annual leave.",
        ),
        id="a grade",
    ),
    pytest.param(
        (
            "When does the boat shed open?",
            "The boat shed opens at 7:30 am.",
            "The boat shed opens at half past seven, that is 7.30 a.m.",
        ),
        id="the same time",
    ),
    pytest.param(
        (
            "How many people may be in the sauna?",
            "At most six people may be in the sauna.",
            "Up to 6 people may be in the sauna.",
        ),
        id="the same count",
    ),
    pytest.param(
        (
            "How many days of annual leave do I get?",
            "Staff get 25 days of annual leave. After ten years it is 28 days.",
            "Who has been here for ten years gets 28 days of annual leave.",
        ),
        id="the other has it too",
    ),
    pytest.param(
        (
            "How long may a boat stay at the pier?",
            "A boat has to stay at the pier for at least 2 hours.",
            "A boat may stay at the pier for up to 48 hours.",
        ),
        id="least and most",
    ),
    pytest.param(
        (
            "How long is the warranty?",
            "The warranty is two years.",
            "The warranty is 24 months.",
        ),
        id="another unit",
    ),
    pytest.param(
        (
            "What does the ferry ticket cost?",
            "The ferry ticket costs 8 euros.",
            "Children pay 4 euros for the ferry ticket.",
        ),
        id="a special price",
    ),
    pytest.param(
        (
            "What is the deposit for a locker?",
            "The deposit for a locker is 15 euros.",
            "The deposit for a key is 20 euros. Lockers are in the hall.",
        ),
        id="another deposit",
    ),
]


def every_order() -> Iterator[Any]:
    """Yield each case in both orders. One of them is slow: of two that follow each other, one is tried in each."""
    for number, case in enumerate(NOT_DIFFERENT):
        for is_turned in (False, True):
            marks = () if is_turned == bool(number % 2) else pytest.mark.slow
            yield pytest.param(*case.values, is_turned, id=f"{case.id}-{is_turned}", marks=marks)


@pytest.mark.parametrize(("case", "is_turned"), list(every_order()))
def test_what_speaks_of_something_else_contradicts_nothing(cast: Cast, case: Sequence[str], is_turned: bool) -> None:
    """Another year, place, role or thing, the same value in another form, or one that the other document has too."""
    question, *texts = case[:3]
    names = list(case[3:] or ("Welcome guide", "House rules"))
    ordered = list(zip(names, texts, strict=True))[:: -1 if is_turned else 1]
    pages(cast, *((name, text, date) for (name, text), date in zip(ordered, (OLD, NEW), strict=True)))
    person = cast.bob
    result = ask(question, audience=audience_of([person.pk]), asker=asker_for(person))
    assert getattr(result, "contradiction", None) is None


@pytest.mark.parametrize("kind", ["minutes", "statement", "report", "paper"])
def test_what_tells_of_one_time_contradicts_nothing(cast: Cast, kind: str) -> None:
    """Figures of meetings and studies are different ones."""
    make_document("Welcome guide", BERTH_24, roles=[cast.staff], document_date=OLD)
    make_document("House rules", BERTH_31, roles=[cast.staff], document_date=NEW, document_type=kind)
    assert asked(cast, ASK_BERTH).contradiction is None


def test_undated_documents_are_neither_older_nor_newer(cast: Cast) -> None:
    """The sentence says no more than that there is another one; of two that are both cited, that they differ."""
    pages(cast, ("Welcome guide", BERTH_24, None), ("House rules", BERTH_31, NEW))
    result = asked(cast, ASK_BERTH)
    assert result.contradiction is not None
    by = result.contradiction.by
    cited_too = cite(FoundQuote(passage=by, start=0, end=len(by.content)), number=9)
    both = replace(result, citations=(*result.citations, cited_too))
    assert describe_below(both) == "“House rules” and “Welcome guide” contradict each other here."
    one = replace(result, citations=tuple(each for each in result.citations if each.edition != by.edition))
    price = "31 euros" if by.document_name == "House rules" else "24 euros"
    assert describe_below(one) == f"Another document says otherwise: “{by.document_name}” has “{price}”."


class TestRights:
    """Only readers of the other document learn that there is one."""

    def test_what_an_asker_may_not_read_is_not_there(self, cast: Cast) -> None:
        """Their answer is the one that they would get without it; Alice's tells of it."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        before = asked(cast, ASK_BERTH)
        make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        after = asked(cast, ASK_BERTH)
        assert after.contradiction is None
        assert (after.text, as_json(after)["message"]) == (before.text, as_json(before)["message"])
        told = asked(cast, ASK_BERTH, user="alice").contradiction
        assert told is not None

    def test_an_audience_is_told_what_all_of_it_may_read(self, cast: Cast) -> None:
        """Alice asks where Bob reads along."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        both = audience_of([cast.alice.pk, cast.bob.pk])
        result = ask(ASK_BERTH, audience=both, asker=asker_for(cast.alice))
        assert isinstance(result, Answer)
        assert result.contradiction is None
        assert AnswerRow.objects.get().contradiction is None

    def test_a_stored_answer_tells_each_viewer_what_they_may_read(self, cast: Cast) -> None:
        """Alice is told, who reads both; Bob and an audience with him see the answer without it."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        given = ask_for_berth_citing("Welcome guide", cast)
        seen = {who: stored_result(given, audience=audience_of(readers)) for who, readers in readers_of(cast).items()}
        told = {who: "House rules" in json.dumps(as_json(result)) for who, result in seen.items()}
        assert told == {"alice": True, "bob": False, "both": False}
        assert "31" not in json.dumps([as_json(seen["bob"])["message"], as_json(seen["both"])["message"]])

    def test_a_right_that_is_gone_takes_the_sentence_with_it(self, cast: Cast) -> None:
        """The answer stays."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        other = make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        given = ask_for_berth_citing("Welcome guide", cast)
        alice = audience_of([cast.alice.pk])
        assert describe_below(stored_result(given, audience=alice)) != ""
        revoke(role=cast.owners, documents=[other], by=None)
        assert describe_below(stored_result(given, audience=alice)) == ""

    def test_another_edition_is_not_what_was_read(self, cast: Cast) -> None:
        """It may say the same by now."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        other = make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        given = ask_for_berth_citing("Welcome guide", cast)
        Document.objects.filter(pk=other.pk).update(version=2)
        assert describe_below(stored_result(given, audience=audience_of([cast.alice.pk]))) == ""

    def test_no_word_of_the_other_document_is_kept_with_the_answer(self, cast: Cast) -> None:
        """Ids and places alone."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        ask_for_berth_citing("Welcome guide", cast)
        row = AnswerRow.objects.get()
        assert set(row.contradiction) == {"cited", "quoted", "other", "chunk", "says"}
        assert "31" not in json.dumps(row.contradiction["quoted"])
        assert row.message == ""


def readers_of(cast: Cast) -> dict[str, list[UUID]]:
    return {"alice": [cast.alice.pk], "bob": [cast.bob.pk], "both": [cast.alice.pk, cast.bob.pk]}


def ask_for_berth_citing(name: str, cast: Cast) -> str:
    """Ask as Alice, and have a model cite one document alone; returns its request id."""
    with script_model(cite_only(name)):
        result = ask(ASK_BERTH, audience=audience_of([cast.alice.pk]), asker=asker_for(cast.alice))
    assert isinstance(result, Answer)
    assert result.contradiction is not None
    assert {one.document_name for one in result.citations} == {name}
    return result.request_id


@pytest.mark.parametrize("reader", ["none"])
def test_without_a_reader_nothing_is_said(cast: Cast, settings: Settings, reader: str) -> None:
    """Nobody has read that both answer."""
    settings.READER = reader
    pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", BERTH_31, NEW))
    result = ask(ASK_BERTH, audience=audience_of([cast.bob.pk]), asker=asker_for(cast.bob))
    assert getattr(result, "contradiction", None) is None


def test_a_question_about_a_selected_text_is_answered_from_that_alone(cast: Cast) -> None:
    """Of documents nothing is said."""
    pages(cast, ("House rules", BERTH_31, NEW))
    result = ask(ASK_BERTH, audience=audience_of([cast.bob.pk]), asker=asker_for(cast.bob), selected_text=BERTH_24)
    assert getattr(result, "contradiction", None) is None
