"""Test the structure of texts: paragraphs, items and rows, and their lead-ins."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.language.nlp.layout import LONGEST_ITEM, BlockKind, draw_rule, is_form, is_rule
from core.language.nlp.structure import find_beside, units, write_with_leads
from core.language.nlp.text import content_stems, sentences

TEXT = (
    "Boats are moored here. Nobody may bring:\n\n"
    "- Fires. They spread\n  to the ropes.\n  1. Torches\n  2. Stoves\n- Dogs\n\n"
    "Fees in euros\nBoat | Day | Week\n--- | --- | ---\nDinghy | 4 | 20\nYacht | 11 |\n\n"
    "Ask the keeper."
)


def told(text: str) -> list[tuple[BlockKind, str]]:
    """Return the units of a text in words understandable by themselves."""
    return [
        (unit.kind, write_with_leads(tuple(text[slice(*lead)] for lead in unit.leads), text[unit.start : unit.end]))
        for unit in units(text)
    ]


def test_items_and_rows_stand_under_what_introduces_them() -> None:
    """The lead-in, the item above, the caption and the header; a paragraph has none."""
    assert told(TEXT) == [
        (BlockKind.PROSE, "Boats are moored here."),
        (BlockKind.PROSE, "Nobody may bring:"),
        (BlockKind.ITEM, "Nobody may bring: Fires. They spread to the ropes."),
        (BlockKind.ITEM, "Nobody may bring: Fires. They spread to the ropes. Torches"),
        (BlockKind.ITEM, "Nobody may bring: Fires. They spread to the ropes. Stoves"),
        (BlockKind.ITEM, "Nobody may bring: Dogs"),
        (BlockKind.PROSE, "Fees in euros"),
        (BlockKind.HEADER, "Fees in euros: Boat – Day – Week"),
        (BlockKind.ROW, "Fees in euros: Dinghy – Day: 4; Week: 20"),
        (BlockKind.ROW, "Fees in euros: Yacht – Day: 11"),
        (BlockKind.PROSE, "Ask the keeper."),
    ]


def test_an_item_is_one_sentence() -> None:
    """Its parts say nothing without each other; only a long one is cut, its first sentence introducing the others."""
    text = "- Class A, red: toxic. At most 100 millilitres.\n- Class B, yellow. At most 1 litre."
    assert [text[slice(*span)] for span in sentences(text)] == text.split("\n")
    long = f"- Ropes of the pier. {'Each is counted by the keeper. ' * (LONGEST_ITEM // 20)}".strip()
    found = units(long)
    assert len(found) > 2
    assert {unit.leads for unit in found[1:]} == {((0, len("- Ropes of the pier.")),)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Bring these.\n\n- A rope", "A rope"),
        ("Bring the following.\n\n- A rope", "Bring the following. A rope"),
        ("Bring:\n\nThe keeper waits.\n\n- A rope", "A rope"),
        ("Do this:\n\n1. Stop.\n\nThe keeper waits.\n\n2. Go.", "Do this: Go."),
        ("Do this:\n\n1. Stop.\n\nThe keeper waits.\n\n5. Go.", "Go."),
        ("Keeper | Ann\nShed | 4", "Shed – 4"),
        ("| Place | Key |\n|---|---|\n| Shed | 4 |", "Shed – Key: 4"),
        ("The shed | the pier", "The shed – the pier"),
    ],
)
def test_the_last_unit_of_a_text(text: str, said: str) -> None:
    """A list is introduced by a sentence that says so, and goes on where it counts on; a table has a ruled header."""
    assert told(text)[-1][1] == said


def test_a_letter_is_a_name_behind_what_it_names() -> None:
    """ "A" of "Class A" is a word of a question, the article is none."""
    assert content_stems("A rope of Class A, or a class a one. A line: PLAN A, Is A Rope A?") == [
        *("rope", "class", "a", "class", "a", "one"),
        *("line", "plan", "rope", "a"),
    ]


PIECES = st.sampled_from(
    (
        *("Bring these:", "A rope.", "It is 4 metres long.", "Mr. Falk", "following", "x" * 150, "你好"),
        *("\n", "\n\n", "\n- ", "\n  * ", "\n1. ", "\n2) ", "\n   (b) "),
        *(" | ", "\n| ", " |\n", "\n--- | ---\n", "|", "-"),
    )
)


JOINED = st.lists(PIECES, max_size=40)


@given(JOINED.map(" ".join) | JOINED.map("".join) | st.text(max_size=200))
@example(TEXT)
def test_of_any_text_nothing_is_lost(text: str) -> None:
    """Units are the sentences, in order, without blank edges; between them is space or a rule; leads come before."""
    found = units(text)
    assert [(unit.start, unit.end) for unit in found] == sentences(text)
    covered = 0
    for unit in found:
        assert all(not line.strip() or is_rule(line) for line in text[covered : unit.start].split("\n"))
        piece = text[unit.start : unit.end]
        assert piece
        assert piece == piece.strip()
        assert all(0 <= start < end <= unit.start for start, end in unit.leads)
        covered = unit.end
    assert all(not line.strip() or is_rule(line) for line in text[covered:].split("\n"))


def test_the_rule_of_a_header_has_its_columns() -> None:
    """As Markdown has it."""
    assert draw_rule("Boat | Day | Week") == "--- | --- | ---"
    assert not is_rule("---")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("| 2023 | 2024", "Accidents | 6 | 4"),
        ("| | 2023 | 2024 |", "| Accidents | 6 | 4 |"),
        ("| 2023 | 2024 |", "Accidents | 6 | 4 |"),  # the last column has neither name nor cell
    ],
)
def test_a_cell_is_written_behind_the_name_of_its_own_column(header: str, row: str) -> None:
    """Also where the first column has no name: 6 is of 2023."""
    assert write_with_leads((header,), row) == "Accidents – 2023: 6; 2024: 4"
    assert write_with_leads((header,), row, columns=(2,)) == "Accidents – 2024: 4"


def test_what_stands_beside_a_sentence() -> None:
    """Prose of its paragraph; no item, no other paragraph, and nothing beside what is not there."""
    text = "Boats are moored. Fires are not lit. Dogs stay aboard.\n\nAsk the keeper. Nobody may bring:\n\n- Stoves"
    assert find_beside(text, "Fires are not lit.") == ("Boats are moored.", "Dogs stay aboard.")
    assert find_beside(text, "Dogs stay aboard.") == ("Fires are not lit.", "")
    assert find_beside(text, "Ask the keeper.") == ("", "Nobody may bring:")
    assert find_beside(text, "- Stoves") == ("", "")
    assert find_beside(text, "Cats.") == ("", "")


def test_lines_with_a_label_and_a_value_are_units_of_their_own() -> None:
    """Two and more of them that follow each other; a line of prose with a colon goes on."""
    text = "Room 4\nSeats: 18\nKey: at the desk\n\nNote: the blinds\nmove by themselves. Times: see below."
    assert [one for _, one in told(text)] == [
        "Room 4 Seats: 18",
        "Key: at the desk",
        "Note: the blinds move by themselves.",
        "Times: see below.",
    ]


@pytest.mark.parametrize(
    ("lead", "kinds"),
    [
        ("Two kinds of rope are kept on the quay:", "piip"),
        ("Keep two things apart:", "piip"),
        ("Three kinds of rope are kept on the quay:", "piii"),
        ("Four kinds of rope are kept on the quay:", "pppp"),
        ("Two kinds of rope are kept on the quay.", "pppp"),
        ("These ropes are kept on the quay:", "pppp"),
    ],
)
def test_paragraphs_are_items_where_the_lead_in_counts_them(lead: str, kinds: str) -> None:
    """In print their marks may be lost."""
    text = f"{lead}\n\nHawsers hold a ship.\n\nHeaving lines are thrown.\n\nThe quay is swept."
    assert "".join("i" if unit.kind is BlockKind.ITEM else "p" for unit in units(text)) == kinds


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Deposit: 75 euros", True),
        ("Place: Wick Aircraft: Cessna 172 Weather: Clear", True),
        ("The keeper says: the lantern burns.", False),
        (
            "Crew: two hands. He asked: why? They said that the harbour was shut and the tide was out by then, too.",
            False,
        ),
    ],
)
def test_a_form_has_labels_with_values(text: str, is_one: bool) -> None:
    assert is_form(text) is is_one


COUNTED = (
    "The loan is subject to three conditions. First, the roof is mended. That costs 900 euros. Second, the yard is "
    "kept open. Finally, the well is tested."
)


def test_an_enumeration_in_prose_is_a_list() -> None:
    """Make an item of each counted part, up to the next one, behind the sentence before them."""
    lead, *items, other = units(f"{COUNTED} It is tested yearly.\n\nFirst aid is given here. Second class is full.")[:5]
    text = f"{COUNTED} It is tested yearly."
    assert text[lead.start : lead.end] == "The loan is subject to three conditions."
    assert [text[item.start : item.end] for item in items] == [
        "First, the roof is mended. That costs 900 euros.",
        "Second, the yard is kept open.",
        "Finally, the well is tested.",
    ]
    assert {item.leads for item in items} == {((lead.start, lead.end),)}
    assert len({item.group for item in items}) == 1
    assert lead.group is other.group is None


@pytest.mark.parametrize(
    "text",
    [
        "First aid is given here. Second class is full.",
        "First, the roof is mended. The yard is open.",
        "First, the roof is mended.\n\nSecond, the yard is kept open.",
    ],
)
def test_prose_that_counts_nothing_is_no_list(text: str) -> None:
    assert {unit.group for unit in units(text)} == {None}
