"""From passages to a probability, to words, and to what of a question they do not hold."""

import datetime as dt
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from core.asking.answering.understanding import understand_selection
from core.asking.confidence.estimate import (
    LOW_FROM,
    NAMES,
    OF_OTHER_COLUMN,
    OF_READ,
    SURE_OF_CELL,
    level_of,
    logistic,
    probability,
    terms_of,
)
from core.asking.confidence.evidence import Evidence, evidence_of
from core.asking.confidence.judgement import Judgement, judge
from core.language.nlp.sentence_scoring import ignore_meaning
from core.language.query_understanding.values import SubQuery, Understood
from core.types import ConfidenceLevel, Filters, Passage
from tests.unit.verification.passages import passage

SHARE = st.floats(min_value=0.0, max_value=1.0)
EVIDENCE = st.builds(Evidence, **dict.fromkeys(NAMES, SHARE))
READ = st.builds(Evidence, **dict.fromkeys(NAMES, SHARE), answers=st.floats(min_value=-8, max_value=8))
HELD = Evidence(
    top_similarity=0.8,
    sentence_similarity=0.85,
    best_similarity=0.85,
    coverage=0.95,
    first_held=1.0,
    missing=0.0,
    name_missing=0.0,
    number_missing=0.0,
    kind_held=1.0,
    negated=0.0,
    negation_differs=0.0,
    length=0.5,
)
NOT_HELD = replace(
    HELD,
    top_similarity=0.15,
    sentence_similarity=0.15,
    best_similarity=0.1,
    coverage=0.0,
    first_held=0.0,
    missing=1.0,
    name_missing=1.0,
    kind_held=0.0,
)
FEE = passage(
    "The board set the mooring fee at 11 euros a day. Anna Berg did not vote for it.",
    name="Harbour minutes",
    date=dt.date(2024, 3, 20),
)
CANTEEN = passage("Soup is served at noon.", name="Canteen rules")
FERRY = replace(passage("The ferry to Holm leaves at seven every morning.", name="Ferry rules"), similarity=0.8)


def near(question: str, texts: Sequence[str]) -> Sequence[float]:
    """A similarity that is high for a sentence with the question's last word, and else low."""
    word = question.rstrip("?").split()[-1]
    return [0.9 if word in text else 0.1 for text in texts]


def test_what_is_taken_from_passages() -> None:
    """Of the best sentence, its passage, the first passage and the nearest one, each what it is called."""
    found = evidence_of("How many euros does Anna Berg pay the board in 2025 for mooring?", [CANTEEN, FEE], near)
    assert found is not None
    assert (found.top_similarity, found.sentence_similarity, found.best_similarity) == (0.7, 0.9, 0.9)
    assert (found.first_held, found.name_missing, found.number_missing) == (pytest.approx(0.0), 0.0, 1.0)
    assert (found.kind_held, found.negated, found.negation_differs, found.length) == (1.0, 0.0, 0.0, 0.7)
    assert 0 < found.missing < found.coverage < 1
    assert found.missing < 1 - found.coverage


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("Did Anna Berg vote for it?", {"negated": 0.0, "negation_differs": 1.0, "name_missing": 0.0}),
        ("Did Anna Berg not vote for it?", {"negated": 1.0, "negation_differs": 0.0, "name_missing": 0.0}),
        ("Nobody was hurt, may Anna Berg vote for it?", {"negated": 0.0, "name_missing": 0.0}),
        ("Did Erik Berg vote for it?", {"negated": 0.0, "negation_differs": 1.0, "name_missing": 0.5}),
        ("Did Anna Berg vote on 20 March 2024?", {"number_missing": 0.0, "name_missing": 0.0}),
        ("Did Anna Berg vote on 21 March 2024?", {"number_missing": 0.5, "name_missing": 0.0}),
    ],
)
def test_names_numbers_and_negations_are_told_apart(question: str, figures: dict[str, float]) -> None:
    """The date in the heading is there as the words are."""
    found = evidence_of(question, [FEE], ignore_meaning)
    assert {name: getattr(found, name) for name in figures} == figures


@pytest.mark.parametrize(
    ("question", "passages"),
    [("When is soup served?", []), ("When is soup served?", [passage(" \n")]), ("What is it?", [CANTEEN])],
)
def test_where_nothing_can_be_compared_there_is_no_evidence(question: str, passages: list[Passage]) -> None:
    """No passage, no sentence, or no content word."""
    assert evidence_of(question, passages, ignore_meaning) is None


@given(EVIDENCE)
def test_terms_are_the_figures_and_their_products(evidence: Evidence) -> None:
    """Each pair once, in the order of the fields."""
    terms = terms_of(evidence)
    pairs = {f"{one}*{other}": (one, other) for one, other in itertools.combinations_with_replacement(NAMES, 2)}
    assert set(terms) == set(NAMES) | set(pairs)
    assert {name: terms[name] for name in NAMES} == {name: getattr(evidence, name) for name in NAMES}
    assert all(terms[name] == terms[one] * terms[other] for name, (one, other) in pairs.items())


@given(READ)
def test_terms_of_what_was_read_are_the_figures(evidence: Evidence) -> None:
    """Two of them; the others add nothing to what a reader says."""
    assert terms_of(evidence) == {name: getattr(evidence, name) for name in OF_READ}


@pytest.mark.parametrize(("name", "evidence"), [("unread", HELD), ("read", replace(HELD, answers=4.0))])
def test_the_fitted_coefficients_are_of_known_terms(name: str, evidence: Evidence) -> None:
    """And of finite size; nothing else is in the file."""
    fitted = json.loads(resources.files("core.asking.confidence").joinpath(f"{name}.json").read_text(encoding="utf-8"))
    assert set(fitted) - {"known"} == {"intercept", "coefficients"}
    assert set(fitted["coefficients"]) <= set(terms_of(evidence))
    assert fitted["coefficients"]
    assert all(abs(value) < 100 for value in (fitted["intercept"], *fitted["coefficients"].values()))


def test_what_is_held_is_far_likelier_than_what_is_not() -> None:
    """The one is sure, the other is refused."""
    assert probability(HELD) > 0.85
    assert probability(NOT_HELD) < 0.1


def test_a_passage_with_a_word_like_the_asked_one_is_not_sure_enough() -> None:
    """The river gate, asked for the rivet gate: refused from the surest reading on, and still close."""
    sure = replace(HELD, answers=4.5)
    assert probability(sure) > 0.85
    assert settings.CLOSEST_FROM < probability(replace(sure, looks_alike=True)) < settings.ANSWER_FROM


def test_evidence_tells_of_a_word_like_the_asked_one() -> None:
    """Unless the passage has the asked word too."""
    gate = passage("The river gate is locked at sunset.", name="Rules")
    both = passage("The river gate is locked at sunset, the rivet gate never.", name="Rules")
    found = [evidence_of("When is the rivet gate locked?", [one], ignore_meaning) for one in (gate, both)]
    assert [each and each.looks_alike for each in found] == [True, False]


def test_a_passage_of_another_year_than_the_asked_one_is_not_sure_enough() -> None:
    """What the fete of 2024 brought in is no answer for 2023, however surely it is read as one."""
    sure = replace(HELD, answers=4.5)
    assert settings.CLOSEST_FROM < probability(replace(sure, other_year=True)) < settings.ANSWER_FROM


@pytest.mark.parametrize(
    ("question", "is_of_other"),
    [
        ("How much did the fete bring in in 2023?", True),
        ("How much did the fete bring in in 2024?", False),  # the heading has it
        ("How much did the fete bring in in 2025?", False),  # "2024/25" has it
        ("Did the fete bring in more in 2024 than in 2023?", False),
        ("How much did the fete bring in?", False),
        ("What will the fete in summer 2026 be like?", True),
        ("When in 2023 was the fete?", True),
        ("Did 2000 people come to the fete?", False),
        ("Did the fete bring in £2030?", False),
        ("Did the fete bring in 2030.50 pounds?", False),
    ],
)
def test_evidence_tells_of_another_year(question: str, is_of_other: bool) -> None:
    """Where a passage or its heading has years, and none of those that the question names."""
    fete = passage("School year 2024/25: the fete brought in 1,120 pounds.", name="Meeting, 18 June 2024")
    found = evidence_of(question, [fete], ignore_meaning)
    assert found is not None
    assert found.other_year is is_of_other


def test_a_passage_without_a_year_may_be_of_any() -> None:
    """As a page of opening times that is in force."""
    undated = passage("The office opens at nine.", name="Opening times", date=None)
    found = evidence_of("When does the office open in 2027?", [undated], ignore_meaning)
    assert found is not None
    assert not found.other_year


SAME_SUBJECT = Evidence(
    top_similarity=0.4,
    sentence_similarity=0.45,
    best_similarity=0.45,
    coverage=0.25,
    first_held=0.4,
    missing=0.6,
    name_missing=0.0,
    number_missing=0.0,
    kind_held=1.0,
    negated=0.0,
    negation_differs=0.0,
    length=0.3,
)


def test_the_same_subject_alone_is_no_answer() -> None:
    """A passage that lacks most of what is asked comes close, and is not sure enough unless it is very near."""
    assert settings.CLOSEST_FROM < probability(SAME_SUBJECT) < LOW_FROM
    near = replace(SAME_SUBJECT, top_similarity=0.6, sentence_similarity=0.65, best_similarity=0.65)
    assert level_of(probability(near)) is ConfidenceLevel.MEDIUM


def test_a_sentence_with_every_word_is_nearly_sure() -> None:
    """Also where the question is short, and its vector is not very near."""
    verbatim = replace(
        SAME_SUBJECT,
        sentence_similarity=0.55,
        best_similarity=0.55,
        coverage=1.0,
        first_held=1.0,
        missing=0.0,
        length=0.4,
    )
    assert probability(verbatim) > 0.8


@pytest.mark.parametrize("name", ["top_similarity", "sentence_similarity", "best_similarity", "coverage"])
def test_more_of_it_is_surer(name: str) -> None:
    """Each step up of a similarity or of the coverage raises the probability, at any value of the other features."""
    for base in (HELD, replace(HELD, missing=0.4, first_held=0.5), replace(NOT_HELD, name_missing=0.0)):
        steps = [probability(replace(base, **{name: step / 10})) for step in range(11)]
        assert steps == sorted(steps)
        assert steps[0] < steps[-1]


def test_what_a_reader_says_decides() -> None:
    """All of the question's words in a passage that does not answer are no answer, and one without them may be."""
    assert probability(replace(HELD, answers=-5.0)) < 0.3
    assert probability(replace(SAME_SUBJECT, answers=5.0)) > 0.6
    logits = [probability(replace(SAME_SUBJECT, answers=float(logit))) for logit in range(-6, 7)]
    assert logits == sorted(logits)


@given(EVIDENCE | READ, st.floats(min_value=-1e6, max_value=1e6))
def test_a_probability_is_one(evidence: Evidence, size: float) -> None:
    """Between 0 and 1 for any evidence and however large the coefficients are; one half for none of them."""
    assert 0 <= probability(evidence) <= 1
    assert 0 <= logistic(evidence, {"intercept": size, "coefficients": {"best_similarity": size}}) <= 1
    assert logistic(evidence, {"intercept": 0.0, "coefficients": {}}) == 0.5


@pytest.mark.parametrize(
    ("confidence", "level"),
    [
        (1.0, ConfidenceLevel.HIGH),
        (0.9, ConfidenceLevel.HIGH),
        (0.8999, ConfidenceLevel.MEDIUM),
        (0.7, ConfidenceLevel.MEDIUM),
        (0.6999, ConfidenceLevel.LOW),
        (0.5, ConfidenceLevel.LOW),
        (0.4999, ConfidenceLevel.INSUFFICIENT),
        (0.0, ConfidenceLevel.INSUFFICIENT),
    ],
)
def test_levels_begin_at_their_bounds(confidence: float, level: ConfidenceLevel) -> None:
    """A level holds its lower bound."""
    assert level_of(confidence) is level


def asked(question: str) -> Understood:
    return understand_selection(question, given=Filters(), today=dt.date(2026, 3, 15))


def sure(question: str, *passages: Passage) -> float:
    """Return the confidence of the answer to a question of one sub-question."""
    return judge(asked(question), passages, near).confidence


def joined(question: str, *passages: Passage) -> float:
    """Return the confidence of the answer to several sub-questions when it is judged as one."""
    evidence = evidence_of(asked(question).bare, passages, near)
    assert evidence is not None
    return probability(evidence)


FERRY_PART, FEE_PART = "When does the ferry leave", "which mooring fee did the board set"
SUBMARINE_PART = "how deep may submarines dive"


def test_a_side_that_is_lacking_is_named() -> None:
    """The confidence is that of the sub-questions that are found, and of none else."""
    judged = judge(asked(f"{FERRY_PART}, and {SUBMARINE_PART}?"), [FERRY, CANTEEN], near)
    assert judged.lacking == (SUBMARINE_PART,)
    assert judged.confidence == pytest.approx(sure(FERRY_PART, FERRY, CANTEEN))
    assert judged.confidence >= settings.ANSWER_FROM > sure(SUBMARINE_PART, FERRY, CANTEEN)
    assert judged.message == f"I found nothing certain enough about: {SUBMARINE_PART}."


def test_of_sides_that_are_found_the_mean_counts() -> None:
    """Nothing is lacking, and nothing is said."""
    shelf = (FERRY, replace(FEE, similarity=0.8))
    judged = judge(asked(f"{FERRY_PART}, and {FEE_PART}?"), shelf, near)
    one, other = sure(FERRY_PART, *shelf), sure(FEE_PART, *shelf)
    assert one != other
    assert judged.confidence == pytest.approx((one + other) / 2)
    assert (judged.lacking, judged.message) == ((), "")


def test_where_no_side_is_found_the_surest_counts() -> None:
    """It is under the bound, and none is named: the question as a whole is refused."""
    whole = f"How fast are walruses swimming, and {SUBMARINE_PART}?"
    judged = judge(asked(whole), [FERRY, CANTEEN], near)
    parts = ("How fast are walruses swimming", SUBMARINE_PART)
    expected = max(*(sure(part, FERRY, CANTEEN) for part in parts), joined(whole, FERRY, CANTEEN))
    assert judged == Judgement(confidence=pytest.approx(expected))
    assert judged.confidence < settings.ANSWER_FROM


def test_without_passages_nothing_is_sure() -> None:
    """With sub-questions and without."""
    assert [judge(asked(text), [], near) for text in (FERRY_PART, f"{FERRY_PART}, and {FEE_PART}?")] == [
        Judgement(confidence=0.0)
    ] * 2


def test_it_is_judged_as_it_was_searched_for() -> None:
    """By the words of the last search, in which those that became filters are left out."""
    understood = asked("When does the ferry leave in the minutes of 1999?")
    sub_queries = tuple(SubQuery(query=query, filters=Filters()) for query in ("Submarines?", FERRY_PART))
    searched: dict[str, Any] = {"sub_queries": sub_queries}
    assert judge(replace(understood, **searched), [FERRY], near).confidence == sure(FERRY_PART, FERRY)


def test_a_long_side_is_cut_in_the_message() -> None:
    """A message names what it is about, and repeats no essay."""
    long = "how deep may submarines dive " + "under the ice " * 20
    [label] = judge(asked(f"{FERRY_PART}, and {long}?"), [FERRY], near).lacking
    assert long.startswith(label)
    assert len(label) == 120


TABLE = "Boat | Berth | Fee\n--- | --- | ---\nMaribel | 7 | 90\nOsprey | 3 | 40"


def test_a_cell_that_a_question_names_whole_is_sure() -> None:
    """Whatever is read: no word of the question is left over. A negation turns it round."""
    table = passage(TABLE, name="Moorings")
    named = evidence_of("What is the fee of the Osprey?", [table], ignore_meaning)
    assert named is not None
    assert named.is_named
    assert probability(named) >= SURE_OF_CELL
    assert probability(replace(named, is_named=False, answers=-5.0)) < SURE_OF_CELL
    others = ("What is the fee of the Osprey at night?", "What is not the fee of the Osprey?")
    assert not any((found := evidence_of(other, [table], ignore_meaning)) and found.is_named for other in others)


def test_a_row_without_the_column_asked_for_is_less_sure() -> None:
    """Nearness in meaning stands in for a column's name in other words."""
    table = passage(TABLE, name="Moorings")

    def estimate(nearness: float) -> float:
        found = evidence_of("How heavy is the Osprey?", [table], lambda _, texts: [nearness for _ in texts])
        assert found is not None
        assert found.column_similarity == nearness
        return probability(replace(found, answers=2.0, best_similarity=0.4))

    assert estimate(0.1) == pytest.approx(OF_OTHER_COLUMN * estimate(0.4))
