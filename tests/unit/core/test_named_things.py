"""Test that an answer names what it is about, and of a table the columns that were asked for."""

import datetime as dt

import pytest

from core.asking.generation.extractive.provider import _write_statements
from core.asking.generation.extractive.selection import select
from core.asking.generation.tools import mark_passage
from core.asking.verification.statements import verify
from core.language.nlp.sentence_scoring import ignore_meaning
from tests.unit.verification.passages import passage, statement

TODAY = dt.date(2026, 11, 28)
TOOLS = """Tool | Half day | Full day | Weekend | Deposit
--- | --- | --- | --- | ---
Trailer | £5 | £8 | £14 | £40
Shredder | £9 | £15 | £26 | £80"""


def answer(question: str, text: str) -> list[str]:
    """Return what the key-free model says from one passage."""
    shown = [mark_passage(1, passage(text, name="Fees"))]
    chosen = select(question, shown, ignore_meaning, today=TODAY)[1]
    return [one["text"] for one in _write_statements(chosen, dated=False)]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What does the trailer cost for a weekend?", "Trailer – Weekend: £14"),
        ("What is the deposit for the shredder?", "Shredder – Deposit: £80"),
        ("What does the trailer cost for a half day or a full day?", "Trailer – Half day: £5; Full day: £8"),
        ("What does the trailer cost?", "Trailer – Half day: £5; Full day: £8; Weekend: £14; Deposit: £40"),
    ],
)
def test_of_a_row_the_columns_that_are_asked_for(question: str, first: str) -> None:
    """Those that have most of the question's words; all of them where none has any."""
    assert answer(question, TOOLS)[0] == first


def test_a_year_chooses_its_column_and_no_empty_cell_is_chosen() -> None:
    table = "Item | 2024 (actual) | 2025 (actual) | Remarks\n--- | --- | --- | ---\nRepairs | 4,310 | 5,870 |"
    assert answer("What did repairs cost in 2025 (actual)?", table) == ["Repairs – 2025 (actual): 5,870"]
    assert answer("Which remarks are there on repairs?", table) == [
        "Repairs – 2024 (actual): 4,310; 2025 (actual): 5,870"
    ]


MACHINE = "The new tiller arrived on 6 May. It cost 1,395 pounds and has been out on 71 days."


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        ("What did the tiller cost?", MACHINE, MACHINE),
        (
            "What happens if the rent is not paid by November?",
            "Whoever has not paid gets a reminder. If the rent is still not paid by November, the lease ends.",
            "Whoever has not paid gets a reminder. If the rent is still not paid by November, the lease ends.",
        ),
        (
            "Is it safe to swim in the bay?",
            "The bay is wide. It is not safe to swim in the bay.",
            "It is not safe to swim in the bay.",
        ),
        (
            "What did the tiller cost?",
            "Is it new?\n\nIt cost 1,395 pounds, the tiller.",
            "It cost 1,395 pounds, the tiller.",
        ),
    ],
)
def test_what_it_is_stands_before_it(question: str, text: str, first: str) -> None:
    """Say what a pronoun at the beginning means, and leave an "it" alone that means nothing."""
    assert answer(question, text)[0] == first


MINUTES = (
    "The chair proposed to close the pier at the end of June. The proposal was lost by one vote to two. Instead the "
    "pier will be looked at again in January."
)


def test_what_was_decided_is_not_left_out_between_two_sentences() -> None:
    """The one sentence between two that are chosen is said as well, in its place."""
    said = answer("Will the pier be closed, or looked at again, by the chair?", MINUTES)
    assert said == [
        "The chair proposed to close the pier at the end of June. The proposal was lost by one vote to two.",
        "Instead the pier will be looked at again in January.",
    ]


PROPOSAL = "Mr Orr moved to sell the old crane."


@pytest.mark.parametrize(
    ("behind", "first"),
    [
        ("The motion was carried.", f"{PROPOSAL} The motion was carried."),
        ("Ms Lee spoke for it. She has a buyer. Agreed by five to two.", f"{PROPOSAL} Agreed by five to two."),
        ("Ms Lee spoke for it. It is rusty. It is loud. It is old. It was withdrawn.", PROPOSAL),
        ("The winch was discussed.", PROPOSAL),
    ],
)
def test_a_proposal_is_said_with_what_came_of_it(behind: str, first: str) -> None:
    """By the third sentence after it; further on it may be of another matter."""
    assert answer("Did they sell the old crane?", f"{PROPOSAL} {behind}")[0] == first


def test_a_field_names_its_section_in_a_report_on_several() -> None:
    """Tell one building's figures from another's, and leave a section that is alone without a name."""
    shown = [
        mark_passage(number, passage(text, name="Report", section=section))
        for number, (section, text) in enumerate(
            {"Mill": "Power used: 61,200 units.", "Barn": "The door of the barn is new."}.items(), 1
        )
    ]
    for passages, said in ((shown, "Mill: Power used: 61,200 units."), (shown[:1], "Power used: 61,200 units.")):
        chosen = select("How much power is used?", passages, ignore_meaning, today=TODAY)[1]
        assert _write_statements(chosen, dated=False)[0]["text"] == said


@pytest.mark.parametrize(("text", "named"), [("Power used: 61 units.", True), ("Power used in 2023: 61 units.", False)])
def test_what_names_a_year_is_not_dated_by_its_source(text: str, named: bool) -> None:
    """A report of 2025 tells of other years."""
    shown = [mark_passage(1, passage(text, name="Report", date=dt.date(2025, 9, 22)))]
    chosen = select("How much power is used?", shown, ignore_meaning, today=TODAY)[1]
    [said] = _write_statements(chosen, dated=True)
    assert said["text"] == (f"22 September 2025: {text}" if named else text)


def test_the_end_of_a_letter_answers_only_who_wrote_it() -> None:
    letter = "The secretary is elected in May.\n\nKind regards, Imelda Quirke Secretary"
    assert "Kind regards, Imelda Quirke Secretary" not in answer("Who was elected secretary?", letter)
    assert "Kind regards, Imelda Quirke Secretary" in answer("Who is the secretary?", letter)


def test_a_later_rule_of_that_kind_stands_behind_the_one_it_counts_from() -> None:
    """ "Later than that" says nothing alone."""
    text = "Tickets can be returned up to two days before. Later than that there is no refund."
    assert answer("Is there a refund?", text)[0] == text


def test_a_cell_that_the_question_names_stays() -> None:
    """Keep the second cell, which says which depot it is."""
    table = "Region | Town | Trucks\n--- | --- | ---\nNorth | Aldby | 14\nNorth | Borrow | 9"
    assert answer("How many trucks does Borrow have?", table)[0] == "North – Town: Borrow; Trucks: 9"


SEASONS = "Days | April to September | October to March\n--- | --- | ---\nSunday | 9 to 12 | closed"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Is it open on Sunday over winter?", "Sunday – October to March: closed"),
        ("Is it open on Sunday in july?", "Sunday – April to September: 9 to 12"),
        ("Is it open on Sunday?", "Sunday – April to September: 9 to 12; October to March: closed"),
    ],
)
def test_a_time_of_the_year_chooses_its_column(question: str, first: str) -> None:
    assert answer(question, SEASONS)[0] == first


def test_a_time_of_the_year_chooses_its_row() -> None:
    """Of a table that has others for other times; where none is for it, all may answer."""
    rows = "October to March | 19 to 22", "May to August | closed"
    table = "\n".join(("The tower is open to guests:\n\nSeason | Hours\n--- | ---", *rows))
    winter, any_time = ("at what hours is the tower open to guests over winter?", "at what hours is the tower open?")
    assert answer(winter, table)[0].endswith("October to March – Hours: 19 to 22")
    assert not any("May" in one for one in answer(winter, table))
    assert any("May" in one for one in answer(any_time, table))


def test_a_row_names_its_section_where_another_table_looks_the_same() -> None:
    """The hours of one shop are not taken for another's; a table that is alone needs no name."""
    hours = "Day | Summer | Winter\n--- | --- | ---\nSunday | {} | closed"
    shown = [
        mark_passage(number, passage(hours.format(many), name="Hours", section=shop))
        for number, (shop, many) in enumerate({"1. North shop": "9 to 12", "2. South shop": "closed"}.items(), 1)
    ]
    for passages, said in ((shown, "North shop: Sunday – Summer: 9 to 12"), (shown[:1], "Sunday – Summer: 9 to 12")):
        chosen = select("When is the north shop open on Sunday in summer?", passages, ignore_meaning, today=TODAY)[1]
        assert _write_statements(chosen, dated=False)[0]["text"] == said


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("When is the pier open?", ["The pier is open daily."]),
        ("Since when are the hours valid?", ["Valid from 5 May 2026."]),
    ],
)
def test_the_date_of_a_document_answers_only_who_asks_for_it(question: str, says: list[str]) -> None:
    text = "Valid from 5 May 2026. The pier is open daily."
    assert [line for line in answer(question, text) if line in says] == says
    assert ("Valid from 5 May 2026." in answer(question, text)) is ("Since" in question)


SPILL = """If acid was spilt:

1. Open the window.
2. Call the desk.
3. Leave the room.

Nobody may bring:

- dogs
- lamps"""


def test_steps_on_a_condition_are_a_list_below_it() -> None:
    """With their numbers, each quoted with the condition; what forbids is said in each line."""
    assert answer("What are the steps if acid was spilt?", SPILL) == [
        "If acid was spilt:",
        "1. Open the window.",
        "2. Call the desk.",
        "3. Leave the room.",
    ]
    assert answer("What are the things nobody may bring?", SPILL) == [
        "Nobody may bring: dogs",
        "Nobody may bring: lamps",
    ]
    spill = passage(SPILL, name="Fees")
    chosen = select("What are the steps if acid was spilt?", [mark_passage(1, spill)], ignore_meaning, today=TODAY)[1]
    drafted = [
        statement(one["text"], *(quote["text"] for quote in one["quotes"]))
        for one in _write_statements(chosen, dated=False)
    ]
    shown = verify(drafted, [spill])
    assert shown.dropped == 0
    assert shown.text.splitlines()[2] == "1. Open the window. [1][2]"


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ("P-20 – Flow in l/min: 240", True),
        ("P-20 – Flow in l/min: 240; Year: 2019", True),
        ("P-20 – Flow in l/min: 180", False),
        ("P-20 – Year: 2019", True),
        ("P-30 – Flow in l/min: 240", False),
    ],
)
def test_a_row_with_some_of_its_columns_is_in_its_source(said: str, stays: bool) -> None:
    """The names of its columns are no other thing's; a figure of another row is."""
    header, row = "Pump | Flow in l/min | Power in kW | Year", "P-20 | 240 | 3.5 | 2019"
    text = f"{header}\n--- | --- | --- | ---\nP-10 | 180 | 2.2 | 2016\n{row}\nP-30 | 410 | 5.5 | 2022"
    found = verify([statement(said, header, row)], [passage(text, name="Pumps")])
    assert bool(found.text) is stays


RULE = "Nobody stays more than four nights in the hut."


@pytest.mark.parametrize(
    ("behind", "second"),
    [
        ("The warden may permit a longer stay.", "The warden may permit a longer stay."),
        ("Beds are made at noon. Whoever is ill is exempt.", "Whoever is ill is exempt."),
        ("It is also the limit for groups.", "It is also the limit for groups."),
        ("Beds are made at noon. It rains a lot. Whoever is ill is exempt.", None),
        ("Beds are made at noon.", None),
    ],
)
def test_a_rule_is_said_with_its_exception(behind: str, second: str | None) -> None:
    """Add the next sentence or the one after it, if it says for whom or when the rule does not hold."""
    said = answer("How many nights may anybody stay in the hut?", f"{RULE} {behind}")
    assert said[0] == RULE
    assert said[1:2] == ([second] if second else [])


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How much may a room cost in paris?", "A room costs at most 160. In Paris and Rome the limit is 210."),
        ("How much may a room in Rome cost?", "A room costs at most 160. In Paris and Rome the limit is 210."),
        ("How much may a room cost?", "A room costs at most 160."),
    ],
)
def test_a_rule_is_said_with_that_for_the_name_asked_for(question: str, first: str) -> None:
    """Say what holds for Paris behind what holds elsewhere, if the question names Paris."""
    assert answer(question, "A room costs at most 160. In Paris and Rome the limit is 210.")[0] == first


def test_after_that_stands_behind_what_it_counts_from() -> None:
    """ "After that nothing is returned" says the opposite alone, where half is returned before."""
    text = "Half is returned up to two days before. After that nothing is returned, unless the hut is closed."
    assert answer("Is anything returned if the hut is closed?", text)[0] == text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What did repairs cost last year?", "Repairs – 2025 actual: 5,870"),
        ("What did repairs cost last year compared with 2024?", "Repairs – 2024 actual: 4,310; 2025 actual: 5,870"),
    ],
)
def test_last_year_is_a_column(question: str, said: str) -> None:
    """Choose the column that is called by the year before today's."""
    table = "Item | 2024 actual | 2025 actual | 2026 planned\n--- | --- | --- | ---\nRepairs | 4,310 | 5,870 | 5,000"
    assert answer(question, table) == [said]
