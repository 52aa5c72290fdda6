"""Two runs over a dataset side by side: which questions came out differently."""

from dataclasses import dataclass
from typing import Any

from core.errors import NotFoundError
from core.models import EvaluationRun, EvaluationRunLine
from core.quality.evaluation.datasets.verdict import RIGHT

COMPARED = (
    "right_share",
    "right_source",
    "answer_contains",
    "page_right",
    "abstained_rightly",
    "abstained_wrongly",
    "precision",
    "statements_dropped",
    "forbidden_shown",
    "latency_p50_ms",
    "latency_p95_ms",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """A question with another outcome than before."""

    identifier: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The differences between two runs."""

    before: EvaluationRun
    after: EvaluationRun
    same_questions: bool  # every line that was asked is the same
    broken: tuple[Changed, ...]  # right before, not now
    mended: tuple[Changed, ...]  # not right before, right now
    other: tuple[Changed, ...]  # wrong in another way
    only_before: tuple[str, ...]  # ids of questions that were not asked again
    only_after: tuple[str, ...]  # ids of those that are new

    def figures(self) -> dict[str, tuple[Any, Any]]:
        """The figures that differ, before and after."""
        pairs = {name: (self.before.figures.get(name), self.after.figures.get(name)) for name in COMPARED}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "before": str(self.before.pk),
            "same_questions": self.same_questions,
            "figures": {name: list(pair) for name, pair in self.figures().items()},
            **{
                name: [
                    {"id": one.identifier, "kind": one.kind, "before": one.before, "after": one.after}
                    for one in getattr(self, name)
                ]
                for name in ("broken", "mended", "other")
            },
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
        }


def earlier(run: EvaluationRun) -> EvaluationRun | None:
    """The finished run that began last before this one: one with the same questions, or else one over the dataset."""
    runs = EvaluationRun.objects.filter(started_at__lt=run.started_at, finished_at__isnull=False)
    runs = runs.filter(dataset=run.dataset).order_by("-started_at")
    return runs.filter(dataset_hash=run.dataset_hash).first() or runs.first()


def find_run(reference: str) -> EvaluationRun:
    """The finished run of that id, or of which the id begins so. NotFoundError unless it is exactly one."""
    runs = [
        run
        for run in EvaluationRun.objects.filter(finished_at__isnull=False).only("pk", "dataset", "figures")
        if reference and str(run.pk).startswith(reference.casefold())
    ]
    if len(runs) != 1:
        raise NotFoundError(f"There is no finished run {reference}, or more than one whose id starts with this.")
    return EvaluationRun.objects.get(pk=runs[0].pk)


def compare(before: EvaluationRun, after: EvaluationRun) -> Comparison:
    """Hold the lines of two runs against each other, by their ids."""
    old, new = ({line.identifier: line for line in run.lines.all()} for run in (before, after))
    changed = [(old[name], line) for name, line in new.items() if name in old and old[name].outcome != line.outcome]
    return Comparison(
        before=before,
        after=after,
        same_questions=before.dataset_hash == after.dataset_hash,
        broken=tuple(
            _build_change(*pair) for pair in changed if pair[0].outcome in RIGHT and pair[1].outcome not in RIGHT
        ),
        mended=tuple(
            _build_change(*pair) for pair in changed if pair[0].outcome not in RIGHT and pair[1].outcome in RIGHT
        ),
        other=tuple(
            _build_change(*pair) for pair in changed if (pair[0].outcome in RIGHT) == (pair[1].outcome in RIGHT)
        ),
        only_before=tuple(name for name in old if name not in new),
        only_after=tuple(name for name in new if name not in old),
    )


def _build_change(before: EvaluationRunLine, after: EvaluationRunLine) -> Changed:
    return Changed(identifier=after.identifier, kind=after.kind, before=before.outcome, after=after.outcome)
