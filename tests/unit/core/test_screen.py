"""Test that a draft is kept to a screen, and says nothing twice."""

import pytest

from core.asking.generation.tools import MOST_CHARACTERS, MOST_STATEMENTS, fit_screen
from core.types import Statement


def fit(*texts: str) -> list[str]:
    return [statement.text for statement in fit_screen([Statement(text=text, quotes=()) for text in texts])]


def test_what_fits_stays_in_its_order() -> None:
    assert fit("1. Ring the bell.", "2. Wait.", "| a | b |") == ["1. Ring the bell.", "2. Wait.", "| a | b |"]


@pytest.mark.parametrize("again", ["It opens at noon.", "it opens at NOON", "- It opens at noon!", "It  opens at noon"])
def test_what_was_said_is_not_said_again(again: str) -> None:
    assert fit("It opens at noon.", "It closes at three.", again) == ["It opens at noon.", "It closes at three."]


def test_the_first_of_sixty_sentences_are_kept() -> None:
    said = [f"Door {number} is locked." for number in range(60)]
    assert fit(*said) == said[:MOST_STATEMENTS]


def test_long_sentences_fill_a_screen_sooner_and_one_that_is_too_long_takes_no_room() -> None:
    said = [f"{number} {'x' * 900}" for number in range(9)]
    kept = fit(*said)
    assert 0 < len(kept) < 9
    assert sum(map(len, kept)) <= MOST_CHARACTERS
    assert fit("y" * (MOST_CHARACTERS + 1), "more") == ["y" * (MOST_CHARACTERS + 1), "more"]


@pytest.mark.parametrize(
    "glued",
    [
        "1. Hold the button. 2. Enter the code. 3. Tell the guard.",
        "1) Hold the button. 2) Enter the code. 3) Tell the guard.",
        "(1) Hold the button. (2) Enter the code. (3) Tell the guard.",
    ],
)
def test_steps_in_one_line_become_steps(glued: str) -> None:
    assert fit(glued) == ["1. Hold the button.", "2. Enter the code.", "3. Tell the guard."]


def test_what_stands_before_the_steps_introduces_them() -> None:
    assert fit("To reset it: 1. Hold the button. 2. Enter code 7 within 2. Then wait.") == [
        "To reset it:",
        "1. Hold the button.",
        "2. Enter code 7 within 2. Then wait.",
    ]


@pytest.mark.parametrize(
    "text",
    ["1. Hold the button.", "It takes 1 or 2. Then it stops.", "Section 3. 1 applies.", "| 1. a | 2. b |", "2. b 3. c"],
)
def test_numbers_of_a_text_are_no_steps(text: str) -> None:
    assert fit(text) == [text]
