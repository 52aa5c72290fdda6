"""A time of the year is found in questions and in what rules and rows of tables are for."""

import pytest

from core.language.nlp.seasons import find_months_told, find_season, reword_season


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("when can the public come over winter?", {12, 1, 2}),
        ("and in july?", {7}),
        ("can i book a bunk at the moor over xmas", {12}),
        ("Is it open during the summer?", {6, 7, 8}),
        ("How many rooms may we book in May?", {5}),
        ("what did it cost in july 2024?", set()),
        ("may i march in?", set()),
        ("what is the winter timetable?", set()),
    ],
)
def test_a_question_names_a_time_of_the_year(question: str, months: set[int]) -> None:
    """A month or a season; with a year it is a date."""
    assert find_season(question).months == months


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("October to March | Friday and Saturday | 19:00 to 22:30", {10, 11, 12, 1, 2, 3}),
        ("April and September | Saturday", {4, 9}),
        ("The station is closed from 15 December to the end of February, because of the snow.", {12, 1, 2}),
        ("Open May–Sept. only", {5, 6, 7, 8, 9}),
        ("Adopted by the general meeting of 14 March 2023.", set()),
        ("The committee decided it on 10 June.", set()),
        ("From 1 July 2025 to 3 August 2025 it is closed.", set()),
        ("Members may bring guests until 22:00.", set()),
    ],
)
def test_a_rule_is_for_a_time_of_the_year(text: str, months: set[int]) -> None:
    """Spans of months go round the year; days and dates with a year say something else."""
    assert find_months_told(text) == months


def compare(question: str, text: str) -> tuple[bool, bool]:
    """Tell whether a text is for the time that a question names, and whether for others alone."""
    season = find_season(question)
    return season.is_told_by(text), season.is_missed_by(text)


def test_a_text_is_for_that_time_or_for_another() -> None:
    """Or for none that it names."""
    winter = "When does it open in the winter?"
    assert find_season(winter).names == ("winter",)
    assert compare(winter, "October to March") == (True, False)
    assert compare(winter, "May to August") == (False, True)
    assert compare(winter, "Daily") == compare("When does it open?", "May to August") == (False, False)


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Is it open over xmas?", "Closed 15 December to the end of February.", "15 December to the end of February"),
        ("When is it open in the winter?", "April | 9\nOctober to March | 10", "from October to March"),
        ("When is it open in july?", "October to March | 10", "in july"),
        ("When is it open in winter?", "October to March | 10\nIn winter the lamp burns.", "in winter"),
        ("When is it open?", "October to March | 10", "open"),
    ],
)
def test_a_time_of_the_year_is_said_as_a_text_says_it(question: str, text: str, said: str) -> None:
    """Take the text's span that holds it, where the text has not its own word."""
    assert f"{said}?" in reword_season(question, text)
