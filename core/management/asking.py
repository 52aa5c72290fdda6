"""What the commands `ask` and `search` have in common: who asks, filters, and batches of lines."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.answering.requests import parse_filters
from core.api import keep_vectors
from core.errors import FootnoteError, InvalidFilterError
from core.models import User
from core.types import Filters

FILTERS = ("source", "document_type", "collection", "chapter", "section", "date_from", "date_to")

Line = dict[str, Any]


def add_arguments(parser: ArgumentParser, *, what: str) -> None:
    """The arguments of a command that asks `what` ("question" or "query")."""
    parser.add_argument(what, nargs="?", help=f"The {what}; not needed with --batch.")
    parser.add_argument("--as", dest="email", metavar="EMAIL", help="Whose eyes to read with.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    parser.add_argument(
        "--batch",
        metavar="FILE.jsonl",
        help=f'Read many from a file ("-": standard input), a JSON object a line: {{"id", "{what}", "as", ...}}. '
        "Prints a JSON line for each, with the same id.",
    )
    for name in FILTERS:
        example = " (like 2024-03-20)" if name.startswith("date") else ""
        parser.add_argument(f"--{name.replace('_', '-')}", help=f"Only what matches this {name}{example}.")


def filters_of(options: Line) -> Filters:
    """The filters among a command's options. CommandError for one that cannot be used."""
    given = {name: options[name] for name in (*FILTERS, "max_results") if options.get(name) is not None}
    try:
        return parse_filters(given)
    except InvalidFilterError as error:
        raise CommandError(error.message, returncode=2) from error


def person(email: str | None) -> User:
    """The active person with that address. CommandError when it is missing or unknown."""
    if not email:
        raise CommandError("Say who asks: --as EMAIL.", returncode=2)
    user = User.objects.filter(email=email.strip().casefold(), is_active=True).first()
    if user is None:
        raise CommandError(f"There is no active person with the address {email}.", returncode=2)
    return user


def run_batch(path: str, answer: Callable[[Line], Line], write: Callable[[str], None]) -> None:
    """Answer each line of a batch and write the result as a line with the same id.

    A line that cannot be used gives {"id", "error"}; the rest goes on, and the command ends with exit code 1.
    """
    keep_vectors()
    failed = 0
    for number, raw in _lines(path):
        line: Line = {}
        try:
            line = _parsed(raw)
            result = answer(line)
        except (FootnoteError, CommandError, ValueError) as error:
            failed += 1
            result = {"error": f"line {number}: {error}"}
        write(json.dumps({"id": line.get("id"), **result}, ensure_ascii=False))
    if failed:
        raise CommandError(f"{failed} of the lines could not be answered.")


def _parsed(raw: str) -> Line:
    try:
        line = json.loads(raw)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from error
    if not isinstance(line, dict):
        raise ValueError("not a JSON object")
    return line


def _lines(path: str) -> Iterator[tuple[int, str]]:
    if path == "-":
        yield from ((number, raw) for number, raw in enumerate(sys.stdin, 1) if raw.strip())
        return
    try:
        with Path(path).open(encoding="utf-8") as file:
            yield from ((number, raw) for number, raw in enumerate(file, 1) if raw.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}", returncode=2) from error
