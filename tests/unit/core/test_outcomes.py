"""Test the closest passages, and the bounds of shown confidence. By words alone: no model is loaded."""

from dataclasses import replace
from uuid import uuid4

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from core.asking.answering.closest import LONGEST, MOST, closest_passages
from core.asking.confidence.endings import confidence_of_answer, confidence_of_refusal, is_close, is_sure, level
from core.language.nlp.sentence_scoring import ignore_meaning
from core.language.nlp.text import sentences
from core.types import ConfidenceLevel, Passage
from tests.unit.verification.passages import passage

SHARE = st.floats(min_value=0.0, max_value=1.0)
FERRY = "The island is small. The ferry leaves the island at nine. Gulls nest there."
LIST = "Opening hours of the ferry office:\n\n- Monday to Friday from eight to four."


def quoted(question: str, *passages: Passage) -> list[str]:
    return [citation.quoted_excerpt for citation in closest_passages(question, passages, ignore_meaning)]


def test_the_best_sentence_is_quoted_with_its_neighbours() -> None:
    """With its place in the passage; those that follow before those in front, and no long ones."""
    [citation] = closest_passages("When does the ferry leave?", [passage(FERRY)], ignore_meaning)
    assert citation.quoted_excerpt == FERRY == FERRY[citation.start : citation.end]
    long = "Gulls nest there, " + "as they did in all of the years that anybody remembers, " * 6 + "in the north."
    [said] = quoted("When does the ferry leave?", passage(f"The island is small. The ferry leaves at nine. {long}"))
    assert said == "The island is small. The ferry leaves at nine."
    [said] = quoted("When does the ferry leave?", passage(f"{long} The ferry leaves at nine. The island is small."))
    assert said == "The ferry leaves at nine. The island is small."


def test_a_heading_is_quoted_with_what_follows() -> None:
    """Else it says nothing."""
    [said] = quoted("opening hours", passage("Opening hours.\n\nMonday to Friday from eight to four."))
    assert said == "Opening hours.\n\nMonday to Friday from eight to four."


def test_a_step_is_quoted_from_the_first_step_on() -> None:
    steps = "1. Press the menu key.\n2. Choose the end of the day.\n3. Staple the slip to the sheet.\n4. Lock the desk."
    [said] = quoted("staple slip", passage(f"The terminal is old. It was bought used.\n\n{steps}"))
    assert said.endswith(steps)
    many = "\n".join(f"{number}. Look at the gauge of the boiler, write it down, wait." for number in range(1, 20))
    [said] = quoted("staple slip", passage(f"{many}\n20. Staple the slip to the sheet."))
    assert said.endswith("20. Staple the slip to the sheet.")
    assert len(said) <= LONGEST


def test_one_of_each_section_goes_before_the_second_of_any() -> None:
    """Three passages of one page say less than those of three."""
    timetable = uuid4()
    first = replace(passage("The ferry leaves the island at nine.", name="Timetable"), document_id=timetable)
    second = replace(passage("The ferry leaves the island at ten on Sundays."), document_id=timetable)
    places = ("Hiiu", "Muhu")
    others = [replace(passage(f"The ferry to {place} is slow.", name=place), document_id=uuid4()) for place in places]
    asked = "When does the ferry leave the island?"
    found = closest_passages(asked, [first, second, *others], ignore_meaning)
    assert [citation.document_name for citation in found] == ["Timetable", "Hiiu", "Muhu"]
    apart = [replace(first, section="Weekdays"), replace(second, section="Sundays"), *others]
    found = closest_passages(asked, apart, ignore_meaning)
    assert [citation.section for citation in found] == ["Weekdays", "Sundays", ""]


@given(
    texts=st.lists(st.sampled_from([FERRY, LIST, "", "Ferry.", "No words of it here.", "ferry " * 300]), max_size=5),
    question=st.sampled_from(["When does the ferry leave?", "opening hours", "???"]),
)
def test_each_is_a_slice_of_its_passage(texts: list[str], question: str) -> None:
    """At most three, numbered from one, whatever is in them, and none without bounds that a sentence has not."""
    passages = [passage(text, name=f"Text {number}") for number, text in enumerate(texts)]
    found = closest_passages(question, passages, ignore_meaning)
    assert len(found) <= MOST
    assert [citation.number for citation in found] == list(range(1, len(found) + 1))
    for citation in found:
        content = texts[int(citation.document_name.split()[1])]
        assert citation.quoted_excerpt == content[citation.start : citation.end] != ""
        longest = max(end - start for start, end in sentences(content))
        assert len(citation.quoted_excerpt) <= max(LONGEST, longest)


@given(estimate=SHARE, first=SHARE, second=SHARE)
def test_an_answer_is_never_insufficient_and_a_refusal_always(estimate: float, first: float, second: float) -> None:
    """Whatever the settings, the confidence of a refusal is under that of an answer, and the words fit."""
    with override_settings(CLOSEST_FROM=min(first, second), ANSWER_FROM=max(first, second)):
        answer, refusal = confidence_of_answer(estimate), confidence_of_refusal(estimate)
        assert 0.0 <= refusal <= answer <= 1.0
        assert level(answer) is not ConfidenceLevel.INSUFFICIENT
        assert refusal == 0.0 or level(refusal) is ConfidenceLevel.INSUFFICIENT
        assert is_close(estimate) >= is_sure(estimate)
        assert answer == max(estimate, answer)


@pytest.mark.parametrize(("answer_from", "low"), [(0.3, 0.3), (0.5, 0.5), (0.9, 0.5)])
def test_low_begins_where_answers_do_and_no_later_than_one_half(
    answer_from: float, low: float, settings: Settings
) -> None:
    """A higher threshold for the key-free model does not raise the confidence of another model's statements."""
    settings.ANSWER_FROM = answer_from
    assert confidence_of_answer(0.1) == low
    assert (level(low), level(low - 0.01)) == (ConfidenceLevel.LOW, ConfidenceLevel.INSUFFICIENT)
