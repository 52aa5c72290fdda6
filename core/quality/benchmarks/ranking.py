"""Measure a ranking against judgements of relevance. Pure."""

import math
from collections.abc import Mapping, Sequence


def ndcg(ranked: Sequence[str], judged: Mapping[str, int], k: int) -> float:
    """Normalised discounted cumulative gain of the first k, 0..1; 0 when nothing is relevant.

    ranked: ids, best first, each once. judged: the gain of each judged id; others gain nothing.
    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with the gain itself
    and the logarithm to base 2, as trec_eval's ndcg_cut computes it and BEIR reports it.
    """
    ideal = _discount_gains(sorted(judged.values(), reverse=True)[:k])
    return _discount_gains([judged.get(each, 0) for each in ranked[:k]]) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], judged: Mapping[str, int], k: int) -> float:
    """The share of the relevant ids (gain over 0) that are among the first k, 0..1; 0 when nothing is relevant."""
    relevant = {each for each, gain in judged.items() if gain > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def _discount_gains(gains: Sequence[int]) -> float:
    return sum(max(gain, 0) / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
