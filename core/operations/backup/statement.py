"""Write and read a statement of all rights: lines of JSON after an export of the audit trail.

The events list what was revoked, as far as they record it; the statement lists what is left, whatever revoked the rest.
It is of one moment. It holds ids, states and hashes, no names, texts, addresses or secrets.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Q, Value

from core.access.audit import Head
from core.errors import BackupError
from core.operations.backup.rights import RIGHTS, Right, Way
from core.operations.backup.taking import one_moment

FORM = 1  # of the statement; a program reads those up to its own
_AT_ONCE = 1000  # rows of a line

Row = Mapping[str, Any]  # by column


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """The rows that gave rights, by model and key, with their values as of `tell_value`."""

    rows: Mapping[str, Mapping[str, Row]]

    def of(self, right: Right) -> Mapping[str, Row] | None:
        """Return the rows of a right; None where the statement does not speak of it."""
        return self.rows.get(right.model)


def tell(head: Head) -> Iterator[str]:
    """Write the statement of now, line by line. head: of the export that it follows."""
    count = 0
    for line in _write_lines(head):
        count += 1
        yield line
    yield _write_line(rights_end=count)


def _write_lines(head: Head) -> Iterator[str]:
    with one_moment():
        yield _write_line(rights=FORM, head=str(head))
        for right in RIGHTS:
            if right.way is Way.ALL:
                continue
            yield _write_line(right=right.model, columns=right.columns)
            found = iterate_rows(right)
            while some := list(islice(found, _AT_ONCE)):
                rows = [[tell_value(right, column, row[column]) for column in right.columns] for row in some]
                yield _write_line(right=right.model, rows=rows)


def read(lines: Iterable[Mapping[str, Any]], *, head: str) -> Statement | None:
    """Read the statement of these lines; None where there are none. BackupError unless it is whole.

    head: of the last event of the export.
    """
    columns: dict[str, list[str]] = {}
    rows: dict[str, dict[str, Row]] = {}
    told, count, end = None, 0, None
    for line in lines:
        if "rights_end" in line:
            end = line["rights_end"]
            break
        count += 1
        if "rights" in line:
            told = line
        elif "columns" in line:
            columns[line["right"]] = line["columns"]
            rows[line["right"]] = {}
        else:
            of = line["right"]
            rows[of].update({values[0]: dict(zip(columns[of], values, strict=True)) for values in line["rows"]})
    if told is None and end is None and not columns:
        return None
    if told is None or count != end or told["head"] != head:
        raise BackupError("The statement of rights in the export is not whole. Export again: export_audit --rights.")
    if told["rights"] > FORM:
        raise BackupError("The statement of rights in the export is of a newer Footnote: restore with that.")
    return Statement(rows=rows)


def iterate_rows(right: Right) -> Iterator[dict[str, Any]]:
    """Give the rows that give the right, with the columns that count."""
    related = {field.name for field in right.of._meta.many_to_many}
    lists = {
        f"{name}_listed": ArrayAgg(name, distinct=True, filter=Q(**{f"{name}__isnull": False}), default=Value([]))
        for name in right.columns
        if name in related
    }
    asked = [f"{name}_listed" if name in related else name for name in right.columns]
    found = right.of._base_manager.filter(right.among).annotate(**lists).order_by("pk").values_list(*asked)
    for values in found.iterator(chunk_size=_AT_ONCE):
        yield dict(zip(right.columns, values, strict=True))


def tell_value(right: Right, column: str, value: Any) -> Any:
    """Return what a statement says of a value: as JSON has it, lists in order, and a hash where no more is said."""
    if isinstance(value, (list, tuple)):
        return sorted(cast("str", tell_value(right, column, each)) for each in value)
    if value is None:
        return None
    if column in right.hashed:
        return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="microseconds")
    if column != "pk" and isinstance(value, (bool, int, float)):
        return value
    return str(value)


def _write_line(**content: Any) -> str:
    return json.dumps(content, separators=(",", ":")) + "\n"
