"""Share code between the commands `ask` and `search`: the asker, filters, and batches of lines."""

import contextlib
import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import close_old_connections

from core.api import parse_filters
from core.errors import DatabaseUnavailableError, FootnoteError, InvalidFilterError
from core.infrastructure.database_errors import translate_database_errors
from core.models import User
from core.operations.warming import keep_vectors
from core.types import Filters
from core.values.addresses import fold_address

FILTERS = ("source", "document_type", "collection", "chapter", "section", "date_from", "date_to")

# The keys of a line of a batch, of which each command reads those that concern it.
KEYS = ("id", "question", "query", "as", "conversation", "selected_text", "filters", "k")
LONGEST_KEY = 50  # characters of an unknown key that an error repeats

Line = dict[str, Any]


def add_arguments(parser: ArgumentParser, *, what: str) -> None:
    """The arguments of a command that asks `what` ("question" or "query")."""
    parser.add_argument(what, nargs="?", help=f"The {what}; not needed with --batch.")
    parser.add_argument("--as", dest="email", metavar="EMAIL", help="The person to read as.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    parser.add_argument(
        "--batch",
        metavar="FILE.jsonl",
        help=f'Read many from a file ("-": standard input), one JSON object per line: {{"id", "{what}", "as", '
        f"...}}. Prints a JSON line for each, with the same id.",
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
    user = User.objects.filter(email=fold_address(email), is_active=True).first()
    if user is None:
        raise CommandError(f"There is no active person with the address {email}.", returncode=2)
    return user


def run_batch(path: str, answer: Callable[[Line], Mapping[str, Any]], write: Callable[[str], None]) -> None:
    """Answer each line of a batch and write the result as a line with the same id.

    A line that cannot be used gives {"id", "error"}; the rest goes on, also when the database comes back after it was
    away, and the command ends with exit code 1.
    """
    keep_vectors()
    failed = 0
    for number, raw in _lines(path):
        line: Line = {}
        result: Mapping[str, Any]
        try:
            line = _parse_line(raw)
            _refuse_unknown(line)
            with translate_database_errors():
                result = answer(line)
        except (FootnoteError, CommandError, ValueError) as error:
            failed += 1
            result = {"error": f"line {number}: {error}"}
            if isinstance(error, DatabaseUnavailableError):
                close_old_connections()  # else the broken one would be used for the lines that follow
        write(json_line({"id": line.get("id"), **result}))
    if failed:
        raise CommandError(f"{failed} of the lines could not be answered. The output gives the reason for each.")


def json_line(values: Mapping[str, Any]) -> str:
    """Values as one line of JSON. What no encoding can write, as half of a surrogate pair, becomes a question mark."""
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace").decode()


def text_of(line: Line, name: str, default: str | None = None) -> str | None:
    """The text of that name in a batch line. ValueError when it is something else."""
    value = line.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f'"{name}" must be text')
    return default if value is None else value


def require_field(line: Line, name: str) -> Any:
    """Return a batch line's value of that name, text or not; core.api checks it. ValueError without the name."""
    if name not in line:
        raise ValueError(f'there is no "{name}"')
    return line[name]


def _refuse_unknown(line: Line) -> None:
    """ValueError for a key that neither command reads: a misspelt one would change what is asked without a word."""
    unknown = sorted(line.keys() - KEYS)
    if unknown:
        raise ValueError(f'unknown: "{unknown[0][:LONGEST_KEY]}". There are: {", ".join(KEYS)}')


def _parse_line(raw: bytes) -> Line:
    try:
        line = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte {error.start + 1}). Save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(line, dict):
        raise ValueError("not a JSON object")
    return line


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, undecoded: one with broken characters must not end the others."""
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
            yield from ((number, raw) for number, raw in enumerate(file, 1) if raw.strip())
    except OSError as error:
        reason = error.strerror or "it is not a file"
        raise CommandError(f"The batch file {path} cannot be read: {reason}.", returncode=2) from error
