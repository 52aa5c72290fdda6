"""Measure receipts: `python -m benchmarks.receipts`.

Loads the sample library into a database of its own and asks its questions; takes a receipt of each answer, changes it
in every way that benchmarks/receipts/tampering.py knows, and verifies what comes of it. Prints how many changes of each
kind are noticed, and how many harmless ones are taken for changes; then what sealing an answer, issuing a receipt and
verifying it cost, and how large one is. Answers' rows are changed in the database too, before a receipt is asked for.

--receipts: so many answers. --bits: so many flipped bits for each.
"""

import argparse
import json
import logging
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.receipts.making import Sample
from benchmarks.receipts.tampering import flip_bytes, judge, list_cases, write
from benchmarks.scratch import scratch_database, set_up
from core.asking.receipts.verify_receipt import (
    CHANGED,
    ReceiptFormatError,
    Verdict,
    read_receipt,
    verify,
)

if TYPE_CHECKING:
    from core.models import User

_LIBRARY = Path(__file__).parents[2] / "samples" / "library.toml"
_QUESTIONS = Path(__file__).parents[2] / "evaluation" / "samples.jsonl"
_SEED = 11
# Each changes the rows of an answer behind Footnote, as whoever may write to the database could.
_IN_THE_DATABASE = {
    "answer's text": "UPDATE core_answer SET answer_text = answer_text || '!' WHERE query_id = %s",
    "answer's confidence": "UPDATE core_answer SET confidence = confidence * 0.5 WHERE query_id = %s",
    "question": "UPDATE core_query SET question_text = question_text || '?' WHERE id = %s",
    "time of the answer": "UPDATE core_answer SET created_at = created_at - interval '1 day' WHERE query_id = %s",
    "words of a quote": (
        "UPDATE core_citationwords SET quoted_excerpt = quoted_excerpt || '.' FROM core_citation c, core_answer a"
        " WHERE citation_id = c.id AND c.answer_id = a.id AND a.query_id = %s"
    ),
    "edition of a quote": (
        "UPDATE core_citation SET document_date = '1999-01-01' FROM core_answer a"
        " WHERE answer_id = a.id AND a.query_id = %s"
    ),
    "roles in the seal": (
        "UPDATE core_answerseal SET facts = jsonb_set(facts, '{audience}', '[]') FROM core_answer a"
        " WHERE answer_id = a.id AND a.query_id = %s"
    ),
    "no seal": ("DELETE FROM core_answerseal USING core_answer a WHERE answer_id = a.id AND a.query_id = %s"),
    "another event of the answer": (
        "INSERT INTO core_auditevent (id, actor_id, action, object_type, object_id, details, created_at, digest)"
        " SELECT gen_random_uuid(), e.actor_id, e.action, e.object_type, e.object_id, e.details, now(), ''"
        " FROM core_auditevent e JOIN core_querylog l ON e.object_id = l.id::text WHERE l.query_id = %s"
    ),
    "no event of the answer": "UPDATE core_querylog SET response_id = NULL WHERE query_id = %s",
    "late seal": (
        "UPDATE core_answerseal SET is_late = true FROM core_answer a WHERE answer_id = a.id AND a.query_id = %s"
    ),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.receipts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--receipts", type=int, default=20, metavar="N", help="Default: 20.")
    parser.add_argument("--bits", type=int, default=500, metavar="N", help="Default: 500.")
    arguments = parser.parse_args()
    set_up()
    logging.disable(logging.CRITICAL)
    with scratch_database():
        reader = _load()
        samples, times = _take_receipts(reader, arguments.receipts)
        tried, wrong = _try_all(samples, arguments.bits)
        changed, refused = _change_rows(reader)
    print("| kind of change | tried | as it should be | wrongly |\n|---|---|---|---|")
    for kind, count in tried.items():
        print(f"| {kind} | {count:,} | {count - wrong[kind]:,} | {wrong[kind]:,} |")
    print(
        f"| a row in the database, before a receipt is asked for | {changed:,} | {refused:,} | {changed - refused:,} |"
    )
    print("\n| what it costs | median | most |\n|---|---|---|")
    for name, values in times.items():
        print(f"| {name} | {statistics.median(values):.1f} | {max(values):.1f} |")


def _load() -> "User":
    """Load the sample library, and return somebody who reads all of it."""
    from django.core.management import call_command

    from core.models import Role, User, UserRole

    call_command("load_library", str(_LIBRARY), verbosity=0)
    reader = User.objects.create(email="reader@example.com", display_name="Reader")
    UserRole.objects.bulk_create(UserRole(user=reader, role=role) for role in Role.objects.all())
    return reader


def _ask(reader: "User", question: str) -> Any:
    from core import api
    from core.access.audiences import asker_for, audience_of

    return api.ask(question, asker=asker_for(reader), audience=audience_of([reader.pk]))


def _list_questions() -> Iterator[str]:
    while True:
        for line in _QUESTIONS.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["question"]


def _take_receipts(reader: "User", count: int) -> tuple[list[Sample], dict[str, list[float]]]:
    """Take receipts of so many answers, and what each step cost in milliseconds."""
    from core import api
    from core.access import audit
    from core.access.audiences import audience_of
    from core.asking.answering import record
    from core.asking.receipts.keys import read_signing_key
    from core.types import Answer

    times: dict[str, list[float]] = {
        name: []
        for name in ("sealing an answer, ms", "issuing a receipt, ms", "verifying it, ms", "size of a receipt, KiB")
    }
    record.seal_answer = _timed(record.seal_answer, times["sealing an answer, ms"])  # type: ignore[attr-defined]
    issue = _timed(api.issue_receipt, times["issuing a receipt, ms"])
    receipts = []
    for question in _list_questions():
        result = _ask(reader, question)
        if isinstance(result, Answer):
            receipts.append(issue(result.request_id, audience=audience_of([reader.pk]), viewer=reader))
        if len(receipts) == count:
            break
    lines, head = tuple(audit.export("jsonl", by=None)), str(audit.head())
    keys = {"keys": api.published_keys()}
    for receipt in receipts:
        content = write(receipt.content)
        times["size of a receipt, KiB"].append(len(content) / 1024)
        _timed(lambda content: verify(read_receipt(content)), times["verifying it, ms"])(content)
    return [
        Sample(
            receipt=dict(receipt.content),
            keys=keys,
            audit=lines,
            head=head,
            documents={},
            private_key=read_signing_key(),
        )
        for receipt in receipts
    ], times


def _timed(function: Callable[..., Any], times: list[float]) -> Callable[..., Any]:
    """Return the function, which notes the milliseconds of each call."""

    def run(*given: Any, **named: Any) -> Any:
        begun = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            times.append((time.perf_counter() - begun) * 1000)

    return run


def _try_all(samples: list[Sample], bits: int) -> tuple[Counter[str], Counter[str]]:
    """Verify every change of every receipt. Returns how many of each kind there were, and were judged wrongly."""
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    draw = random.Random(_SEED)
    for sample, other in zip(samples, [*samples[1:], samples[0]], strict=True):
        for case in list_cases(sample, other):
            tried[case.kind] += 1
            wrong[case.kind] += judge(case)[0] != case.code
        said = verify(read_receipt(write(sample.receipt))).parts
        for content in flip_bytes(sample, bits, draw.randrange):
            tried["one bit"] += 1
            verdict = _verify(content)
            wrong["one bit"] += verdict is not None and verdict.exit_code != CHANGED and verdict.parts != said
    return tried, wrong


def _verify(content: bytes) -> Verdict | None:
    try:
        return verify(read_receipt(content))
    except ReceiptFormatError:
        return None


def _change_rows(reader: "User") -> tuple[int, int]:
    """Change rows of answers, each another way. Returns how many were changed, and got no receipt afterwards."""
    from django.db import connection

    from core import api
    from core.access.audiences import audience_of
    from core.errors import ReceiptError
    from core.models.row_security import bypass_row_security
    from core.types import Answer

    changed = refused = 0
    questions = _list_questions()
    for statement in _IN_THE_DATABASE.values():
        result = next(found for found in (_ask(reader, next(questions)) for _ in range(9)) if isinstance(found, Answer))
        with bypass_row_security(), connection.cursor() as cursor:
            cursor.execute(statement, [result.query_id])
            changed += cursor.rowcount > 0
        try:
            api.issue_receipt(result.request_id, audience=audience_of([reader.pk]), viewer=reader)
        except ReceiptError:
            refused += 1
    return changed, refused


if __name__ == "__main__":
    main()
