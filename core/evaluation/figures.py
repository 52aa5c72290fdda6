"""The figures of a run over a dataset: shares, counts and times, over all lines and by kind of question. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.evaluation.judging import (
    ABSTAINED_RIGHTLY,
    ABSTAINED_WRONGLY,
    ANSWERED_RIGHTLY,
    ANSWERED_WRONGLY,
    FAILED,
    RIGHT,
    UNJUDGED,
    WRONG,
    Verdict,
)

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
    """The figures over all lines, with those of each kind under "kinds".

    Shares are of the lines to which they apply, 0..1 with three decimals, None where there is none: right_source,
    answer_contains and page_right of those that expect such a thing (a refusal has not got it), abstained_rightly of
    those where a refusal is expected, abstained_wrongly of those where an answer is, right_share of all that are
    judged, and precision of the judged answers. The rest are counts and milliseconds.
    """
    kinds = {kind: [line for line in lines if line.kind == kind] for kind in dict.fromkeys(line.kind for line in lines)}
    quotes, unsupported = (sum(getattr(line, name) for line in lines) for name in ("quotes", "unsupported"))
    bound = upper_bound(unsupported, quotes)
    return {
        **_counted(lines),
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
        "kinds": {kind: _counted(of_kind) for kind, of_kind in kinds.items()},
    }


def upper_bound(events: int, trials: int, *, confidence: float = CONFIDENCE) -> float | None:
    """The largest rate that leaves seeing so few events a chance of 1 - confidence; None without trials.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial"
    (1934), one-sided; without events it is 1 - (1 - confidence) ** (1 / trials), about 3 / trials.
    """
    if not trials:
        return None
    from scipy.stats import beta  # type: ignore[import-untyped]  # takes a second to load

    return 1.0 if events >= trials else round(float(beta.ppf(confidence, events + 1, trials - events)), 6)


def _counted(lines: Sequence[LineFigures]) -> dict[str, Any]:
    verdicts = [line.verdict for line in lines]
    judged = [line for line in lines if line.verdict.outcome in RIGHT | WRONG]
    refusals = [line for line in judged if line.refusal_expected]
    answers = [line for line in judged if not line.refusal_expected and not line.refusal_too]
    times = [line.latency_ms for line in lines if line.verdict.outcome != FAILED]
    return {
        "questions": len(lines),
        "right_share": _share(line.verdict.outcome in RIGHT for line in judged),
        "right_source": _share(verdict.cites_source for verdict in verdicts),
        "answer_contains": _share(verdict.contains for verdict in verdicts),
        "page_right": _share(verdict.page_right for verdict in verdicts),
        "abstained_rightly": _share(line.verdict.outcome == ABSTAINED_RIGHTLY for line in refusals),
        "abstained_wrongly": _share(line.verdict.outcome == ABSTAINED_WRONGLY for line in answers),
        "precision": _share(line.verdict.outcome == ANSWERED_RIGHTLY for line in judged if line.answered),
        "statements_dropped": sum(line.dropped for line in lines),
        "forbidden_shown": sum(verdict.forbidden_shown for verdict in verdicts),
        "latency_p50_ms": _percentile(times, 50),
        "latency_p95_ms": _percentile(times, 95),
    }


def _by_step(lines: Iterable[LineFigures]) -> dict[str, float]:
    """The median of each step over the lines that took it."""
    times: dict[str, list[float]] = {}
    for line in lines:
        for step, spent in line.timings_ms.items():
            times.setdefault(step, []).append(spent)
    return {step: round(float(np.median(spent)), 2) for step, spent in times.items()}


def _share(checks: Iterable[bool | None]) -> float | None:
    known = [check for check in checks if check is not None]
    return round(sum(known) / len(known), 3) if known else None


def _percentile(times: Sequence[float], percent: int) -> float | None:
    return round(float(np.percentile(times, percent)), 1) if times else None
