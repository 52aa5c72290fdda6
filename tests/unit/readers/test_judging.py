"""Figures of readers, from outputs whose figures can be reckoned by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.errors import ReaderError
from readers.aligning import find_alignment
from readers.batches import ANSWERS, SUPPORTS, Example
from readers.judging import Figures, Outputs, _measure_overlap, compare, measure, write_down


def make_example(answers: bool, **given: object) -> Example:
    values = {"head": ANSWERS, "place": 0, "document": 0, "set": "s", "negative": "", "span": None, "begins": 3}
    ids = np.arange(14)
    return Example(ids=ids, answers=answers, **(values | given))  # type: ignore[arg-type]


def make_outputs(logits: list[float], overlaps: list[float] | None = None) -> Outputs:
    return Outputs(logits=np.array(logits), overlaps=np.array(overlaps or [math.nan] * len(logits)))


TRUTH = [True] * 5 + [False] * 4
LOGITS = [5.0, 4.0, 3.0, 2.0, -1.0, 4.5, 1.5, 2.0, -2.0]


def test_figures_of_a_set() -> None:
    """At the threshold of 2, which four of five answerable questions reach, two of the four others are answered."""
    examples = [make_example(answers) for answers in TRUTH]
    figures = measure(examples, make_outputs(LOGITS, [1, 0.5, 0, *[math.nan] * 6]))["s"]
    # Of the four others so many are below each answerable one, equal ones by half.
    assert figures.auroc == pytest.approx((4 + 3 + 3 + 2.5 + 1) / 20)
    assert figures.unanswerable_answered == pytest.approx(2 / 4)
    assert figures.span_f1 == pytest.approx(0.5)
    assert (figures.rows, figures.answerable) == (9, 5)


def test_questions_and_statements_are_not_mixed() -> None:
    """Each set has its figures, and so have all questions and all statements."""
    examples = [make_example(answers) for answers in TRUTH]
    examples += [replace(make_example(answers), set="said", head=SUPPORTS) for answers in (True, False)]
    found = measure(examples, make_outputs([*LOGITS, 9.0, 1.0]))
    assert list(found) == ["s", "said", "all questions", "all statements"]
    assert found["all questions"] == found["s"]
    assert (found["all statements"].rows, found["all statements"].auroc) == (2, 1.0)


@pytest.mark.parametrize("answers", [True, False])
def test_rows_of_one_sort_have_no_figure_for_two(answers: bool) -> None:
    """They are not counted as nought either."""
    figures = measure([make_example(answers)] * 3, make_outputs([1, 2, 3]))["s"]
    assert (figures.auroc, figures.unanswerable_answered, figures.span_f1) == (None, None, None)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(2, 3, 1.0), (2, 2, 2 / 3), (3, 6, 2 / 6), (0, 1, 0.0), (5, 5, 0.0)],
)
def test_a_span_is_as_good_as_the_tokens_that_it_shares(first: int, last: int, expected: float) -> None:
    """With the answer, which is tokens 2 and 3 of the passage."""
    begins, ends = np.zeros((2, 10))
    begins[first] = ends[last] = 20
    example = make_example(True, span=(5, 6))
    assert _measure_overlap(begins, ends, example) == pytest.approx(expected)


def test_two_readers_are_compared_by_documents() -> None:
    """The better one is better in whatever documents are drawn, a reader beside itself nowhere."""
    examples = [make_example(answers, document=number % 10) for number in range(20) for answers in (True, False)]
    right = make_outputs([float(example.answers) for example in examples])
    wrong = make_outputs([float(not example.answers) for example in examples])
    better, same = compare(examples, wrong, right), compare(examples, right, right)
    assert better is not None
    assert same is not None
    assert (better.auroc, better.low, better.high) == (1, 1, 1)
    assert (same.auroc, same.low, same.high) == (0, 0, 0)
    assert compare(examples[::2], right, right) is None


def test_figures_are_written_as_plain_values() -> None:
    """Rounded, and null for what there is not."""
    figures = Figures(rows=3, answerable=1, auroc=2 / 3, unanswerable_answered=None, span_f1=0.5)
    assert write_down({"s": figures}) == {
        "s": {"rows": 3, "answerable": 1, "auroc": 0.6667, "unanswerable_answered": None, "span_f1": 0.5}
    }


def test_a_readers_logits_are_put_on_the_line_of_anothers() -> None:
    """Logits that differ by a slope and a shift mean the same afterwards."""
    chance = np.random.default_rng(1)
    other = chance.normal(0, 2, 400)
    answers = chance.random(400) < 1 / (1 + np.exp(-other))
    found = find_alignment((other - 1.5) / 0.5, other, answers)
    assert (found.slope, found.shift) == pytest.approx((0.5, 1.5), abs=0.01)


@pytest.mark.parametrize(("own", "answers"), [([1.0, 2.0], [True, True]), ([2.0, 1.0], [False, True])])
def test_readers_that_cannot_be_aligned_are_refused(own: list[float], answers: list[bool]) -> None:
    """Rows that are all alike, and a reader that takes answers for none."""
    with pytest.raises(ReaderError):
        find_alignment(np.array(own), np.array([1.0, 2.0]), np.array(answers))
