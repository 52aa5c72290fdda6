"""Fit how sure an answer is where passages were read, and say how often answers of each level are right.

    python -m benchmarks.gate ask evaluation/ordinary.jsonl ordinary.rows [--library samples]
    python -m benchmarks.gate squad path/to/squad2/dev.json squad.rows [--natural FOLDER] [--most 250]
    python -m benchmarks.gate fit *.rows [--write] [--picture reliability.svg]

`ask` asks the questions of a dataset of this installation, and answers all of them, however unsure; `squad` asks
questions of SQuAD 2.0 that were written to have no answer beside some that have one, and naturally worded ones
(benchmarks/natural.py). Both write a line for each question: what is known of its passages, and whether the answer was
right. `fit` fits a logistic regression to lines of all halves but `check`; what is reported is of the lines of `check`,
and of all lines of datasets that have no halves, by a fit that has seen them. With --write it becomes the product's.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.scratch import scratch_database, set_up

FITTED = Path(__file__).parents[1] / "core" / "asking" / "confidence" / "read.json"
CHECK, PUBLIC = "check", "public"
ANSWERS_ALL = 0.001  # an estimate that everything has
# Questions of people count twice as much as those of each public set, which are asked of one passage of many that
# are alike; each set counts as much as every other, however many questions it has.
WEIGHT_OF_DATASETS = 2.0
STRENGTH = 1.0  # inverse of the ridge penalty; from .3 to 10 the order changes by less than .002 AUROC


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A question that was asked."""

    dataset: str
    half: str
    answerable: bool
    right: bool  # the answer that would be given holds what is expected
    evidence: Mapping[str, float]

    @property
    def is_public(self) -> bool:
        """Return True for questions of a public set, which are asked of a scratch database."""
        return self.dataset.startswith(PUBLIC)


def main() -> None:
    """Ask, or fit and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    ask = commands.add_parser("ask", help="Ask the questions of a dataset of this installation.")
    ask.add_argument("dataset", type=Path)
    ask.add_argument("rows", type=Path)
    ask.add_argument("--library", default="")
    ask.set_defaults(run=lambda chosen: _write(chosen.rows, _ask(chosen.dataset, chosen.library)))
    squad = commands.add_parser("squad", help="Ask questions of public sets of a scratch database.")
    squad.add_argument("dataset", type=Path)
    squad.add_argument("rows", type=Path)
    squad.add_argument("--natural", type=Path)
    squad.add_argument("--most", type=int, default=250, help="Questions of SQuAD; of each natural set a fortieth.")
    squad.set_defaults(run=lambda chosen: _write(chosen.rows, _ask_public(chosen)))
    fit = commands.add_parser("fit", help="Fit, and report on the check halves.")
    fit.add_argument("rows", type=Path, nargs="+")
    fit.add_argument("--write", action="store_true", help=f"Write {FITTED.name}.")
    fit.add_argument("--picture", type=Path)
    fit.set_defaults(run=_fit)
    arguments = parser.parse_args()
    set_up()
    arguments.run(arguments)


def _write(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w") as file:
        for row in rows:
            file.write(json.dumps(asdict(row)) + "\n")


def _ask(path: Path, library: str) -> Iterable[Row]:
    from django.conf import settings

    from core.asking.confidence import judgement
    from core.models import User
    from core.quality.evaluation.datasets.dataset import read
    from core.quality.evaluation.datasets.runs import run
    from core.quality.evaluation.datasets.verdict import ANSWERED_NOTHING, IS_RIGHT, RIGHTLY_REFUSED

    settings.ANSWER_FROM = settings.CLOSEST_FROM = ANSWERS_ALL
    dataset = read(path.read_text().splitlines(), name=path.name, library=library, half="", most=None)
    people = {item.email: User.objects.get(email=item.email) for item in dataset.items}
    heard, judged = _listen(judgement.probability)
    judgement.probability = heard
    evidence: list[Any] = []

    def note(_: int) -> None:
        evidence.append(judged[0] if judged else None)
        judged.clear()

    finished = run(dataset, people, scores=False, done=note)
    for asked, found in zip(finished.asked, evidence, strict=True):
        if found is not None and found.answers is not None:
            yield Row(
                dataset=f"{path.stem} {library}".strip(),
                half=asked.item.half,
                answerable=asked.verdict.in_words not in (ANSWERED_NOTHING, RIGHTLY_REFUSED),
                right=asked.verdict.in_words == IS_RIGHT,
                evidence=asdict(found),
            )


def _listen(probability: Callable[[Any], float]) -> tuple[Callable[[Any], float], list[Any]]:
    """Return the estimate, and a list that will hold what it was asked of."""
    heard: list[Any] = []

    def listening(evidence: Any) -> float:
        heard.append(evidence)
        return probability(evidence)

    return listening, heard


def _ask_public(chosen: argparse.Namespace) -> Iterable[Row]:
    from benchmarks import natural
    from benchmarks.answerability import ask_all, index, settings_of

    articles = json.loads(chosen.dataset.read_text())["data"]
    with scratch_database():
        [adversarial] = [setting for setting in settings_of(index(articles)) if setting.name == "adversarial"]
        asked = list(ask_all(adversarial, most=chosen.most))
        if chosen.natural:
            asked += natural.ask_all(natural.index(chosen.natural, most=max(1, chosen.most // 40)))
    for one in asked:
        if one.evidence.answers is not None:
            # Of natural questions it is known which passages answer, not by which words.
            right = one.right if one.setting == adversarial.name else one.shown
            yield Row(
                dataset=f"{PUBLIC} {one.setting.split(',')[0]}",
                half="",
                answerable=one.answerable,
                right=one.answerable and right,
                evidence=asdict(one.evidence),
            )


def _fit(chosen: argparse.Namespace) -> None:
    rows = [Row(**json.loads(line)) for path in chosen.rows for line in path.read_text().splitlines()]
    fitted = fit([row for row in rows if row.half != CHECK])
    if chosen.write:
        known = count_known([row for row in rows if not row.is_public], fitted)
        FITTED.write_text(json.dumps(fitted | {"known": known}, indent=1) + "\n")
    print(json.dumps({"fitted": fitted} | report(rows, fitted), indent=1))
    if chosen.picture:
        draw([row for row in rows if not row.is_public], fitted, chosen.picture)


def fit(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the intercept and the coefficients by figure, in the form in which the product reads them."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from core.asking.confidence.estimate import OF_READ

    figures = np.array([[row.evidence[name] for name in OF_READ] for row in rows])
    groups = [row.dataset if row.is_public else "" for row in rows]
    weights = np.array([(1.0 if group else WEIGHT_OF_DATASETS) / groups.count(group) for group in groups])
    scaler = StandardScaler().fit(figures)
    model = LogisticRegression(C=STRENGTH)
    model.fit(scaler.transform(figures), [row.right for row in rows], sample_weight=weights / weights.mean())
    coefficients = model.coef_[0] / scaler.scale_
    intercept = float(model.intercept_[0] - (coefficients * scaler.mean_).sum())
    named = zip(OF_READ, coefficients, strict=True)
    return {"intercept": round(intercept, 3), "coefficients": {name: round(float(value), 3) for name, value in named}}


def count_known(rows: Sequence[Row], fitted: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return how many answers are right and wrong, by the hundredth of their confidence."""
    counts = {
        name: Counter(min(int(sure(row, fitted) * 100 + 1e-6), 99) for row in rows if row.right == is_right)
        for name, is_right in (("right", True), ("wrong", False))
    }
    return {name: {str(at): counted[at] for at in sorted(counted)} for name, counted in counts.items()}


def report(rows: Sequence[Row], fitted: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each dataset what is answered, rightly, wrongly and in vain; and how often each level is right."""
    from django.conf import settings

    from core.asking.confidence.estimate import level_of
    from core.types import ConfidenceLevel

    datasets = {}
    for name in dict.fromkeys((row.dataset, row.half) for row in rows):
        some = [(row, sure(row, fitted)) for row in rows if (row.dataset, row.half) == name]
        answered = [row for row, confidence in some if confidence >= settings.ANSWER_FROM]
        can = sum(row.answerable for row, _ in some)
        datasets[" ".join(name).strip()] = {
            "answerable": can,
            "right": _share(sum(row.right for row in answered), can),
            "wrong": _share(sum(row.answerable and not row.right for row in answered), can),
            "answered_though_nothing_answers": _share(sum(not row.answerable for row in answered), len(some) - can),
            "of_these_called_high": _share(
                sum(not row.answerable and level_of(confidence) is ConfidenceLevel.HIGH for row, confidence in some),
                len(some) - can,
            ),
        }
    levels = {}
    for public in (False, True):
        judged = [(row, sure(row, fitted)) for row in rows if row.is_public == public]
        of_level: dict[str, list[bool]] = {}
        for row, confidence in judged:
            if confidence >= settings.ANSWER_FROM:
                level = level_of(confidence, low_from=settings.ANSWER_FROM).value
                of_level.setdefault(level, []).append(row.right)
        levels["public" if public else "datasets"] = {
            level: {"answers": len(right), "right": _share(sum(right), len(right))} for level, right in of_level.items()
        }
    return {"datasets": datasets, "levels": levels}


def sure(row: Row, fitted: Mapping[str, Any]) -> float:
    """Return the probability that the answer to a question is right."""
    from core.asking.confidence.estimate import logistic
    from core.asking.confidence.evidence import Evidence

    return logistic(Evidence(**row.evidence), fitted)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def draw(rows: Sequence[Row], fitted: Mapping[str, Any], path: Path) -> None:
    """Draw how often answers are right, by how sure they are said to be: a reliability diagram."""
    import numpy as np

    from benchmarks.reporting import find_bins, prepare_drawing

    prepare_drawing()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1, label="as said")
    for label, of_half in (("check halves", [row for row in rows if row.half == CHECK]), ("all", rows)):
        confidence = np.array([sure(row, fitted) for row in of_half])
        bins = find_bins(confidence, np.array([row.right for row in of_half]), np.ones(len(of_half)))
        said, was = [said for said, _, _ in bins], [was for _, was, _ in bins]
        axes.plot(said, was, marker="o", label=f"{label}: {len(of_half)} questions")
    axes.set(xlabel="confidence", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
