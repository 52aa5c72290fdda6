"""Values of several parts as small tables and lists, in place of the JSON in which they are stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import Field, JSONField, Model
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

NOTHING = "–"
MOST_SHOWN = 200  # of a list


def is_structured(field: Any) -> bool:
    """Return True if a field holds a value of several parts."""
    return isinstance(field, JSONField | ArrayField)


def column_of(field: "Field[Any, Any]") -> Callable[[Model], SafeString | str]:
    """Build the function that displays such a field on the page of a row."""

    def shown(row: Model) -> SafeString | str:
        return in_words(getattr(row, field.attname))

    shown.short_description = str(field.verbose_name).capitalize()  # type: ignore[attr-defined]  # read by the admin
    shown.__name__ = f"shown_{field.name}"
    return shown


def in_words(value: Any) -> SafeString | str:
    """A value for a person: names without underscores, figures of three places, ids folded away."""
    if value is None or value in ("", [], {}, ()):
        return NOTHING
    if isinstance(value, Mapping):
        rows = ((str(name).replace("_", " "), in_words(part)) for name, part in value.items())
        cells = format_html_join("", '<tr><th scope="row">{}</th><td>{}</td></tr>', rows)
        return format_html('<table class="fn-facts">{}</table>', cells)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _list_in_words(list(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, str) and (moment := _read_moment(value)):
        return moment
    return str(value)


def _list_in_words(values: list[Any]) -> SafeString | str:
    if all(_is_id(value) for value in values):
        ids = ", ".join(str(value) for value in values[:MOST_SHOWN])
        return format_html("<details><summary>{} ids</summary><small>{}</small></details>", len(values), ids)
    if any(isinstance(value, Mapping) for value in values):
        items = ((in_words(value),) for value in values[:MOST_SHOWN])
        return format_html('<ol class="fn-list">{}</ol>', format_html_join("", "<li>{}</li>", items))
    return ", ".join(str(in_words(value)) for value in values[:MOST_SHOWN])


def _is_id(value: Any) -> bool:
    if isinstance(value, UUID) or value is None:
        return True
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def _read_moment(text: str) -> str:
    """A stored moment as dates are written in the admin; nothing for another text."""
    try:
        moment = parse_datetime(text) if len(text) > len("2026-01-01") else None
    except ValueError:
        return ""
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else ""
