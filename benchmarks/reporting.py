"""Report the quality of confidence, in figures and pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answerability import Asked, as_asked
from benchmarks.natural import NATURAL

BINS = 10
BOUNDS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85)  # of confidence; the share answered is given for each
COVERAGE = 0.95  # of what can be answered, at which the share answered of what cannot is given


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A question and the confidence that was computed for it."""

    asked: Asked
    confidence: float


def report(judged: Sequence[Judged]) -> dict[str, Any]:
    """The figures of each setting, of each set of natural questions, and of all with each setting counting the same."""
    settings = _groups(judged, lambda one: one.asked.setting)
    natural = _groups(settings.get(NATURAL, []), lambda one: one.asked.group)
    return {
        "settings": {name: _of_some(some) for name, some in settings.items()},
        "sets": {name: _of_some(some) for name, some in natural.items()},
        "all": _of_all(judged),
    }


def prepare_drawing() -> None:
    """Let matplotlib draw SVG without a screen, so that the same figures give the same file."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "footnote"


def pictures(judged: Sequence[Judged], folder: Path) -> None:
    """Draw reliability.svg and risk-coverage.svg."""
    prepare_drawing()
    folder.mkdir(parents=True, exist_ok=True)
    _reliability(judged, folder / "reliability.svg")
    _risk_coverage(judged, folder / "risk-coverage.svg")


def _groups(judged: Sequence[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    groups: dict[str, list[Judged]] = {}
    for one in judged:
        groups.setdefault(key(one), []).append(one)
    return groups


def _of_some(judged: Sequence[Judged]) -> dict[str, Any]:
    confidence, truth, _ = _columns(judged)
    shown = np.array([one.asked.shown for one in judged])
    return {
        "questions": len(judged),
        "answerable": _share(truth),
        "answer_among_passages": _share(shown[truth]),
        "auroc": _auroc(truth, confidence),
        "auroc_top_similarity": _auroc(truth, [one.asked.top_similarity for one in judged]),
        "auroc_mean_similarity": _auroc(truth, [one.asked.mean_similarity for one in judged]),
        "by_bound": {str(bound): _at(bound, judged) for bound in BOUNDS},
        "answered_of_unanswerable_at_95_coverage": (
            _share(confidence[~truth] >= np.quantile(confidence[truth], 1 - COVERAGE)) if truth.any() else None
        ),
        "calibration_error": round(_calibration_error(confidence, truth, np.ones(len(judged))), 3),
    }


def _at(bound: float, judged: Sequence[Judged]) -> dict[str, Any]:
    """Compute the shares answered from this confidence on, and the unanswerable share among them."""
    confidence, truth, _ = _columns(judged)
    near = np.array([one.asked.near for one in judged])
    passed = confidence >= bound
    return {
        "of_answerable": _share(passed[truth]),
        "of_answerable_with_the_passage_among_the_closest": _share((passed & near)[truth]),
        "of_unanswerable": _share(passed[~truth]),
        "risk": _share(~truth[passed]),
    }


def _auroc(truth: Any, scores: Any) -> float | None:
    """None where all or none can be answered."""
    from sklearn.metrics import roc_auc_score

    return round(float(roc_auc_score(truth, scores)), 3) if truth.any() and not truth.all() else None


def _of_all(judged: Sequence[Judged]) -> dict[str, Any]:
    from core.asking.confidence.estimate import LOW_FROM, level_of

    confidence, truth, weights = _columns(judged)
    levels = np.array([level_of(value).value for value in confidence])
    right = np.array([one.asked.right for one in judged])
    answered = confidence >= LOW_FROM
    return {
        "calibration_error": round(_calibration_error(confidence, truth, weights), 3),
        "precision_by_level": {
            level: {
                "answers": int((levels == level).sum()),
                "answerable": _weighted(truth, weights, levels == level),
                "answer_right": _weighted(right, weights, levels == level),
            }
            for level in ("high", "medium", "low")
        },
        "answer_right_of_answered": _weighted(right, weights, answered),
        "answer_right_of_answerable": _share(right[truth]),
    }


def _columns(judged: Sequence[Judged]) -> tuple[Any, Any, Any]:
    """Confidence, whether it can be answered, and weights: of every setting the same, as often answerable as asked."""
    names = [one.asked.setting for one in judged]
    counts = {name: names.count(name) for name in set(names)}
    return (
        np.array([one.confidence for one in judged]),
        np.array([one.asked.answerable for one in judged]),
        as_asked([one.asked for one in judged], np.array([1.0 / counts[name] for name in names])),
    )


def _share(values: Any) -> float | None:
    return round(float(np.mean(values)), 3) if len(values) else None


def _weighted(values: Any, weights: Any, chosen: Any) -> float | None:
    return round(float(np.average(values[chosen], weights=weights[chosen])), 3) if chosen.any() else None


def find_bins(confidence: Any, truth: Any, weights: Any) -> list[tuple[float, float, float]]:
    """Return for each bin that holds any: mean confidence, share that is true, share of the weight."""
    places = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return [
        (
            float(np.average(confidence[places == n], weights=weights[places == n])),
            float(np.average(truth[places == n], weights=weights[places == n])),
            float(weights[places == n].sum() / weights.sum()),
        )
        for n in range(BINS)
        if (places == n).any()
    ]


def _calibration_error(confidence: Any, truth: Any, weights: Any) -> float:
    return sum(abs(said - was) * share for said, was, share in find_bins(confidence, truth, weights))


def _reliability(judged: Sequence[Judged], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4.4), layout="constrained")
    axes = figure.subplots()
    bins = find_bins(*_columns(judged))
    axes.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1, label="as said")
    axes.plot([said for said, _, _ in bins], [was for _, was, _ in bins], marker="o", label="measured")
    axes.bar([said for said, _, _ in bins], [share for *_, share in bins], width=0.07, color="0.85", label="share")
    axes.set(xlabel="confidence", ylabel="share that can be answered", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


def _risk_coverage(judged: Sequence[Judged], path: Path) -> None:
    from matplotlib.figure import Figure

    from core.asking.confidence.estimate import LOW_FROM

    figure = Figure(figsize=(5, 4.4), layout="constrained")
    axes = figure.subplots()
    for name in dict.fromkeys(one.asked.setting for one in judged):
        confidence, truth, _ = _columns([one for one in judged if one.asked.setting == name])
        if not truth.any():
            continue  # there the risk is one, whatever is answered
        ordered = truth[np.argsort(-confidence, kind="stable")]
        count = np.arange(1, len(ordered) + 1)
        axes.plot(count / len(ordered), 1 - np.cumsum(ordered) / count, label=name)
        passed = confidence >= LOW_FROM
        if passed.any():
            axes.plot(passed.mean(), 1 - truth[passed].mean(), marker="o", color="0.3")
    axes.set(xlabel="share answered", ylabel="of these, share that cannot be answered", xlim=(0, 1), ylim=(0, 0.65))
    axes.legend(title=f"dot: where confidence is {LOW_FROM}")
    figure.savefig(path, metadata={"Date": None})
