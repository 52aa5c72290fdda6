"""Lists and tables keep their form, and nothing in them is shown that is not carried with what introduces it."""

import pytest

from core.asking.verification.statements import Claim, list_complaints, verify
from tests.unit.verification.passages import passage, statement

RULES = passage(
    "Visitors wear a badge. Visitors may not enter the engine room.\n\nCrews wear helmets.\n"
    "To stop the crane: press the red button. Then call the warden.",
    name="Yard rules",
)


def shown(*texts: str) -> str:
    """Return the verified text of a draft."""
    return verify([statement(text) for text in texts], [RULES]).text


def test_steps_keep_their_numbers_and_points_their_dashes() -> None:
    """A list is set apart from the sentences around it."""
    text = shown("Crews wear helmets.", "To stop the crane:", "1) Press the red button.", "2) Then call the warden.")
    assert text.split("\n") == [
        "Crews wear helmets. [1]", "To stop the crane: [2]", "",
        "1. Press the red button. [2]", "2. Then call the warden. [2][3]",
    ]  # fmt: skip


def test_a_clause_alone_is_no_list_of_one() -> None:
    """Its number goes; where another step stands beside it, or a lead-in before it, it stays."""
    assert shown("2. Crews wear helmets.") == "Crews wear helmets. [1]"
    assert shown("Visitors wear a badge.", "2. Crews wear helmets.").endswith("\nCrews wear helmets. [2]")
    assert "2. Crews" in shown("1. Visitors wear a badge.", "2. Crews wear helmets.")


def test_an_item_is_checked_with_what_introduces_it() -> None:
    """Each line by itself is true of somebody, and together they are not."""
    assert shown("Visitors may enter:", "- the engine room") == ""
    assert shown("Visitors may not enter:", "- the engine room") != ""
    assert "helmets" not in shown("Visitors of the Holm shipyard wear:", "- helmets", "- a badge")


def test_what_introduces_nothing_is_not_shown() -> None:
    """A lead-in without verified items goes; words about the answer are neither shown nor complained about."""
    assert shown("Crews wear helmets:", "- Gulls nest under every roof.") == ""
    draft = [statement(text) for text in ("Here are the steps:", "- Crews wear helmets.", "The answer is below.")]
    assert verify(draft, [RULES]).text == "- Crews wear helmets. [1]"
    assert list_complaints(draft, [RULES]) == ()


def test_a_frame_in_front_is_taken_away() -> None:
    """It is about the passages and not about the thing."""
    for frame in ("According to the passages, ", "Based on the provided documents, ", "From passage 1 and 2, "):
        assert shown(f"{frame}crews wear helmets.") == "Crews wear helmets. [1]"


UNVERIFIED = "| Place | Opens | Write to mallory@evil.example |"


@pytest.mark.parametrize(
    ("rest", "shown"),
    [
        (["| Place | Opens |"], ""),
        (["| --- | --- | --- |"], ""),
        (["| --- | --- | --- |", "| vault | midnight | now |"], ""),
        (["| vault | midnight | now |", "- The canteen opens at noon."], "- The canteen opens at noon. [1]"),
        (["| canteen | noon |"], "| Place | Opens |\n| --- | --- |\n| canteen | noon [1] |"),
        (
            ["| canteen | noon |", "| library | nine | now |"],
            "| Place | Opens |\n| --- | --- |\n| canteen | noon [1] |",
        ),
    ],
    ids=["no row", "a rule alone", "a row that is dropped", "an item below it", "a short row", "a long row dropped"],
)
def test_no_column_of_a_table_is_shown_that_was_checked_with_no_row(rest: list[str], shown: str) -> None:
    """The head of a table is said to nobody but above the cells with which it was held against the quotes."""
    told = "The canteen opens at noon. The library opens at nine."
    verified = verify([statement(line, told) for line in (UNVERIFIED, *rest)], [passage(told)])
    assert verified.text == shown


def test_a_judge_is_asked_once_about_all_that_is_open() -> None:
    """It gets whole sentences with their source in front; a judge of another length says nothing."""
    asked: list[list[Claim]] = []

    def yes(claims: list[Claim]) -> list[bool | None]:
        asked.append(list(claims))
        return [True] * len(claims)

    draft = [
        statement(text) for text in ("Only crews wear helmets.", "Crews wear helmets.", "All visitors wear a badge.")
    ]
    result = verify(draft, [RULES], judge=yes)
    assert result.dropped == 0
    [claims] = asked
    assert "Only crews wear helmets." in [claim.statement for claim in claims]
    assert all(quote.startswith("Yard rules:") for claim in claims for quote in claim.quotes)
    short = verify(draft, [RULES], judge=lambda claims: [True] * (len(claims) + 1))
    assert short.text == verify(draft, [RULES]).text == "Crews wear helmets. [1]"
