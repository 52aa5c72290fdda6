"""Describe a fitted reader: the README of its folder, with the licences of what it was fitted on."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from readers.batches import Example
from readers.judging import ALL, Figures
from readers.starting import Start
from readers.training import Plan, Progress

_SETS = Path(__file__).with_name("sets.toml")
NOT_STATED = "not stated"
_FORM = Path(__file__).with_name("card.md")


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownSet:
    """A published set, as sets.toml has it."""

    what: str
    licence: str
    source: str


@cache
def read_known_sets() -> Mapping[str, KnownSet]:
    """Return the sets whose licences are known, by their names in rows."""
    return {name: KnownSet(**each) for name, each in tomllib.loads(_SETS.read_text(encoding="utf-8")).items()}


def find_licence(name: str, given: Mapping[str, str]) -> str:
    """Return the licence of a set: as it was given, else as it is known, else NOT_STATED.

    Sets of many parts are known by what stands before the hyphen in the parts' names.
    """
    known = read_known_sets().get(name) or read_known_sets().get(name.partition("-")[0])
    return given.get(name) or (known.licence if known else NOT_STATED)


def describe(
    start: Start,
    plan: Plan,
    came: Progress,
    examples: Sequence[Example],
    figures: Mapping[str, Figures],
    *,
    name: str,
    begun_with: str,
    licence: str,
    licences: Mapping[str, str],
) -> str:
    """Return the README of a fitted reader. licences: of sets, by their names, beside those that are known."""
    weights = sum(value.numel() for value in start.network.parameters())
    return _FORM.read_text(encoding="utf-8").format(
        name=name,
        start=begun_with,
        layers=start.shape.layers,
        width=start.shape.width,
        weights=f"{weights / 1e6:.1f}",
        question_tokens=start.question_tokens,
        passage_tokens=start.passage_tokens,
        steps=came.step,
        examples=f"{came.examples:,}",
        minutes=f"{came.seconds / 60:.1f}",
        device=plan.device,
        precision=plan.precision,
        finished="to the end" if came.step >= came.steps else f"of {came.steps} steps that were planned",
        rate=plan.rate,
        batch_tokens=f"{plan.batch_tokens:,}",
        dropout=plan.dropout,
        exchanged=plan.exchanged,
        seed=plan.seed,
        licence=licence,
        sets=_tabulate_sets(examples, licences),
        figures=_tabulate_figures(figures),
    )


def _tabulate_sets(examples: Sequence[Example], licences: Mapping[str, str]) -> str:
    answerable = Counter(example.set for example in examples if example.answers)
    others = Counter(example.set for example in examples if not example.answers)
    weights: dict[str, float] = {}
    for example in examples:  # passages that only seem not to answer count less than the set does
        weights[example.set] = max(example.weight, weights.get(example.set, 0.0))
    return "\n".join(
        f"| {name} | {answerable[name]:,} | {others[name]:,} | {weights[name]:g} | {find_licence(name, licences)} |"
        for name in sorted(answerable | others)
    )


def _tabulate_figures(figures: Mapping[str, Figures]) -> str:
    if not figures:
        return "It was not judged: no row was held out."
    lines = ["| Set | Rows | AUROC | Answered | F1 of spans |", "|---|---|---|---|---|"]
    for name, each in figures.items():
        cells = (each.auroc, each.unanswerable_answered, each.span_f1)
        shown = " | ".join("" if cell is None else f"{cell:.3f}" for cell in cells)
        lines.append(
            f"| {'**' * (name in ALL.values())}{name}{'**' * (name in ALL.values())} | {each.rows:,} | {shown} |"
        )
    return "\n".join(lines)
