"""Measure whether checks notice changes that make answers worse: `python -m benchmarks.change_checks`.

Loads the sample library into a database of its own, with the edited files of evaluation/live_changes.jsonl in a Git
repository, and asks all of its questions as the people of an organisation did in the last month. Each change is then
brought as it would be: a commit that the source reads, or grants to a role; it is checked with the limits as they are
when they are switched on, and declined. Prints the table of docs/evaluation.md, by half: harmful changes, and how many
of them wait for a yes; harmless ones, and how many of them wait all the same; seconds for a check. --show prints what
each change did.
"""

import argparse
import json
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from benchmarks.changes import HALVES, MANUAL, READERS, ROOT, Company, open_company
from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from core.models import ChangeCheck

LINES = ROOT / "evaluation" / "live_changes.jsonl"
KINDS = ("edition", "new", "grant", "revoke")
_QUESTIONS = 30  # of a check


@dataclass(slots=True)
class Measured:
    """Holds what checks made of the changes of one half."""

    harmful: int = 0
    harmful_waiting: int = 0
    lost: int = 0  # questions that a harmful change takes the answer from
    lost_found: int = 0  # of these, named as worse
    harmless: int = 0
    harmless_waiting: int = 0
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.change_checks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--half", choices=HALVES, help="Measure this one alone.")
    parser.add_argument("--kind", choices=KINDS, action="append", help="Measure changes of these kinds alone.")
    parser.add_argument("--show", action="store_true", help="Print what each change did.")
    arguments = parser.parse_args()
    set_up()
    logging.disable(logging.INFO)
    changes = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    # What is gone at its source is withdrawn at once, and never checked.
    changes = [change for change in changes if change["kind"] in KINDS and arguments.half in {None, change["half"]}]
    people = {one["by"]: one.get("like", one["by"]) for change in changes for one in change["asked"]}
    files = {change["document"] for change in changes if change["kind"] == "edition"}
    with (
        scratch_database(),
        open_company(files | {MANUAL}, people, without=("manual.pdf",), keeps_readers=True) as company,
    ):
        _switch_limits_on()
        queries = {change["id"]: _ask_all(change) for change in changes}
        measured = {half: Measured() for half in HALVES}
        for change in changes:
            if arguments.kind and change["kind"] not in arguments.kind:
                continue
            _measure(company, files, change, queries[change["id"]], measured[change["half"]], show=arguments.show)
    print("| half | harmful | wait | answers lost | named | harmless | wait | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for half, found in measured.items():
        if found.seconds:
            print(_describe(half, found))


def _describe(half: str, found: Measured) -> str:
    cells = (
        half,
        found.harmful,
        found.harmful_waiting,
        found.lost,
        found.lost_found,
        found.harmless,
        found.harmless_waiting,
        f"{sorted(found.seconds)[len(found.seconds) // 2]:.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _switch_limits_on() -> None:
    from django.conf import settings

    from core.models import ChangeLimit
    from core.values.change_checks import ChangeKind

    settings.CHANGE_CHECK_QUESTIONS = _QUESTIONS
    for kind in ChangeKind:
        ChangeLimit.objects.create(kind=kind, is_on=True, from_documents=1)


def _ask_all(change: dict[str, Any]) -> dict[UUID, dict[str, Any]]:
    """Ask the questions of a change as their people, and return them by what was stored."""
    from core.access.audiences import asker_for, audience_of
    from core.api import ask, open_conversation
    from core.models import Query, User
    from core.types import Origin

    asked = {}
    for line in change["asked"]:
        person = User.objects.get(email=line["by"])
        asker = asker_for(person)
        result = ask(
            line["question"],
            asker=asker,
            audience=audience_of([person.pk]),
            conversation=open_conversation(origin=Origin.REST, asker=asker),
        )
        asked[Query.objects.get(request_id=result.request_id).pk] = line
    return asked


def _measure(
    company: Company,
    files: set[str],
    change: dict[str, Any],
    asked: dict[UUID, dict[str, Any]],
    found: Measured,
    *,
    show: bool,
) -> None:
    """Check a change, count what the check makes of it, and leave the library as it was."""
    from core.quality.change_checks.deciding import conclude
    from core.quality.change_checks.trying import try_change
    from core.values.change_checks import CheckState

    check = _submit(company, files, change)
    type(check).objects.filter(pk=check.pk).update(state=CheckState.RUNNING)
    started = time.perf_counter()
    try_change(check, chosen=lambda total: None, done=lambda count: None)
    conclude(check)
    found.seconds.append(time.perf_counter() - started)
    check.refresh_from_db()
    waits = bool(check.crossed)
    worse = set(check.lines.filter(is_worse=True).values_list("query", flat=True))
    if change["harm"]:
        lost = {pk for pk, line in asked.items() if line.get("lost")}
        found.harmful, found.harmful_waiting = found.harmful + 1, found.harmful_waiting + waits
        found.lost, found.lost_found = found.lost + len(lost), found.lost_found + len(lost & worse)
    else:
        found.harmless, found.harmless_waiting = found.harmless + 1, found.harmless_waiting + waits
    if show:
        said = "waits" if waits else "is made"
        print(
            f"{change['id']} {change['kind']}, {'harmful' if change['harm'] else 'harmless'}: {said}; {check.figures}"
        )
        for line in check.lines.exclude(outcome="same"):
            text = line.query.question_text if line.query else "(of the library)"
            print(f"    {line.outcome}{', worse' if line.is_worse else ''}: {text}")
    _take_back(company, files, check)


def _submit(company: Company, files: set[str], change: dict[str, Any]) -> "ChangeCheck":
    """Bring a change as it would be brought, and return its check, which decides nothing."""
    from core.access.changes import plan_change
    from core.models import Document, Role
    from core.quality.change_checks.submitting import check_grants

    if change["kind"] in {"grant", "revoke"}:
        role = Role.objects.get(name=change["role"])
        chosen = [
            document.pk
            for document in Document.objects.whole().select_related("sync_item")
            if _find_path(document) in change["documents"]
        ]
        pairs = [(role.pk, pk) for pk in chosen]
        return check_grants(plan_change(gives=change["kind"] == "grant", documents=pairs), by=None)
    return _begin_run(company, files, change)


def _find_path(document: Any) -> str:
    """Return the path of a document below samples/."""
    key = document.sync_item.key if document.sync_item else document.source
    return str(key).rpartition("samples/")[2]


def _begin_run(company: Company, files: set[str], change: dict[str, Any]) -> "ChangeCheck":
    """Commit a change, let the source be listed, and return the check for which its run waits."""
    from core.library.sync.runs import start
    from core.library.sync.slices import work
    from core.models import SyncRun
    from core.quality.change_checks.submitting import queue_check
    from core.values.change_checks import ChangeKind

    contents = _read_originals(files | {MANUAL})
    if change["kind"] == "edition":
        text = contents[change["document"]].decode()
        for old, new in change["replace"]:
            assert old in text, (change["id"], old)
            text = text.replace(old, new, 1)
        contents[change["document"]] = text.encode()
    else:
        contents[change["document"]] = change["text"].encode()
        readers = f"{READERS}{change['document']}: {change['readers']}\n"
        company.source.settings = {**company.source.settings, "readers": readers}
        company.source.save(update_fields=["settings"])
    company.commit(contents)
    run = start(company.source)
    while SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).exists():
        work(run.pk)
    run.refresh_from_db()
    assert run.state == SyncRun.State.CHECKING, (change["id"], run.state, run.error)
    return queue_check(ChangeKind.EDITIONS, {}, by=None, is_gate=False, run=run)


def _let_live(company: Company) -> None:
    """Let the source be read, without a check."""
    from core.models import ChangeLimit
    from core.values.change_checks import ChangeKind

    limit = ChangeLimit.objects.filter(kind=ChangeKind.EDITIONS)
    limit.update(is_on=False)
    company.synchronise()
    limit.update(is_on=True)


def _read_originals(files: set[str]) -> dict[str, bytes]:
    return {file: (ROOT / "samples" / file).read_bytes() for file in sorted(files)}


def _take_back(company: Company, files: set[str], check: "ChangeCheck") -> None:
    """Decline a change, and let the source be as it was."""
    from core.quality.change_checks.kinds import load_change
    from core.values.change_checks import CheckState

    load_change(check).drop()
    type(check).objects.filter(pk=check.pk).update(state=CheckState.DECLINED)
    if check.run is not None:
        company.commit(_read_originals(files | {MANUAL}))
        _let_live(company)


if __name__ == "__main__":
    main()
