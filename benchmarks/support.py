"""Measure how statements that people judged, and changed ones, pass the check against their sources.

    python -m benchmarks.support path/to/statements.jsonl [--limit N] [--seed N]

The file has a line for each statement: {"statement", "question", "passages": [{"title", "text"}], "model",
"source_set", "supported"}.
Each statement goes through the product's own attribution and check, as if its writer had quoted nothing: once without
a judge, where a doubt drops it, and once with a perfect one, which knows the truth and is asked where the rules want
it.

The last line of the output is a JSON object: the share accepted of supported and unsupported statements by writer, why
the others were dropped; the share of changed statements that were dropped, by kind, of those whose original passed; and
how many a judge is asked about.
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.corruptions import corruptions
from core.asking.verification.cleaning import clean
from core.asking.verification.statements import Claim, verify
from core.types import Passage, Statement


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """The result of checking one statement."""

    passes: bool  # without a judge
    passes_with_judge: bool  # the judge being right about each that it is asked about
    is_judged: bool
    reason: str  # why it was dropped without a judge; empty where it was not


@dataclass(slots=True)
class Tally:
    """Counts of checked statements by result."""

    count: int = 0
    without_judge: int = 0  # accepted
    with_judge: int = 0  # accepted, the judge being right about each that it is asked about
    asked: int = 0  # of the judge
    reasons: Counter[str] = field(default_factory=Counter)  # the first one, without a judge

    def add(self, checked: Checked) -> None:
        """Count one statement."""
        self.count += 1
        self.without_judge += checked.passes
        self.with_judge += checked.passes_with_judge
        self.asked += checked.is_judged
        if checked.reason:
            self.reasons[checked.reason] += 1

    def as_json(self) -> dict[str, Any]:
        """The shares."""
        count = max(1, self.count)
        return {
            "count": self.count,
            "accepted": round(self.without_judge / count, 3),
            "accepted_with_perfect_judge": round(self.with_judge / count, 3),
            "judge_asked": round(self.asked / count, 3),
            "reasons": dict(self.reasons.most_common()),
        }


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("statements", type=Path, help="Statements with their passages and labels, a line each.")
    parser.add_argument("--limit", type=int, help="Look at only so many, chosen by chance.")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.statements.read_text(encoding="utf-8").splitlines()]
    chance = random.Random(arguments.seed)
    if arguments.limit:
        rows = chance.sample(rows, min(arguments.limit, len(rows)))
    print(json.dumps(measure(rows, chance), indent=1))


def measure(rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    """The figures of all rows."""
    written: dict[tuple[str, bool], Tally] = defaultdict(Tally)
    changed: dict[str, Tally] = defaultdict(Tally)
    for row in rows:
        passages = [_passage(part, rank) for rank, part in enumerate(row["passages"], 1)]
        said, question = clean(row["statement"]), row["question"]
        checked = _checked(said, question, passages, is_true=row["supported"])
        for writer in ("all", writer_of(row)):
            written[writer, row["supported"]].add(checked)
        if row["supported"] and checked.passes:
            source = " ".join(passage.content for passage in passages)
            for kind, other in corruptions(said, source, chance).items():
                changed[kind].add(_checked(other, question, passages, is_true=False))
    return {
        "supported": {writer: tally.as_json() for (writer, truth), tally in sorted(written.items()) if truth},
        "unsupported": {writer: tally.as_json() for (writer, truth), tally in sorted(written.items()) if not truth},
        "changed": {
            kind: {
                "count": tally.count,
                "caught": round(1 - tally.without_judge / tally.count, 3),
                "caught_with_perfect_judge": round(1 - tally.with_judge / tally.count, 3),
            }
            for kind, tally in sorted(changed.items())
        },
    }


def writer_of(row: dict[str, Any]) -> str:
    """The set that a statement is from and the family of its writer: "RAGTruth-QA gpt"."""
    return f"{row['source_set']} {str(row['model']).partition('-')[0]}"


def _passage(part: dict[str, str], rank: int) -> Passage:
    return Passage(
        chunk_id=None, document_id=UUID(int=rank), document_name=part["title"], document_type="page",
        document_date=None, source_url="", page_number=None, chapter="", section="", content=part["text"],
        similarity=0.7, score=0.7, rank=rank,
    )  # fmt: skip


def _checked(said: str, question: str, passages: Sequence[Passage], *, is_true: bool) -> Checked:
    """Check a statement as the product does, after its own attribution has found the sentences."""
    claims: list[Claim] = []

    def perfect(asked: Sequence[Claim]) -> list[bool]:
        claims.extend(asked)
        return [is_true] * len(asked)

    statement = [Statement(text=said, quotes=())]
    alone = verify(statement, passages, question=question)
    judged = verify(statement, passages, question=question, judge=perfect)
    return Checked(
        passes=not alone.dropped,
        passes_with_judge=not judged.dropped,
        is_judged=bool(claims),
        reason=next(iter(alone.reasons), ""),
    )


if __name__ == "__main__":
    main()
