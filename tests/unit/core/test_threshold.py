"""From which estimate there is an answer where a share of the answers has to be right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from core.asking.confidence import threshold
from core.asking.confidence.endings import is_sure
from core.asking.confidence.threshold import Known, answer_from, lower_bound

COUNTS = st.dictionaries(st.integers(0, 99), st.integers(0, 200))


def test_the_bound_is_wilsons() -> None:
    """Of 90 in 100 .854 can be counted on, of 9 in 10 .718, one-sided at 90 %; of a few right ones not all."""
    assert lower_bound(90, 100) == pytest.approx(0.8543, abs=0.001)
    assert lower_bound(9, 10) == pytest.approx(0.7175, abs=0.001)
    assert lower_bound(3, 3) < 0.7
    assert lower_bound(0, 0) == 0.0


@given(right=COUNTS, wrong=COUNTS, share=st.floats(0.01, 0.99))
def test_from_the_threshold_on_the_share_is_kept(right: dict[int, int], wrong: dict[int, int], share: float) -> None:
    known = Known(right=right, wrong=wrong)
    from_there = known.find_threshold(share)
    if from_there < 1:
        assert lower_bound(*known.count_from(from_there)) >= share
    assert known.find_threshold(min(share + 0.1, 0.999)) >= from_there


def test_nothing_known_promises_nothing() -> None:
    assert Known(right={}, wrong={}).find_threshold(0.5) == 1.0


def test_the_promise_takes_the_place_of_the_estimate(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """And never lets answer what is not even among the closest."""
    monkeypatch.setattr(threshold, "_count_lately", lambda: Known(right={80: 50, 30: 50}, wrong={30: 50}))
    settings.ANSWER_FROM, settings.CLOSEST_FROM, settings.ANSWERS_RIGHT = 0.5, 0.2, 0.0
    assert answer_from() == 0.5
    settings.ANSWERS_RIGHT = 0.9
    assert (is_sure(0.8), is_sure(0.3), is_sure(0.5)) == (True, False, True)
    settings.ANSWERS_RIGHT, settings.CLOSEST_FROM = 0.1, 0.4
    assert answer_from() == 0.4
