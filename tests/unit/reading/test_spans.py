"""Spans: the most probable parts of a text, and how much of the probability falls within a sentence."""

import numpy as np
import pytest

from core.asking.reading.readings import LONGEST_SPAN, Spans


def spans_of(begins: list[float], ends: list[float]) -> Spans:
    """Spans over tokens of two characters, one apart."""
    offsets = [(3 * number, 3 * number + 2) for number in range(len(begins))]
    return Spans(np.array(begins), np.array(ends), offsets)


def test_the_best_span_has_the_highest_sum() -> None:
    """It begins where beginning is likely, and ends at or after that."""
    found = spans_of([0, 9, 0, 0], [9, 0, 8, 0]).find_best()
    assert (found[0].start, found[0].end) == (3, 8)
    assert found[0].probability == pytest.approx(0.9, abs=0.1)


def test_further_spans_share_no_token() -> None:
    """Else they would be the first one with a word more."""
    found = spans_of([0, 9, 0, 5], [0, 9, 0, 5]).find_best()
    assert [(each.start, each.end) for each in found[:2]] == [(3, 5), (9, 11)]
    for one in found:
        assert all(one is other or one.end <= other.start or other.end <= one.start for other in found)


def test_the_probabilities_of_all_spans_are_one() -> None:
    """Of the whole text, and of its parts together where no span crosses."""
    spans = spans_of([1, 2, 3, 0, 1], [2, 1, 0, 3, 1])
    assert spans.probability_within(0, 14) == pytest.approx(1)
    first, second = spans.probability_within(0, 5), spans.probability_within(6, 14)
    assert 0 < first < 1
    assert first + second < 1  # some spans cross from one to the other


def test_no_span_is_longer_than_the_longest() -> None:
    """An answer is short, whatever the logits say."""
    begins, ends = [0.0] * 80, [0.0] * 80
    begins[0], ends[79] = 50.0, 50.0
    [best, *_] = spans_of(begins, ends).find_best()
    assert best.end - best.start <= 3 * LONGEST_SPAN


def test_a_text_without_tokens_has_no_span() -> None:
    """As of white space alone."""
    spans = spans_of([], [])
    assert spans.find_best() == ()
    assert spans.probability_within(0, 100) == 0


def test_logits_that_are_no_numbers_give_nothing() -> None:
    """Nothing is better than a wrong place."""
    assert spans_of([float("nan")] * 3, [0.0] * 3).find_best() == ()
