"""Rehearse on the copy, in a process that knows no other database: load it, migrate it, check it, ask it.

`python -m core.operations.rehearsal.on_copy` reads its order from standard input as one line of JSON and writes what
happens to standard output, one JSON object a line: {"step", "total"}, {"done"}, and at the end {"result"} or
{"failed"}.
"""

import json
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from core.operations.rehearsal.child import LOADING

Tell = Callable[..., None]


def main() -> None:
    """Do what the order says, and tell how it ends."""
    order = json.loads(sys.stdin.readline())
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no part of what is told

    def tell(**line: Any) -> None:
        channel.write(json.dumps(line) + "\n")
        channel.flush()

    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    _refuse_other_database(order["copy"])
    at = {"step": ""}
    try:
        if order["empties"]:
            _empty_database()
            tell(result=None)
        else:
            tell(result=_rehearse_upgrade(order, tell, at))
    except Exception as error:  # noqa: BLE001 - whatever it is, the operator is told where and what
        tell(failed={"step": at["step"], "at": at.get("at", ""), "why": _explain_error(error)})


def _refuse_other_database(name: str) -> None:
    """Raise SystemExit unless the database is the copy: everything below changes what it finds."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        if cursor.fetchone() != (name,):
            raise SystemExit("This is not the copy.")


def _rehearse_upgrade(order: dict[str, Any], tell: Tell, at: dict[str, str]) -> dict[str, Any]:
    from core.operations.rehearsal.migrating import Migrated, list_applied, list_missing, migrate

    def begin(step: str, total: int = 0) -> None:
        at["step"] = step
        tell(step=step, total=total)

    if order["dump"]:
        _refuse_occupied()
        begin(LOADING)
        _load_dump(Path(order["dump"]))
    applied, missing = sorted(list_applied()), list_missing()
    found = Migrated()
    begin("Migrating", len(missing))
    try:
        migrate(found, done=lambda name: tell(done=1))
    except BaseException:
        at["at"] = found.at
        tell(migrated=asdict(found) | {"had": applied})
        raise
    tell(migrated=asdict(found) | {"had": applied})
    begin("Checking")
    checks = _run_checks(order["check_tags"], serves_others=order["serves_others"])
    return {"checks": checks, **_ask_questions(order, tell, begin)}


def _refuse_occupied() -> None:
    """Raise RehearsalError where the database holds anything, before anything is done in it."""
    from core.errors import RehearsalError
    from core.operations.backup.restoring import holds_something

    if holds_something():
        raise RehearsalError("The database is not empty. Name an empty one with --into.")


def _load_dump(dump: Path) -> None:
    from core.errors import BackupError, RehearsalError
    from core.operations.backup.restoring import load

    try:
        load(dump, replace=False)
    except BackupError as error:
        if "extension" not in error.message:
            raise
        hint = "Have a superuser run CREATE EXTENSION vector in a new, empty database, and name it with --into."
        raise RehearsalError(f"{error.message} {hint}") from error


def _empty_database() -> None:
    from core.operations.backup import programs
    from core.operations.backup.restoring import EMPTYING

    programs.run("psql", ["--no-psqlrc", "--quiet", "--single-transaction", f"--file={EMPTYING}"])


def _run_checks(tags: list[str], *, serves_others: bool) -> list[dict[str, Any]]:
    """Return the messages of the checks that look at a database. Settings are checked where they are the real ones."""
    from django.core.checks import run_checks

    from core.operations.rehearsal.report import as_finding

    messages = run_checks(tags=tags, databases=["default"], include_deployment_checks=serves_others)
    return [asdict(as_finding(message)) for message in messages]


def _ask_questions(order: dict[str, Any], tell: Tell, begin: Callable[..., None]) -> dict[str, Any]:
    """Ask what there is to ask, each kind at most as often as the order says."""
    from core.asking.dry_runs.choosing import choose_asked
    from core.library.embedding import REMOTE
    from core.models import EmbeddingModel
    from core.operations.rehearsal.asking import (
        Compared,
        choose_verified,
        compare_asked,
        compare_verified,
        examine,
    )
    from core.operations.warming import warm_up

    most = order["questions"]
    model = EmbeddingModel.objects.first()
    if not most or model is None:
        return {"unasked": "" if not most else "The library is empty."}
    if model.setting.startswith(REMOTE) and not order["calls_embedding_model"]:
        return {"unasked": f"The library is embedded by {model.name}, which is asked over the network."}
    asked, verified = choose_asked(most), choose_verified(most)
    begin("Asking", len(asked) + len(verified))
    warm_up()
    again: list[Callable[[], Compared | None]] = [
        *(partial(compare_asked, row) for row in asked),
        *(partial(compare_verified, row) for row in verified),
    ]
    compared = []
    for ask_again in again:
        one = ask_again()
        if one is not None:
            compared.append(asdict(one))
        tell(done=1)
    begin("Examining", most)
    examined = examine(most, done=lambda count: tell(done=count))
    return {"compared": compared, "examined": asdict(examined) if examined else None}


def _explain_error(error: Exception) -> str:
    """Return what went wrong without rows in it: PostgreSQL's message, not its details; of others the class alone."""
    import psycopg

    from core.errors import FootnoteError

    if isinstance(error, FootnoteError):
        return error.message
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, psycopg.Error):
        cause = cause.__cause__
    said = cause.diag.message_primary if isinstance(cause, psycopg.Error) else ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


if __name__ == "__main__":
    main()
