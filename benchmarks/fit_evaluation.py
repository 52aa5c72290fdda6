"""Fit and test what turns the reader's logits into the scores of evaluation without a judging model.

    python -m benchmarks.fit_evaluation FOLDER [--most 1500] [--rows FILE]

FOLDER holds questions.jsonl.xz and passages.jsonl.xz in the form that `readers` takes as pairs; they are public data
and not part of this project. Only rows that the packaged reader was not fitted on are read: it left out each passage
whose first 200 characters hash to a multiple of forty. Left out are sets written for Footnote, which were divided in
another way, statements in the place of questions, and negatives from anywhere, since an answer is always made from the
nearest passages.

Two logistic regressions of one figure are fitted, each row counting the same: whether a passage answers, and whether a
text as short as an answer does. Half of the passages are held out, and all figures are theirs. It reads each text with
the packaged reader, which takes some minutes.
"""

import argparse
import hashlib
import json
import lzma
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scratch import set_up

_LEFT_OUT = frozenset({"fever_nli", "expertqa_claims", "written_a", "written_b", "written_c"})
_UNUSED_OF = 40  # passages; the fit of the packaged reader left out one of so many
_FIRST = 200  # characters that decide which
_LIKE_AN_ANSWER = 300  # characters at most
_FEWEST = 20  # rows of a set of which figures are given
_BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A question with a text that answers it or not."""

    set: str
    passage: int
    short: bool  # as short as an answer
    good: bool
    logit: float  # of the packaged reader
    local: float  # the score of before, by words and embeddings


def main() -> None:
    """Print the coefficients, and how good the scores are on the half held out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=1500, help="Rows of either kind.")
    parser.add_argument("--rows", type=Path, help="Keep what was read in this file, or fit what it holds.")
    chosen = parser.parse_args()
    if chosen.rows and chosen.rows.exists():
        rows = [Row(**json.loads(line)) for line in chosen.rows.read_text().splitlines()]
    else:
        rows = list(_read(chosen.folder, chosen.most))
    if chosen.rows:
        chosen.rows.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows))
    for name, short in (("RELEVANCE", False), ("ANSWER_RELEVANCE", True)):
        report(name, [row for row in rows if row.short == short])


def _read(folder: Path, most: int) -> Iterator[Row]:
    """Read the chosen questions with their texts."""
    from core.asking.reading.reader import read

    passages = dict(_choose_passages(folder))
    asked = [
        row
        for row in _lines(folder / "questions.jsonl.xz")
        if row["passage"] in passages and row["set"] not in _LEFT_OUT and row["negative"] != "random"
    ]
    random.Random(20).shuffle(asked)
    left = Counter({False: most, True: most})
    for row in asked:
        title, text = passages[row["passage"]]
        short = len(text) <= _LIKE_AN_ANSWER
        if not left[short]:
            continue
        left[short] -= 1
        [reading] = read(row["question"], [("" if short else title, text)], budget_s=60)
        if reading:
            yield Row(
                set=row["set"],
                passage=row["passage"],
                short=short,
                good=row["answerable"],
                logit=round(reading.answers, 3),
                local=round(_score_by_words(row["question"], title, text, short=short), 3),
            )


def _choose_passages(folder: Path) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the passages that the packaged reader was not fitted on, by their numbers."""
    for row in _lines(folder / "passages.jsonl.xz"):
        digest = hashlib.sha256(row["text"][:_FIRST].encode()).hexdigest()
        if int(digest[:8], 16) % _UNUSED_OF == 0:
            yield row["passage"], (row["title"] or "", row["text"])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _score_by_words(question: str, title: str, text: str, *, short: bool) -> float:
    """Return the score that was computed before there was a reader, for comparison: decision 0007."""
    from core.library import embedding

    weights = (3.93, 6.40, -4.02) if short else (3.59, 6.46, -3.42)
    read = text if short else f"{title}\n{text}"
    one, other = _provider(embedding).embed([question, read])
    weighted = weights[0] * float(one @ other) + weights[1] * _coverage(question, read) + weights[2]
    return float(1 / (1 + np.exp(-weighted)))


def _coverage(text: str, other: str) -> float:
    """Return the share of a text's content words that another text holds, 0..1."""
    from core.language.nlp.text import content_stems

    wanted = set(content_stems(text))
    return len(wanted & set(content_stems(other))) / len(wanted) if wanted else 0.0


@cache
def _provider(embedding: Any) -> Any:
    from django.conf import settings

    return embedding.load_provider(settings.EMBEDDING_MODEL)


def report(name: str, rows: Sequence[Row]) -> None:
    """Fit on half of the passages and report on the other; then print the coefficients fitted on all."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import brier_score_loss, roc_auc_score

    logits = np.array([[row.logit] for row in rows])
    good = np.array([row.good for row in rows])
    counts = Counter(row.set for row in rows)
    training = np.array([hashlib.sha256(str(row.passage).encode()).digest()[0] % 2 == 0 for row in rows])
    model = LogisticRegression(C=100).fit(logits[training], good[training])
    scores = model.predict_proba(logits)[:, 1]
    local = np.array([row.local for row in rows])
    held = ~training
    model.fit(logits, good)
    print(f"{name}: slope={model.coef_[0][0]:.3f}, intercept={model.intercept_[0]:.3f}")
    print(f"  {len(rows)} rows of {len(counts)} sets, {good.sum()} good; {held.sum()} held out")
    for label, figures in (("reader", scores), ("by words, as before", local)):
        area = roc_auc_score(good[held], figures[held])
        brier = brier_score_loss(good[held], figures[held])
        print(f"  {label}: AUROC {area:.3f}, Brier {brier:.3f}")
        for low, high in pairwise(_BINS):
            some = held & (figures >= low) & ((figures < high) | (high == 1.0))
            if some.any():
                said, were = figures[some].mean(), good[some].mean()
                print(f"    {low:.1f}-{high:.1f}: {some.sum():4d} said {said:.2f}, were {were:.2f}")
    for one, count in sorted(counts.items()):
        some = held & np.array([row.set == one for row in rows])
        if some.sum() >= _FEWEST and 0 < good[some].sum() < some.sum():
            print(f"    {one}: {count} rows, AUROC {roc_auc_score(good[some], scores[some]):.3f}")


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    set_up()
    main()
