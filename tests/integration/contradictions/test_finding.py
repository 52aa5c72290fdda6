"""Pairs of documents that answer one question differently, found with the reader that is packaged."""

import datetime as dt
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import Permission
from pytest_django import Settings

from core.errors import StoppedError
from core.llm.stopping import stoppable
from core.models import Document
from core.quality.contradictions.finding import Pair, Side, find_pairs
from core.quality.contradictions.looking import look_soon
from core.testing import Cast, make_document
from tests.integration.contradictions.pairs import list_for

OLD, NEW = dt.date(2023, 4, 3), dt.date(2026, 2, 9)
BERTH_24 = "A berth costs 24 euros per night, with water and electricity. Pay at the desk."
BERTH_31 = "One night at a berth costs 31 euros."


@pytest.fixture(autouse=True)
def _with_reader(settings: Settings) -> None:
    """The real reader."""
    settings.READER = ""


def pages(cast: Cast, one: str, other: str, names: Sequence[str] = ("Welcome guide", "House rules")) -> list[Document]:
    return [
        make_document(name, text, roles=[cast.staff], document_date=date)
        for name, text, date in zip(names, (one, other), (OLD, NEW), strict=True)
    ]


def found(documents: Sequence[Document], *, most: int = 10) -> list[Pair]:
    return list(find_pairs([document.pk for document in documents], most=most))


def said(side: Side) -> str:
    return side.passage.content[slice(*side.says)]


# What two documents say of one thing, and the words in which they differ.
DIFFERENT = [
    pytest.param(
        "Each employee gets 25 days of annual leave a year.",
        "Staff are entitled to 28 days of annual leave per year.",
        ("25 days", "28 days"),
        id="days",
    ),
    pytest.param(BERTH_24, BERTH_31, ("24 euros", "31 euros"), id="prices"),
    pytest.param(
        "The boat shed opens at 7:30 in the morning.",
        "Every morning the boat shed opens at 9 am.",
        ("7:30", "9 am"),
        id="times",
    ),
    pytest.param(
        "The phone number of the harbour office is 0431 555 7120.",
        "You can reach the harbour office by phone at 0431 555 8899.",
        ("0431 555 7120", "0431 555 8899"),
        id="telephones",
    ),
    pytest.param(
        "Invoices are to be sent to invoices@harbour.example.",
        "Send your invoices to accounts@harbour.example, please.",
        ("invoices@harbour.example", "accounts@harbour.example"),
        id="addresses",
    ),
    pytest.param(
        "The safety officer is Hanna Oduya.",
        "Our safety officer is Colin Prewett.",
        ("Hanna Oduya", "Colin Prewett"),
        id="people",
    ),
    pytest.param(
        "The siren is tested every Tuesday at noon.",
        "The siren is tested each Thursday at noon.",
        ("Tuesday", "Thursday"),
        id="weekdays",
    ),
    pytest.param(
        "| Room | Seats |\n|---|---|\n| Heron | 12 |\n| Curlew | 8 |",
        "The Heron room seats 16 people.",
        ("12", "16"),
        id="a cell",
    ),
    pytest.param(
        "Dogs are not allowed in the offices.",
        "Dogs are allowed in the offices on a lead.",
        ("are not allowed", "allowed"),
        id="what is allowed",
    ),
    pytest.param(
        "Volunteers need a first-aid certificate.",
        "No first-aid certificate is needed for volunteers.",
        ("need", "No first-aid certificate is needed"),
        id="what is needed",
    ),
]


@pytest.mark.parametrize(("one", "other", "differ"), DIFFERENT)
def test_two_documents_that_answer_differently_are_a_pair(
    cast: Cast, one: str, other: str, differ: tuple[str, str]
) -> None:
    """It is found from either side, once, the newer document first, with the words that say it."""
    documents = pages(cast, one, other)
    for asked in (documents, documents[:1], documents[1:]):
        [pair] = found(asked)
        assert (pair.older.passage.document_name, pair.newer.passage.document_name) == ("Welcome guide", "House rules")
        assert tuple(said(side).rstrip(".") for side in (pair.older, pair.newer)) == differ
        assert all(side.start <= side.says[0] < side.says[1] <= side.end for side in (pair.older, pair.newer))


# What two documents say, and what these are called: nothing of it contradicts.
NOT_DIFFERENT = [
    pytest.param(
        ("It is proposed to raise the berth fee to 31 euros a night.", "The berth fee is 24 euros a night."),
        id="a proposal",
    ),
    pytest.param(
        ("The berth fee is 24 euros a night before VAT.", "The berth fee is 28.56 euros a night including VAT."),
        id="tax",
    ),
    pytest.param(
        ("At the drill in May the shed was empty after 7 minutes.", "The shed must be empty within 5 minutes."),
        id="what was",
    ),
    pytest.param(
        ("Adopted by the general meeting of 23 May 2024.", "Adopted by the general meeting of 14 March 2023."),
        id="when a document was adopted",
    ),
    pytest.param(
        ("In the chair: Agnes Tolliver.", "Chair: Hanna Oduya.", "Minutes of May", "Minutes of the annual meeting"),
        id="minutes by name",
    ),
    pytest.param(
        ("The harbour has about 200 members.", "The harbour has 204 members."),
        id="rounded",
    ),
    pytest.param(
        ("The notice period in probation is one week.", "After probation the notice period is four weeks."),
        id="at another time",
    ),
    pytest.param(
        ("The berth fee is 24 euros a night for members.", "The berth fee is 31 euros a night."),
        id="another class of people",
    ),
    pytest.param(
        (BERTH_24, BERTH_31, "Nordhafen handbook", "Suedhafen handbook"),
        id="places in titles",
    ),
    pytest.param((BERTH_24, BERTH_31, "Prices 2024", "Prices 2026"), id="years in titles"),
    pytest.param(
        ("These terms are no longer in force. " + BERTH_24, BERTH_31, "Old terms", "House rules"),
        id="no longer in force",
    ),
    pytest.param(
        (BERTH_24, "These terms replace the earlier ones. " + BERTH_31, "Berth terms", "New berth terms"),
        id="one replaces the other",
    ),
    pytest.param(
        ("The safety officer is Ms Hanna Oduya.", "Our safety officer is H. Oduya."),
        id="a name written otherwise",
    ),
    pytest.param(
        ("Dogs are not allowed in the canteen.", "Dogs are allowed in the garden."),
        id="allowed elsewhere",
    ),
]


@pytest.mark.parametrize("case", NOT_DIFFERENT)
def test_what_only_seems_to_differ_is_no_pair(cast: Cast, case: Sequence[str]) -> None:
    """Another time, place, class or state, or the same value in another form."""
    one, other, *names = case
    assert found(pages(cast, one, other, names or ("Welcome guide", "House rules"))) == []


def test_what_one_document_says_twice_is_no_pair(cast: Cast) -> None:
    """Its own passages are nobody else's."""
    assert found([make_document("Welcome guide", BERTH_24, BERTH_31, roles=[cast.staff])]) == []


def test_an_undated_document_is_as_old_as_its_ingestion(cast: Cast) -> None:
    """It came today, and the other is of 2023."""
    dated = make_document("Welcome guide", BERTH_24, document_date=OLD)
    undated = make_document("House rules", BERTH_31)
    [pair] = found([dated])
    assert pair.newer.passage.edition == undated.edition


def test_no_more_than_wanted_are_found(cast: Cast) -> None:
    """The surest comes first."""
    documents = [make_document(name, text) for name, text in (("Guide", BERTH_24), ("House rules", BERTH_31))]
    assert len(found(documents, most=1)) == 1
    assert found(documents, most=0) == []


def test_without_a_reader_nothing_is_found(cast: Cast, settings: Settings) -> None:
    """Nobody has read that both answer."""
    settings.READER = "none"
    assert found(pages(cast, BERTH_24, BERTH_31)) == []


def test_it_can_be_stopped(cast: Cast) -> None:
    """As every work that takes long."""
    documents = pages(cast, BERTH_24, BERTH_31)
    with stoppable(lambda: True), pytest.raises(StoppedError):
        found(documents)


def test_what_the_reader_finds_is_kept_and_listed(cast: Cast) -> None:
    """By the job that looks soon after texts came; whoever may read both and see pairs has it."""
    pages(cast, BERTH_24, BERTH_31)
    assert look_soon() == 1
    seeing = Permission.objects.filter(codename="view_contradictions")
    cast.bob.user_permissions.add(*seeing)
    [row] = list_for(cast.bob)
    assert [side.quote for side in row.sides] == [BERTH_31, BERTH_24.partition(". ")[0] + "."]
    assert "berth" in row.question.casefold()
