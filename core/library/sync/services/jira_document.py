"""Write an issue of Jira as one page of HTML: its details, its texts, and its comments in their order. Pure."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from core.library.sync.services.answers import inner, text

# What is asked of an issue to write it. Not the fields that quote other issues: a reader may not read those.
TEXT_FIELDS = (
    *("summary", "description", "environment", "issuetype", "status", "resolution", "priority", "labels"),
    *("components", "versions", "fixVersions", "reporter", "assignee", "created", "updated", "duedate"),
    *("resolutiondate", "project"),
)
INTERNAL = "sd.public.comment"  # the property by which Jira Service Management marks a comment (its REST manual)

_NAMED = (("Type", "issuetype"), ("Status", "status"), ("Resolution", "resolution"), ("Priority", "priority"))
_LISTED = (
    *(("Labels", "labels"), ("Components", "components")),
    *(("Affected versions", "versions"), ("Fix versions", "fixVersions")),
)
_PEOPLE = (("Reporter", "reporter"), ("Assignee", "assignee"))
_DATES = (("Created", "created"), ("Updated", "updated"), ("Due", "duedate"), ("Resolved", "resolutiondate"))
_WITHOUT_INTERNAL = {"software", "business", "product_discovery"}  # types of projects whose comments are for all
_HEADING = re.compile(r"(</?h)([1-6])(?=[\s/>])", re.IGNORECASE)
_LOWEST = 6  # of HTML's headings


def title_of(issue: Mapping[str, Any]) -> str:
    """Return the key and the summary of an issue."""
    return f"{text(issue, 'key')}: {text(issue, 'fields', 'summary')}"


def read_time(told: str) -> dt.datetime | None:
    """Return a time as Jira writes it, "2024-05-01T10:00:00.000+0200"; None for anything else."""
    try:
        found = dt.datetime.fromisoformat(told)
        return found.astimezone(dt.UTC) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def is_for_all_readers(comment: Mapping[str, Any], issue: Mapping[str, Any]) -> bool:
    """Tell whether whoever reads an issue reads this comment: no role or group is named, and it is not internal.

    Where comments may be internal, in projects of Jira Service Management, one has to be said to be public.
    """
    if comment.get("visibility"):
        return False
    told = [comment["jsdPublic"]] if comment.get("jsdPublic") is not None else []
    properties = comment.get("properties")
    told += [
        inner(each, "value").get("internal") is False
        for each in (properties if isinstance(properties, list) else [])
        if isinstance(each, dict) and text(each, "key") == INTERNAL
    ]
    if any(is_public is not True for is_public in told):
        return False
    return bool(told) or text(issue, "fields", "project", "projectTypeKey") in _WITHOUT_INTERNAL


def write_issue(issue: Mapping[str, Any], comments: Sequence[Mapping[str, Any]]) -> str:
    """Return an issue with the comments that are for all of its readers, each part below a heading of its own."""
    title = escape(title_of(issue))
    parts = [f"<h2>Details</h2>{_write_details(issue)}"]
    for heading, field in (("Description", "description"), ("Environment", "environment")):
        body = _write_text(inner(issue, "renderedFields").get(field), inner(issue, "fields").get(field), 2)
        parts.append(f"<h2>{heading}</h2>{body}" if body else "")
    written = [_write_comment(comment) for comment in comments if is_for_all_readers(comment, issue)]
    parts.append(f"<h2>Comments</h2>{''.join(written)}" if written else "")
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><main>'
        f"<h1>{title}</h1>{''.join(parts)}</main></body></html>"
    )


def _write_details(issue: Mapping[str, Any]) -> str:
    fields = inner(issue, "fields")
    told = [
        *((label, text(fields, field, "name")) for label, field in _NAMED),
        *((label, ", ".join(_read_names(fields.get(field)))) for label, field in _LISTED),
        *((label, text(fields, field, "displayName")) for label, field in _PEOPLE),
        *((label, text(fields, field)[:10]) for label, field in _DATES),
    ]
    return "".join(f"<p>{label}: {escape(value)}</p>" for label, value in told if value)


def _read_names(listed: Any) -> Iterable[str]:
    """Return labels, which are words, or the names of components and versions."""
    for each in listed if isinstance(listed, list) else []:
        name = text(each, "name") if isinstance(each, dict) else str(each)
        if name:
            yield name


def _write_text(rendered: Any, written: Any, deeper: int) -> str:
    """Return a text as Jira renders it, or as it is written where it renders nothing. deeper: than its headings are."""
    if isinstance(rendered, str) and rendered.strip():
        return _HEADING.sub(lambda found: f"{found[1]}{min(_LOWEST, int(found[2]) + deeper)}", rendered)
    return f"<p>{escape(written)}</p>" if isinstance(written, str) and written.strip() else ""


def _write_comment(comment: Mapping[str, Any]) -> str:
    said = (text(comment, "author", "displayName") or "Somebody", text(comment, "created")[:10])
    heading = escape(", ".join(filter(None, said)))
    return f"<h3>{heading}</h3>{_write_text(comment.get('renderedBody'), comment.get('body'), 3)}"
