"""Count how far the figures of this process have risen since some moment."""

from collections.abc import Callable

from core.infrastructure.measures.families import REGISTRY


def count_from_now() -> Callable[..., float]:
    """Gives what a figure, named as in a query and with its labels, has risen by since."""
    before = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
    }

    def risen(name: str, **labels: str) -> float:
        now = REGISTRY.get_sample_value(name, labels) or 0.0
        return now - before.get((name, frozenset(labels.items())), 0.0)

    return risen
