"""Judge a reader by rows: whether it tells the passages that answer from those that do not, and finds the answer."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from core.asking.reading.network import Network
from core.asking.reading.readings import Spans
from readers.batches import ANSWERS, SUPPORTS, Example, collate, draw_batches
from readers.training import autocast

ANSWERED = 0.8  # share of the answerable questions that are answered where the others are counted
ALL = {ANSWERS: "all questions", SUPPORTS: "all statements"}
_DRAWS, _SEED = 400, 1  # of documents, for the interval of a difference
_INTERVAL = (2.5, 97.5)  # percentiles


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs:
    """Holds what a reader gives for examples, in their order."""

    logits: np.ndarray  # of the head that an example is for
    overlaps: np.ndarray  # F1 of the tokens of the best span and of the answer's; NaN without one


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Holds how good a reader is on some rows. None where there are no rows for a figure."""

    rows: int
    answerable: int
    auroc: float | None  # of the logit that a passage answers, or supports
    unanswerable_answered: float | None  # share, at the threshold at which ANSWERED of the answerable ones are
    span_f1: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Holds how much higher the AUROC of a second reader is, and its 95 % interval where documents are drawn anew."""

    auroc: float
    low: float
    high: float


def run(
    network: Network,
    examples: Sequence[Example],
    padding: int,
    *,
    batch_tokens: int,
    device: str,
    precision: str,
    done: Callable[[int], None],
) -> Outputs:
    """Read the examples. done: is told how many more were read."""
    logits, overlaps = np.zeros(len(examples)), np.full(len(examples), math.nan)
    network = network.to(torch.device(device)).eval()
    for places in draw_batches(examples, batch_tokens, None):
        batch = collate([examples[place] for place in places], padding).move(torch.device(device))
        with torch.inference_mode(), autocast(device, precision):
            begins, ends, judged = (each.float().cpu().numpy() for each in network(batch.ids, batch.is_text))
        for number, place in enumerate(places):
            example = examples[place]
            logits[place] = judged[number, example.head]
            if example.span:
                tokens = slice(example.begins, len(example.ids) - 1)
                overlaps[place] = _measure_overlap(begins[number, tokens], ends[number, tokens], example)
        done(len(places))
    return Outputs(logits=logits, overlaps=overlaps)


def measure(examples: Sequence[Example], outputs: Outputs) -> dict[str, Figures]:
    """Return the figures of each set, by its name, and those of all questions and of all statements."""
    sets: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        sets.setdefault(example.set, []).append(place)
    found = {name: _measure(examples, outputs, places) for name, places in sorted(sets.items())}
    for head, name in ALL.items():
        places = [place for place, example in enumerate(examples) if example.head == head]
        if places:
            found[name] = _measure(examples, outputs, places)
    return found


def compare(examples: Sequence[Example], one: Outputs, other: Outputs) -> Difference | None:
    """Return how much better the other reader tells answerable questions from others; None without both sorts."""
    places = np.array([place for place, example in enumerate(examples) if example.head == ANSWERS], dtype=int)
    truth = np.array([examples[place].answers for place in places])
    documents = np.array([examples[place].document for place in places])
    if not 0 < truth.sum() < len(truth):
        return None

    def find_difference(drawn: np.ndarray) -> float:
        scores = [_measure_auroc(truth[drawn], outputs.logits[places[drawn]]) for outputs in (one, other)]
        return scores[1] - scores[0]

    of_document = [np.flatnonzero(documents == document) for document in np.unique(documents)]
    chance = np.random.default_rng(_SEED)
    differences = []
    for _ in range(_DRAWS):
        drawn = np.concatenate(
            [of_document[number] for number in chance.integers(len(of_document), size=len(of_document))]
        )
        if 0 < truth[drawn].sum() < len(drawn):
            differences.append(find_difference(drawn))
    low, high = np.percentile(differences, _INTERVAL) if differences else (math.nan, math.nan)
    return Difference(auroc=find_difference(np.arange(len(places))), low=float(low), high=float(high))


def write_down(figures: Mapping[str, Figures]) -> dict[str, Any]:
    """Return the figures as plain values, rounded to four digits."""
    return {
        name: {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(each).items()}
        for name, each in figures.items()
    }


def _measure(examples: Sequence[Example], outputs: Outputs, places: Sequence[int]) -> Figures:
    truth = np.array([examples[place].answers for place in places])
    logits, overlaps = outputs.logits[places], outputs.overlaps[places]
    has_both = 0 < truth.sum() < len(truth)
    # The highest threshold that so many of the answerable ones reach.
    wanted = math.ceil(ANSWERED * truth.sum() - 1e-9)
    threshold = np.sort(logits[truth])[-wanted] if has_both else math.nan
    return Figures(
        rows=len(places),
        answerable=int(truth.sum()),
        auroc=_measure_auroc(truth, logits) if has_both else None,
        unanswerable_answered=float((logits[~truth] >= threshold).mean()) if has_both else None,
        span_f1=float(np.nanmean(overlaps)) if not np.isnan(overlaps).all() else None,
    )


def _measure_auroc(truth: np.ndarray, logits: np.ndarray) -> float:
    """Return how often one of the true has a higher logit than one of the others; an equal one counts half."""
    others = np.sort(logits[~truth])
    below = np.searchsorted(others, logits[truth], side="left")
    up_to = np.searchsorted(others, logits[truth], side="right")
    return float((below + up_to).mean() / 2 / len(others))


def _measure_overlap(begins: np.ndarray, ends: np.ndarray, example: Example) -> float:
    """Return the F1 of the tokens of the span that the product would take for the answer."""
    best = Spans(begins, ends, [(token, token + 1) for token in range(len(begins))]).find_best(1)
    if not best or example.span is None:
        return 0.0
    first, stop = example.span[0] - example.begins, example.span[1] - example.begins + 1
    shared = min(best[0].end, stop) - max(best[0].start, first)
    return max(0.0, 2 * shared / (best[0].end - best[0].start + stop - first))
