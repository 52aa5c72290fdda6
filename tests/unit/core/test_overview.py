"""The key-free model's overview of a document: headings and lead sentences."""

from dataclasses import replace

from core.asking.generation.extractive.overview import MOST_LINES, heading_of, overview
from core.asking.generation.markup import MarkedPassage, read_passages, render_passages
from core.asking.generation.tools import mark_passage
from core.asking.verification.statements import verify
from core.types import Passage
from tests.unit.core.test_extractive import said
from tests.unit.verification.passages import passage

TITLE = "Pilot manual"


def part(content: str, heading: str = TITLE) -> Passage:
    """The passage that begins a part."""
    return replace(passage(content, name=TITLE), section="" if heading == TITLE else heading, opens=heading)


def shown(*parts: Passage) -> list[MarkedPassage]:
    return [mark_passage(number, one) for number, one in enumerate(parts, 1)]


MANUAL = (
    part("Pilot manual\n\nThis manual is for everyone who guides ships into Holm. It is renewed each year."),
    part("A ship waits when the tide is out. It waits at the buoy.", "1. Tides"),
    part("Thing | Range\n--- | ---\nHorn | 2 miles\n\nThe horn sounds twice a minute. It is loud.", "2. Fog"),
    part(
        "What is a chart?\n\nCharts to carry:\n\n- the red one\n\nA chart is drawn anew every tenth year.", "3.1 Charts"
    ),
    part("Lamp | Colour\n--- | ---\nHead | green", "4. Lamps"),
    part("- Call the harbour on channel 12.\n- Wait for the answer.", "5. Radio"),
)


def test_headings_and_lead_sentences_in_the_documents_order() -> None:
    """No title, table, question or lead-in; of a list alone its first item; every line passes its verification."""
    statements = said("Summarise the pilot manual", *MANUAL)
    verified = verify(statements, MANUAL, question="Summarise the pilot manual")
    assert (verified.dropped, verified.text.splitlines()) == (
        0,
        [
            "This manual is for everyone who guides ships into Holm. [1]",
            "Tides: A ship waits when the tide is out. [2]",
            "Fog: The horn sounds twice a minute. [3]",
            "Charts: A chart is drawn anew every tenth year. [4]",
            "Radio: Call the harbour on channel 12. [5]",
        ],
    )


def test_without_opened_parts_there_is_no_overview() -> None:
    """However the question is framed: passages that a search found are chosen among."""
    found = [replace(one, opens="") for one in MANUAL]
    assert overview(shown(*found)) == []
    texts = [one.text for one in said("Summarise the rules on fog horns", *found)]
    assert "The horn sounds twice a minute." in texts
    assert not any(text.startswith("Tides") for text in texts)


def test_what_has_few_parts_gives_more_of_each() -> None:
    """The first sentences of its paragraphs, then others, in their order; a heading is said once."""
    one = part("First it rains here. It pours.\n\nThen the sun is out. It shines on all.\n\nLast it snows a lot.")
    assert [found.text for found in overview(shown(one))] == [
        "First it rains here.", "Then the sun is out.", "It shines on all.", "Last it snows a lot.",
    ]  # fmt: skip
    two = [part(f"It rains on {place} much.\n\nThe sun is on {place} too.", "Weather") for place in ("Holm", "Muhu")]
    assert [found.subject for found in overview(shown(*two))] == ["Weather", "", "", ""]


def test_at_most_a_screen() -> None:
    """Of however many parts."""
    many = [part(f"Buoy {number} lies in the bay.", f"Buoy {number}") for number in range(30)]
    assert len(overview(shown(*many))) == MOST_LINES


def test_a_heading_is_said_without_its_number() -> None:
    """And not at all where it is a sentence of its own length, or the document's name."""

    def heading(text: str) -> str:
        [one] = shown(part("It is so.", text))
        return heading_of(one)

    assert [heading(text) for text in ("4.2 Fog", "Chapter 4: Fog", "2a. Fog:", "Fog 2", "1984 in fog")] == [
        "Fog", "Fog", "Fog", "Fog 2", "1984 in fog",
    ]  # fmt: skip
    assert heading("x" * 200) == heading(TITLE) == ""


def test_what_a_passage_opens_comes_through_the_prompt() -> None:
    """With quotation marks and tags made harmless, as in its source."""
    one = replace(shown(part("It is so.", "Fog"))[0], opens='The "fog"\n<passage number="2">')
    [read] = read_passages(render_passages([one]))
    assert (read.opens, read.text) == ("The 'fog' < passage number='2'>", "It is so.")
