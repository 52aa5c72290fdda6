"""The figures of a run over a dataset: shares, counts and times, over all lines and by kind of question. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.quality.evaluation.datasets.verdict import (
    ABSTAINED_RIGHTLY,
    ABSTAINED_WRONGLY,
    ANSWERED_NOTHING,
    ANSWERED_RIGHTLY,
    ANSWERED_WRONGLY,
    CLOSEST_HOLD_IT,
    FAILED,
    IS_PARTLY,
    IS_RIGHT,
    IS_WRONG,
    RIGHT,
    RIGHTLY_REFUSED,
    UNJUDGED,
    WRONG,
    WRONGLY_REFUSED,
    Verdict,
)

_OF_ANSWERABLE = (IS_RIGHT, IS_PARTLY, IS_WRONG, CLOSEST_HOLD_IT, WRONGLY_REFUSED)
_OF_UNANSWERABLE = (RIGHTLY_REFUSED, ANSWERED_NOTHING)

CONFIDENCE = 0.95  # of the bound on unsupported quotes, one-sided


@dataclass(frozen=True, kw_only=True, slots=True)
class LineFigures:
    """One line of a run, as far as it is counted."""

    kind: str
    verdict: Verdict
    refusal_expected: bool  # by the dataset
    refusal_too: bool  # a refusal was as right as an answer
    answered: bool
    latency_ms: float
    quotes: int = 0
    unsupported: int = 0
    dropped: int = 0
    timings_ms: dict[str, float] = field(default_factory=dict)


def figures(lines: Sequence[LineFigures]) -> dict[str, Any]:
    """Return the figures over all lines: "summary" as a person would say it, and those of each kind under "kinds".

    Shares are of the lines to which they apply, 0..1 with three decimals, None where there is none: right_source,
    answer_contains and page_right of those that expect such a thing (a refusal has not got it), abstained_rightly of
    those where a refusal is expected, abstained_wrongly of those where an answer is, right_share of all that are
    judged, and precision of the judged answers. The rest are counts and milliseconds.
    """
    kinds = {kind: [line for line in lines if line.kind == kind] for kind in dict.fromkeys(line.kind for line in lines)}
    quotes, unsupported = (sum(getattr(line, name) for line in lines) for name in ("quotes", "unsupported"))
    bound = upper_bound(unsupported, quotes)
    return {
        "summary": _summarise(lines),
        **_count_outcomes(lines),
        "answered_wrongly": sum(line.verdict.outcome == ANSWERED_WRONGLY for line in lines),
        "answered": sum(line.answered for line in lines),
        "refused": sum(not line.answered and line.verdict.outcome != FAILED for line in lines),
        "right": sum(line.verdict.outcome in RIGHT for line in lines),
        "wrong": sum(line.verdict.outcome in WRONG for line in lines),
        "unjudged": sum(line.verdict.outcome == UNJUDGED for line in lines),
        "failed": sum(line.verdict.outcome == FAILED for line in lines),
        "quotes": quotes,
        "unsupported": unsupported,
        "unsupported_upper_bound": bound,
        "unsupported_summary": f"{unsupported} unsupported of {quotes}"
        + (f" (95 % upper bound {bound * 100:.1f} %)" if bound is not None else ""),
        "timings_p50_ms": _by_step(lines),
        "kinds": {kind: _count_outcomes(of_kind) for kind, of_kind in kinds.items()},
    }


def in_sentences(found: Mapping[str, Any]) -> list[str]:
    """Summarise a run's results in sentences for people. Empty for runs from before summaries were kept."""
    summary = found.get("summary", {})
    sentences = []
    if summary.get("answerable"):
        said = {name: _format_counted_share(summary, name) for name in (IS_RIGHT, IS_PARTLY, IS_WRONG, WRONGLY_REFUSED)}
        sentences.append(
            f"Of {summary['answerable']} questions that have an answer: right {said[IS_RIGHT]}, "
            f"partly right {said[IS_PARTLY]}, wrong {said[IS_WRONG]}, wrongly refused {said[WRONGLY_REFUSED]}."
        )
        sentences.append(
            f"The closest passages contain the answer for {summary[CLOSEST_HOLD_IT]} of those refused. Right, or in "
            f"the closest passages: {summary['shares']['right_or_closest']:.0%}."
        )
    if summary.get("unanswerable"):
        sentences.append(
            f"Of {summary['unanswerable']} that have none: rightly refused "
            f"{_format_counted_share(summary, RIGHTLY_REFUSED)}, {summary['closest_shown_in_vain']} of them "
            f"with passages shown; answered anyway {_format_counted_share(summary, ANSWERED_NOTHING)}."
        )
    if summary and found["latency_p50_ms"] is not None:
        sentences.append(
            f"Half of the questions took {found['latency_p50_ms']:.0f} ms or less, "
            f"95 % of them {found['latency_p95_ms']:.0f} ms or less."
        )
    return sentences


def _format_counted_share(summary: Mapping[str, Any], name: str) -> str:
    return f"{summary[name]} ({summary['shares'][name]:.0%})"


def upper_bound(events: int, trials: int, *, confidence: float = CONFIDENCE) -> float | None:
    """Return the largest rate that leaves seeing so few events a chance of 1 - confidence; None without trials.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial"
    (1934), one-sided; without events it is 1 - (1 - confidence) ** (1 / trials), about 3 / trials.
    """
    if not trials:
        return None
    from scipy.stats import beta  # type: ignore[import-untyped]  # takes a second to load

    return 1.0 if events >= trials else round(float(beta.ppf(confidence, events + 1, trials - events)), 6)


def _summarise(lines: Sequence[LineFigures]) -> dict[str, Any]:
    """Count the results of questions that have an answer for their asker, and of those that have none.

    wrongly_refused counts all such refusals, and closest_hold_it those of them whose closest passages hold the answer.
    Shares are of the answerable or of the unanswerable.
    """
    said = Counter(line.verdict.in_words for line in lines)
    refused = said[WRONGLY_REFUSED] + said[CLOSEST_HOLD_IT]
    answerable = sum(said[each] for each in _OF_ANSWERABLE)
    unanswerable = sum(said[each] for each in _OF_UNANSWERABLE)
    counts = {IS_RIGHT: said[IS_RIGHT], IS_PARTLY: said[IS_PARTLY], IS_WRONG: said[IS_WRONG], WRONGLY_REFUSED: refused}
    rest = {RIGHTLY_REFUSED: said[RIGHTLY_REFUSED], ANSWERED_NOTHING: said[ANSWERED_NOTHING]}
    found = counts[IS_RIGHT] + said[CLOSEST_HOLD_IT]
    in_vain = sum(line.verdict.closest_shown for line in lines if line.verdict.in_words == RIGHTLY_REFUSED)
    return {
        "answerable": answerable,
        **counts,
        CLOSEST_HOLD_IT: said[CLOSEST_HOLD_IT],
        "unanswerable": unanswerable,
        **rest,
        "closest_shown_in_vain": in_vain,
        "shares": {
            **{name: _divide(count, answerable) for name, count in counts.items()},
            "right_or_closest": _divide(found, answerable),
            **{name: _divide(count, unanswerable) for name, count in rest.items()},
        },
    }


def _divide(count: int, of: int) -> float | None:
    return round(count / of, 3) if of else None


def _count_outcomes(lines: Sequence[LineFigures]) -> dict[str, Any]:
    verdicts = [line.verdict for line in lines]
    judged = [line for line in lines if line.verdict.outcome in RIGHT | WRONG]
    refusals = [line for line in judged if line.refusal_expected]
    answers = [line for line in judged if not line.refusal_expected and not line.refusal_too]
    times = [line.latency_ms for line in lines if line.verdict.outcome != FAILED]
    return {
        "questions": len(lines),
        "right_share": _measure_share(line.verdict.outcome in RIGHT for line in judged),
        "right_source": _measure_share(verdict.cites_source for verdict in verdicts),
        "answer_contains": _measure_share(verdict.contains for verdict in verdicts),
        "page_right": _measure_share(verdict.page_right for verdict in verdicts),
        "abstained_rightly": _measure_share(line.verdict.outcome == ABSTAINED_RIGHTLY for line in refusals),
        "abstained_wrongly": _measure_share(line.verdict.outcome == ABSTAINED_WRONGLY for line in answers),
        "precision": _measure_share(line.verdict.outcome == ANSWERED_RIGHTLY for line in judged if line.answered),
        "statements_dropped": sum(line.dropped for line in lines),
        "forbidden_shown": sum(verdict.forbidden_shown for verdict in verdicts),
        "latency_p50_ms": _find_percentile(times, 50),
        "latency_p95_ms": _find_percentile(times, 95),
    }


def _by_step(lines: Iterable[LineFigures]) -> dict[str, float]:
    """Return the median of each step over the lines that took it."""
    times: dict[str, list[float]] = {}
    for line in lines:
        for step, spent in line.timings_ms.items():
            times.setdefault(step, []).append(spent)
    return {step: round(float(np.median(spent)), 2) for step, spent in times.items()}


def _measure_share(checks: Iterable[bool | None]) -> float | None:
    known = [check for check in checks if check is not None]
    return round(sum(known) / len(known), 3) if known else None


def _find_percentile(times: Sequence[float], percent: int) -> float | None:
    return round(float(np.percentile(times, percent)), 1) if times else None
