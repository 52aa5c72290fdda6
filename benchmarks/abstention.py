"""How well confidence tells what can be answered from what cannot, on SQuAD 2.0; and, with --fit, its coefficients.

    python -m benchmarks.abstention path/to/squad2/dev.json [--fit] [--pictures FOLDER]

Every paragraph is indexed once, and roles decide what a question is asked of. Three settings:

- out of scope: half of the articles are permitted, the answerable questions of all are asked (both halves);
- passage missing: a random half of the paragraphs is permitted, the answerable questions of all are asked (both
  halves);
- adversarial: everything is permitted, and the questions that were written to be impossible are asked too.

Every figure is of held-out articles: what is said of an article's questions comes from a fit without that article.
With --fit the coefficients fitted on all articles are written for the product.

The last line of
the output is a JSON object: for each setting the area under the ROC curve of confidence and of the best and mean
similarity, the share answered of what can and cannot be answered, and the calibration error (ten bins of equal width);
over all settings, each counting the same, calibration, and how often answers of each level were right.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.answerability import Asked, ask_all, index, settings_of
from benchmarks.reporting import Judged, pictures, report
from benchmarks.scratch import scratch_database, set_up

COEFFICIENTS = Path(__file__).parents[1] / "core" / "answering" / "confidence.json"
ADVERSARIAL_WEIGHT = 6  # of the questions that are hardest to tell apart, in the fit
STRENGTH = 0.003  # inverse of the ridge penalty


def main() -> None:
    """Measure, after fitting where that is wanted, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path, help="dev.json of SQuAD 2.0, or a part of it.")
    parser.add_argument("--fit", action="store_true", help=f"Fit anew, and write {COEFFICIENTS.name}.")
    parser.add_argument("--pictures", type=Path, help="Folder for the reliability and the risk-coverage curve.")
    parser.add_argument("--most", type=int, help="Ask only so many questions, spread evenly (for a quick look).")
    arguments = parser.parse_args()
    set_up()
    articles = json.loads(arguments.dataset.read_text())["data"]
    with scratch_database():
        library = index(articles)
        asked = [one for setting in settings_of(library) for one in ask_all(setting, most=arguments.most)]
    held_out = [judged for article in sorted({one.article for one in asked}) for judged in _judged(asked, article)]
    if arguments.fit:
        COEFFICIENTS.write_text(json.dumps(fit(asked), indent=1) + "\n")
    if arguments.pictures:
        pictures(held_out, arguments.pictures)
    print(json.dumps(report(held_out), indent=1))


def _judged(asked: list[Asked], article: str) -> list[Judged]:
    """The questions of one article with the confidence that a fit on the other articles gives them."""
    from core.answering.confidence import logistic

    fitted = fit([one for one in asked if one.article != article])
    return [Judged(asked=one, confidence=logistic(one.evidence, fitted)) for one in asked if one.article == article]


def fit(asked: list[Asked]) -> dict[str, Any]:
    """The intercept and the coefficients by term, in the form in which the product reads them."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from core.answering import confidence

    names = list(confidence.terms_of(asked[0].evidence))
    terms = np.array([list(confidence.terms_of(one.evidence).values()) for one in asked])
    truth = np.array([one.answerable for one in asked])
    equal = _weights(asked, {})
    scaler = StandardScaler().fit(terms)
    scaled = scaler.transform(terms)
    model = LogisticRegression(C=STRENGTH, max_iter=5000)
    model.fit(scaled, truth, sample_weight=_weights(asked, {"adversarial": ADVERSARIAL_WEIGHT}))
    # The weights above order well; what the order is worth is fitted with every setting counting the same.
    calibration = LogisticRegression(C=1000).fit(model.decision_function(scaled)[:, None], truth, sample_weight=equal)
    slope, shift = float(calibration.coef_[0][0]), float(calibration.intercept_[0])
    spread = np.where(scaler.scale_ > 0, scaler.scale_, 1.0)
    coefficients = model.coef_[0] / spread * slope
    intercept = (float(model.intercept_[0]) - float((model.coef_[0] * scaler.mean_ / spread).sum())) * slope + shift
    return {
        "intercept": round(intercept, 4),
        "coefficients": {
            name: round(float(value), 4) for name, value in zip(names, coefficients, strict=True) if abs(value) >= 5e-5
        },
    }


def _weights(asked: list[Asked], heavier: dict[str, float]) -> Any:
    """A weight for each question, so that every setting counts the same, or as much more as is said."""
    import numpy as np

    counts: dict[str, int] = {}
    for one in asked:
        counts[one.setting] = counts.get(one.setting, 0) + 1
    return np.array([1000 * heavier.get(one.setting, 1.0) / counts[one.setting] for one in asked])


if __name__ == "__main__":
    main()
