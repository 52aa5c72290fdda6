"""Set the estimate from which the key-free model answers: ANSWER_FROM, or where a share of its answers is right.

ANSWERS_RIGHT names the share that people want to rely on. Which estimate keeps it follows from answers of which it is
known whether they were right: those to the product's own datasets, which read.json counts, and those that people here
found helpful or not. Thresholds that were put live in the admin count before both.
"""

import datetime as dt
import math
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from cachetools import TTLCache, cached
from django.conf import settings
from django.db.models import Count, F, IntegerField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Floor
from django.utils import timezone

from core.asking.confidence.estimate import load_fit
from core.asking.confidence.threshold_values import read_thresholds
from core.models import Feedback

DAYS = 180  # for which a vote counts: documents and what people ask change
# Of the bound on the share of right answers, one-sided: the share is missed in one of ten libraries.
_Z = 1.2816
_SECONDS = 600  # for which the votes are not counted again
KEY_FREE = "extractive"  # the provider's name in core.asking.generation.extractive, which loads LiteLLM


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """Holds how many answers were right and wrong, by their estimate in whole hundredths."""

    right: Mapping[int, int]
    wrong: Mapping[int, int]

    def count_from(self, threshold: float) -> tuple[int, int]:
        """Return how many answers with such an estimate or a higher one were right, and how many there were."""
        least = round(threshold * 100)
        right, wrong = (sum(n for at, n in counts.items() if at >= least) for counts in (self.right, self.wrong))
        return right, right + wrong

    def find_threshold(self, share: float) -> float:
        """Return the lowest estimate from which at least so large a share is right, 0..1; 1 where there is none."""
        right = wrong = 0
        lowest = 100
        for hundredths in range(99, -1, -1):
            right += self.right.get(hundredths, 0)
            wrong += self.wrong.get(hundredths, 0)
            if lower_bound(right, right + wrong) >= share:
                lowest = hundredths
        return lowest / 100


def answer_from() -> float:
    """Return the estimate, 0..1, from which the key-free model answers."""
    thresholds = read_thresholds()
    if thresholds.is_put_live or not settings.ANSWERS_RIGHT:
        return thresholds.answer_from
    return max(_count_lately().find_threshold(settings.ANSWERS_RIGHT), thresholds.closest_from)


def count_known() -> Known:
    """Return what is known of right and wrong: of the datasets, and of the votes of the last DAYS."""
    packaged = load_fit("read")["known"]
    right = Counter({int(hundredths): count for hundredths, count in packaged["right"].items()})
    wrong = Counter({int(hundredths): count for hundredths, count in packaged["wrong"].items()})
    votes = Feedback.objects.order_by().filter(
        answer__query__log__model_provider=KEY_FREE,
        answer__query__log__estimate__isnull=False,
        created_at__gte=timezone.now() - dt.timedelta(days=DAYS),
    )
    for row in (
        votes.annotate(sure=in_hundredths(F("answer__query__log__estimate")))
        .values("sure", "verdict")
        .annotate(count=Count("pk"))
    ):
        (right if row["verdict"] == Feedback.Verdict.UP else wrong)[min(row["sure"], 99)] += row["count"]
    return Known(right=right, wrong=wrong)


def in_hundredths(estimate: Combinable) -> Cast:
    """Return a logged estimate in whole hundredths, as a part of a query."""
    return Cast(Floor(estimate * 100 + 1e-6), IntegerField())


@cached(TTLCache(maxsize=1, ttl=_SECONDS), lock=threading.Lock())
def _count_lately() -> Known:
    return count_known()


def lower_bound(right: int, count: int) -> float:
    """Return the share of right answers that can be counted on, given how many of some were; 0 without any.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference" (1927), one-sided at 90 %.
    """
    if not count:
        return 0.0
    share, spread = right / count, _Z * _Z / count
    middle = share + spread / 2
    half = _Z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return (middle - half) / (1 + spread)
