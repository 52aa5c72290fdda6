"""Measure whether confidential papers and secrets are found: `python -m benchmarks.oversharing`.

Cuts and embeds the documents of evaluation/oversharing.jsonl as ingestion does, and lets the signs, the fitted weights
and the reader that READER names look through them; and looks for the secrets of evaluation/secrets.jsonl. Prints the
tables of docs/evaluation.md by half. --show prints what was missed and what was found in vain, of the build half alone.
--fit fits the weights of core/quality/oversharing/weights.json to the build half, beside documents of the sample
libraries, which are ordinary.
"""

import argparse
import json
import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.scratch import set_up

if TYPE_CHECKING:
    from core.quality.oversharing.rules import PassageText, Signs

ROOT = Path(__file__).parent.parent
PAPERS, SNIPPETS = ROOT / "evaluation" / "oversharing.jsonl", ROOT / "evaluation" / "secrets.jsonl"
HALVES = ("build", "check")
CREDENTIALS = "credentials"  # papers that are found by their secrets
_ORDINARY = (
    "docs/*.md",
    "evaluation/contradictions/*/*.md",
    "evaluation/formats/**/*.md",
    "evaluation/organisations/*/*.md",
    "evaluation/reports/**/*.md",
    "samples/**/*.md",
)
_NOT_ORDINARY = ("committee", "-board", "supervisors", "trustees")  # of which few are to read
# Chosen by six-fold cross-validation on the build half: the strengths of the penalties on the weights, and what a
# passage weighs that is not the telling one of a confidential paper, and one of an ordinary document.
_OF_NEAR, _OF_SIGNS = 0.1, 5.0
_BESIDE, _ORDINARY_WEIGHT = 0.25, 0.3
_SHIFT = 1.2  # taken off the intercept, so that few ordinary documents are found
_WITHOUT_WORDS = 0.5  # taken off besides, where no word of a topic is there


@dataclass(frozen=True, slots=True)
class Paper:
    """Holds a document as it is looked through."""

    row: dict[str, Any]
    passages: "list[PassageText]"
    signs: "list[Signs]"
    vectors: np.ndarray


def main() -> None:
    """Print the tables, or fit the weights."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.oversharing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fit", action="store_true", help="Fit the weights and write them, instead of measuring.")
    parser.add_argument("--show", action="store_true", help="Print what was missed and found in vain.")
    arguments = parser.parse_args()
    set_up()
    logging.disable(logging.INFO)
    if arguments.fit:
        fit()
        return
    print("| half | confidential | found | topic right | only seem so | found |")
    print("|---|---|---|---|---|---|")
    for half in HALVES:
        _measure_papers(half, show=arguments.show and half == "build")
    print()
    print("| half | secrets | masked | snippets without | with something masked |")
    print("|---|---|---|---|---|")
    for half in HALVES:
        _measure_secrets(half, show=arguments.show and half == "build")


def _read(path: Path, row: dict[str, Any]) -> Paper:
    from core.library.embedding import PACKAGED, load_provider
    from core.library.ingestion.chunking import MOST_TOKENS, chunks
    from core.library.ingestion.parsers import parse
    from core.quality.oversharing.rules import PassageText, read_signs
    from core.values.secrets import mask_secrets

    model = load_provider(PACKAGED)
    [document] = parse(path.read_bytes(), path.name).documents
    cut = chunks(document, model.tokenizer, most_tokens=MOST_TOKENS)
    passages = [
        PassageText(
            heading=" > ".join(part for part in (document.title, one.chapter, one.section) if part),
            text=mask_secrets(one.content),
        )
        for one in cut
    ]
    return Paper(row, passages, read_signs(passages), model.embed([one.embedded_text for one in cut]))


def _read_papers(half: str) -> list[Paper]:
    rows = [json.loads(line) for line in PAPERS.read_text(encoding="utf-8").splitlines()]
    return [_read(PAPERS.with_suffix("") / row["file"], row) for row in rows if row["half"] == half]


def _measure_papers(half: str, *, show: bool) -> None:
    """Print how many papers of a half are found. A paper of credentials is found by its secrets, as it is listed."""
    from core.quality.oversharing.reading import find_places
    from core.values.secrets import find_secrets

    counts: Counter[str] = Counter()
    for paper in _read_papers(half):
        row = paper.row
        places = find_places(paper.passages, paper.vectors)
        text = (PAPERS.with_suffix("") / row["file"]).read_text(encoding="utf-8")
        by_secret = row["topic"] == CREDENTIALS and bool(find_secrets(text))
        found = bool(places) or by_secret
        sort = "confidential" if row["confidential"] else "seeming"
        counts[sort] += 1
        counts[f"{sort} found"] += found
        counts["topic"] += by_secret or (row["confidential"] and any(one.topic == row["topic"] for one in places))
        if show and found != row["confidential"]:
            print(f"  {'missed' if row['confidential'] else 'in vain'}: {row['topic']} {row['language']} {row['file']}")
    print(
        f"| {half} | {counts['confidential']} | {counts['confidential found']} | {counts['topic']} |"
        f" {counts['seeming']} | {counts['seeming found']} |"
    )


def _measure_secrets(half: str, *, show: bool) -> None:
    from core.quality.evaluation.secret_formats import fill_placeholders
    from core.values.secrets import MASK, mask_secrets

    counts: Counter[str] = Counter()
    for row in (json.loads(line) for line in SNIPPETS.read_text(encoding="utf-8").splitlines()):
        if row["half"] != half:
            continue
        text = fill_placeholders(row["text"])
        masked = mask_secrets(text)
        if not row["secrets"]:
            counts["without"] += 1
            counts["in vain"] += MASK in masked
            if show and MASK in masked:
                print(f"  in vain: {row['id']}: {masked!r}")
        for secret in row["secrets"]:
            value = fill_placeholders(secret["value"])
            shown = masked[text.index(value) :][: len(value)]
            # Of an address with a password in it, the password is masked, and the rest stays.
            is_masked = MASK * 3 in shown if secret["kind"] == "connection" else _is_hidden(shown)
            counts["secrets"] += 1
            counts["masked"] += is_masked
            if show and not is_masked:
                print(f"  missed: {row['id']} ({row['language']}): {row['text']!r}")
    print(f"| {half} | {counts['secrets']} | {counts['masked']} | {counts['without']} | {counts['in vain']} |")


def _is_hidden(shown: str) -> bool:
    from core.values.secrets import MASK

    letters = [letter for letter in shown if not letter.isspace()]
    return letters.count(MASK) >= len(letters) - 1


def fit() -> None:
    """Fit the weights to the build half and write them."""
    from core.quality.oversharing.weighing import SIGNS, WEIGHTS, list_numbers

    papers = [one for one in _read_papers("build") if one.row["topic"] != CREDENTIALS]
    ordinary = [_read(path, {"confidential": False, "quote": ""}) for path in _list_ordinary()]
    rows, targets, weights = [], [], []
    for paper in [*papers, *ordinary]:
        confidential, quote = paper.row["confidential"], paper.row["quote"]
        for passage, signs, vector in zip(paper.passages, paper.signs, paper.vectors, strict=True):
            rows.append([*vector, *list_numbers(signs)])
            targets.append(float(confidential))
            weights.append(_ORDINARY_WEIGHT if "half" not in paper.row else _weigh(confidential, quote, passage.text))
    columns = len(rows[0]) - len(SIGNS)
    fitted = _regress(np.asarray(rows), np.asarray(targets), np.asarray(weights), columns)
    near, signs = fitted[1 : columns + 1], fitted[columns + 1 :]
    written = {
        "version": "1",
        "model": "all-MiniLM-L6-v2",
        "near": [round(float(value), 4) for value in near],
        "signs": {name: round(float(value), 4) for name, value in zip(SIGNS, signs, strict=True)},
        "intercept": round(float(fitted[0]) - _SHIFT, 4),
        "without_words": _WITHOUT_WORDS,
    }
    WEIGHTS.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    print(f"fitted to {len(papers)} papers and {len(ordinary)} ordinary documents: {written['signs']}")


def _list_ordinary() -> Iterable[Path]:
    paths = sorted(path for pattern in _ORDINARY for path in ROOT.glob(pattern))
    return [path for path in paths if not any(part in str(path.relative_to(ROOT)) for part in _NOT_ORDINARY)]


def _weigh(confidential: bool, quote: str, text: str) -> float:
    """Return what a passage of a paper weighs: less where another one of a confidential paper tells."""
    return 1.0 if not confidential or quote.strip("| ")[:40] in text else _BESIDE


def _regress(rows: np.ndarray, targets: np.ndarray, weights: np.ndarray, columns: int) -> np.ndarray:
    """Fit a logistic regression whose two sorts weigh alike. columns: of the embedding, which come first."""
    from scipy.optimize import minimize

    for sort in (0.0, 1.0):
        weights[targets == sort] *= len(targets) / 2 / weights[targets == sort].sum()
    penalty = np.r_[np.full(columns, _OF_NEAR), np.full(rows.shape[1] - columns, _OF_SIGNS)]

    def measure_loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        logits = rows @ values[1:] + values[0]
        errors = weights * (1 / (1 + np.exp(-logits)) - targets)
        loss = (weights * (np.logaddexp(0, logits) - targets * logits)).sum()
        loss += 0.5 * (penalty * values[1:] ** 2).sum()
        return float(loss), np.r_[errors.sum(), rows.T @ errors + penalty * values[1:]]

    found = minimize(measure_loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B")
    return np.asarray(found.x)


if __name__ == "__main__":
    main()
