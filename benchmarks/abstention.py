"""Measure how well confidence separates answerable questions from others; with --fit, fit its coefficients.

    python -m benchmarks.abstention path/to/squad2/dev.json [--natural FOLDER] [--fit] [--pictures FOLDER]
        [--vectors FILE]

Every paragraph is indexed once, and roles decide what a question is asked of. Three settings of SQuAD 2.0:

- out of scope: half of the articles are permitted, the answerable questions of all are asked (both halves);
- passage missing: a random half of the paragraphs is permitted, the answerable questions of all are asked (both
  halves);
- adversarial: everything is permitted, and the questions that were written to be impossible are asked too.

With --natural three more, of questions in people's own words (benchmarks/natural.py says what the
folder holds):

- natural: each question is asked of its set, once with the passages that answer it and once without them;
- natural, out of scope: it is asked of the sets about other fields;
- in other words: questions that share few words with the passages they are about, asked with and without them, and
  near misses, which the passages nearly answer.

Every figure is of an article or a set that was held out: what is said of its questions comes from a fit without it.
Of a set of natural questions one half is for fitting, and the other is reported. With --fit the coefficients fitted on
all articles and all sets are written for the product.

The last line of the output is a JSON object: for each setting, and each set of natural questions, the area under the
ROC curve of confidence and of the best and mean similarity, the calibration error (ten bins of equal width), and by
bound what would be answered of what can and cannot be; over all settings, each counting the same and what can be
answered counting three quarters, calibration, and how often answers of each level were right.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks import natural
from benchmarks.answerability import Asked, as_asked, ask_all, index, settings_of
from benchmarks.reporting import Judged, pictures, report
from benchmarks.scratch import scratch_database, set_up
from benchmarks.vectors import kept_in

COEFFICIENTS = Path(__file__).parents[1] / "core" / "asking" / "confidence" / "unread.json"
# What a setting counts in the fit, beside one: those whose questions are the hardest to distinguish count most.
FIT_WEIGHTS = {"adversarial": 6.0, natural.NATURAL: 4.0, natural.ORDINARY: 4.0, natural.OUT_OF_SCOPE: 0.5}
# And in what is made of the order: every field of questions the same.
CALIBRATION_WEIGHTS = {natural.NATURAL: 2.0, natural.ORDINARY: 2.0, natural.OUT_OF_SCOPE: 0.5}
STRENGTH = 0.0003  # inverse of the ridge penalty


def main() -> None:
    """Measure, after fitting where that is wanted, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path, help="dev.json of SQuAD 2.0, or a part of it.")
    parser.add_argument("--natural", type=Path, help="Folder of natural.jsonl and pool.jsonl.")
    parser.add_argument("--fit", action="store_true", help=f"Fit anew, and write {COEFFICIENTS.name}.")
    parser.add_argument("--pictures", type=Path, help="Folder for the reliability and the risk-coverage curve.")
    parser.add_argument("--most", type=int, help="Ask only so many questions, diversify evenly (for a quick look).")
    parser.add_argument("--vectors", type=Path, help="File that keeps vectors for the next run.")
    arguments = parser.parse_args()
    set_up()
    if arguments.fit and _is_read():
        parser.error("With a reader the estimate is fitted by benchmarks.gate. Set READER=none.")
    asked = _asked(arguments)
    held_out = [judged for group in sorted({one.group for one in asked}) for judged in _judged(asked, group)]
    if arguments.fit:
        fitted = fit([one for one in asked if one.fits])
        COEFFICIENTS.write_text(json.dumps(fitted, indent=1) + "\n")
    if arguments.pictures:
        pictures(held_out, arguments.pictures)
    print(json.dumps(report(held_out), indent=1))


def _asked(arguments: argparse.Namespace) -> list[Asked]:
    articles = json.loads(arguments.dataset.read_text())["data"]
    with kept_in(arguments.vectors), scratch_database():
        library = index(articles)
        asked = [one for setting in settings_of(library) for one in ask_all(setting, most=arguments.most)]
        if arguments.natural:
            asked += natural.ask_all(natural.index(arguments.natural, most=arguments.most))
    return asked


def _is_read() -> bool:
    from core.asking.reading import reader

    return reader.is_on()


def _judged(asked: list[Asked], group: str) -> list[Judged]:
    """The questions of an article or a set with the confidence that a fit on the others gives them."""
    from core.asking.confidence.estimate import logistic

    fitted = fit([one for one in asked if one.fits and one.group != group])
    return [
        Judged(asked=one, confidence=logistic(one.evidence, fitted))
        for one in asked
        if one.reported and one.group == group
    ]


def fit(asked: list[Asked]) -> dict[str, Any]:
    """The intercept and the coefficients by term, in the form in which the product reads them."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from core.asking.confidence import estimate

    names = list(estimate.terms_of(asked[0].evidence))
    terms = np.array([list(estimate.terms_of(one.evidence).values()) for one in asked])
    truth = np.array([one.shown for one in asked])
    scaler = StandardScaler().fit(terms)
    scaled = scaler.transform(terms)
    model = LogisticRegression(C=STRENGTH, max_iter=5000)
    model.fit(scaled, truth, sample_weight=_weights(asked, FIT_WEIGHTS))
    # The weights above order well; what the order is worth is fitted with others.
    weights = as_asked(asked, _weights(asked, CALIBRATION_WEIGHTS))
    calibration = LogisticRegression(C=1000).fit(model.decision_function(scaled)[:, None], truth, sample_weight=weights)
    slope, shift = float(calibration.coef_[0][0]), float(calibration.intercept_[0])
    diversify = np.where(scaler.scale_ > 0, scaler.scale_, 1.0)
    coefficients = model.coef_[0] / diversify * slope
    intercept = (float(model.intercept_[0]) - float((model.coef_[0] * scaler.mean_ / diversify).sum())) * slope + shift
    return {
        "intercept": round(intercept, 4),
        "coefficients": {
            name: round(float(value), 4) for name, value in zip(names, coefficients, strict=True) if abs(value) >= 5e-5
        },
    }


def _weights(asked: list[Asked], times: dict[str, float]) -> Any:
    """A weight for each question, so that every setting counts the same, or as many times as much as is said."""
    import numpy as np

    counts: dict[str, int] = {}
    for one in asked:
        counts[one.setting] = counts.get(one.setting, 0) + 1
    return np.array([1000 * times.get(one.setting, 1.0) / counts[one.setting] for one in asked])


if __name__ == "__main__":
    main()
