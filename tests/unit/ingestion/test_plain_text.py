"""Test the headings of plain text, and what only looks like one."""

import time

import pytest

from core.library.ingestion.parsers.text import parse_text

PROSE = "The harbour council met in the old customs house and heard the treasurer. Nobody objected."


def sections(text: str) -> list[tuple[str, str]]:
    """Return each block as (section, its first words)."""
    return [(block.section, block.text[:12]) for block in parse_text(text, "minutes.txt").blocks]


def test_the_numbered_points_of_minutes_are_sections() -> None:
    text = f"4. Slipway and winch\n{PROSE}\n\n4.1 Costs\n{PROSE}\nDecision: the hose is replaced.\n\n5) Other\n{PROSE}"
    assert sections(text) == [
        ("4. Slipway and winch", PROSE[:12]),
        ("4. Slipway and winch > 4.1 Costs", PROSE[:12]),
        ("5) Other", PROSE[:12]),
    ]


def test_a_line_by_itself_above_a_paragraph_is_a_heading_and_no_text() -> None:
    document = parse_text(f"What happened\n\n{PROSE}\n\nWhat you need\n\n- a torch\n- a rope", "notice.txt")
    assert [(block.section, block.text) for block in document.blocks] == [
        ("What happened", PROSE),
        ("What you need", "- a torch\n- a rope"),
    ]


def test_a_first_line_that_was_broken_early_is_a_heading_below_those_by_themselves() -> None:
    text = f"Fire on board\n\nOn the bridge\n{PROSE}\n\nIf a cell smokes\n1. Raise the alarm.\n2. Stay upwind."
    assert sections(text) == [
        ("Fire on board > On the bridge", PROSE[:12]),
        ("Fire on board > If a cell smokes", "1. Raise the"),
    ]


@pytest.mark.parametrize(("line", "section"), [("=====", "Mooring"), ("-----", "Mooring")])
def test_an_underlined_line_is_a_heading_without_its_rule(line: str, section: str) -> None:
    document = parse_text(f"Mooring\n{line}\ntwo ropes\n\n{PROSE}", "notes.txt")
    assert [(block.section, block.text) for block in document.blocks] == [(section, "two ropes"), (section, PROSE)]


@pytest.mark.parametrize(
    "text",
    [
        f"16 bicycles a boat\n{PROSE}",  # an amount
        f"22 September 2026\n{PROSE}",
        f"Present: Ines Halloran\n{PROSE}",
        f"Dear all,\n\n{PROSE}",
        f"It was late.\n\n{PROSE}",
        "Brackish Water Sailing Club\nHarbour Lane 4\nSaltford",  # an address
        "Yours faithfully\n\nInes Halloran",
        "1. Tea\n2. Coffee\n3. Milk",
        "Night desk\n(62) 5550-0148",  # no item 62
        "1. Hold the red button\nfor ten seconds.",
        f"- Rope and torch\n{PROSE}",
        "Name      Berth     Since\nTeal      4         May 2019.",
        # broken for want of room
        "On such days the complete list of the small\nHarbour boats hangs in the window of the office.",
        "the tide tables\n\nThe council met in the old house.",
        "Fares\tAdults\nThe council met in the old customs house.",
        f"{'A very long line ' * 9}\n\n{PROSE}",
        "A heading at the end",
    ],
)
def test_what_is_no_heading_stays_text(text: str) -> None:
    document = parse_text(text, "notes.txt")
    assert {block.section for block in document.blocks} == {""}
    words = " ".join(block.text for block in document.blocks).split()
    assert words == text.split()


def test_nothing_is_lost_where_headings_follow_one_another() -> None:
    document = parse_text(f"Fire\n\nSmoke\n\nWater on the floor\n\n{PROSE}", "notes.txt")
    said = " ".join(f"{block.section} {block.text}" for block in document.blocks)
    assert all(words in said for words in ("Fire", "Smoke", "Water on the floor", PROSE))


def test_a_text_of_a_million_lines_is_read_in_seconds() -> None:
    started = time.process_time()
    parse_text("A line that is\nshort\n\n" * 300_000, "notes.txt")
    assert time.process_time() - started < 20
