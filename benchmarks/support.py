"""Whether statements that people judged, and changed ones, pass the check against their sources.

    python -m benchmarks.support path/to/statements.jsonl [--limit N] [--seed N]

The file has a line for each statement: {"statement", "question", "passages": [{"title", "text"}], "model",
"source_set", "supported"}.
Quotes are chosen by the benchmark itself, for the changed statements anew. Each statement is assessed twice: without a
judge, where a doubt drops it, and with a perfect one, which is asked where the rules want it and knows the truth.

The last line of the output is a JSON object: the share accepted of supported and unsupported statements by writer, why
the others were dropped; the share of changed statements that were dropped, by kind, of those whose original passed; and
how many a judge is asked about.
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.corruptions import corruptions
from core.citations.cleaning import cleaned
from core.citations.evidence import LEAST_QUOTED_WORDS, Evidence
from core.citations.reasons import Reason
from core.citations.support import Assessment, assess
from core.text import content_stems, sentences
from core.types import Passage

MOST_SENTENCES = 4  # that one statement rests on


@dataclass(slots=True)
class Tally:
    """How many statements were looked at, and what became of them."""

    count: int = 0
    without_judge: int = 0  # accepted
    with_judge: int = 0  # accepted, the judge being right about each that it is asked about
    asked: int = 0  # of the judge
    reasons: Counter[str] = field(default_factory=Counter)  # the first one, without a judge

    def add(self, assessed: Assessment, *, is_true: bool) -> None:
        """Count one statement."""
        reason = assessed.veto or next(iter(assessed.doubts), None)
        self.count += 1
        self.without_judge += reason is None
        self.with_judge += assessed.veto is None and (is_true or not assessed.needs_judge)
        self.asked += assessed.veto is None and assessed.needs_judge
        if reason:
            self.reasons[("veto " if assessed.veto else "doubt ") + reason.value] += 1

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
        said, question = cleaned(row["statement"]), row["question"]
        assessed = _assessed(said, question, passages)
        for writer in ("all", writer_of(row)):
            written[writer, row["supported"]].add(assessed, is_true=row["supported"])
        if row["supported"] and assessed.veto is None and not assessed.doubts:
            source = " ".join(passage.content for passage in passages)
            for kind, other in corruptions(said, source, chance).items():
                changed[kind].add(_assessed(other, question, passages), is_true=False)
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


def _assessed(said: str, question: str, passages: Sequence[Passage]) -> Assessment:
    evidence = attribute(said, (), passages)
    if not evidence:
        return Assessment(veto=Reason.UNRELATED, doubts=(), needs_judge=False)
    return assess(said, evidence, question=question)


def attribute(said: str, own_quotes: Sequence[Evidence], passages: Sequence[Passage]) -> list[Evidence]:
    """Sentences that hold a statement's words: each time the one that adds most, as long as one adds any."""
    wanted = set(content_stems(said))
    found = list(own_quotes)
    candidates = list(_candidates(wanted, passages))
    have: set[str] = set()
    while candidates and len(found) < MOST_SENTENCES:
        best = max(candidates, key=lambda candidate: (len(candidate[1] - have), len(candidate[1])))
        if not best[1] - have:
            break
        found.append(best[0])
        have |= best[1]
        candidates.remove(best)
    return found


def _candidates(wanted: set[str], passages: Sequence[Passage]) -> Iterator[tuple[Evidence, set[str]]]:
    for passage in passages:
        for start, end in sentences(passage.content):
            text = passage.content[start:end]
            shared = wanted & set(content_stems(text))
            if shared and len(text.split()) >= LEAST_QUOTED_WORDS:
                yield Evidence(passage=passage, start=start, end=end), shared


if __name__ == "__main__":
    main()
