"""Read what the address of a list narrows it to, and write the addresses of the pages beside the shown one."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404

from adminsite.admin.conversation.links import read_id


def read_chosen_id(text: str) -> UUID | None:
    """Return the id that a list is narrowed to; None where it is not. Http404 for what is no id."""
    found = read_id(text)
    if text and found is None:
        raise Http404
    return found


def read_page_number(text: str) -> int:
    """Return the number of a page, from 1; the first one for what is no number."""
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 7 else 1


def write_query(narrowed: Mapping[str, Any]) -> str:
    """Write what a list is narrowed to as the query of an address, without what is empty."""
    return urlencode({name: value for name, value in narrowed.items() if value})


def link_pages(narrowed: Mapping[str, Any], number: int, *, is_last: bool) -> dict[str, str]:
    """Return the queries of the page before and of the one behind a page; empty where there is none."""
    return {
        "earlier": write_query({**narrowed, "page": number - 1}) if number > 1 else "",
        "later": "" if is_last else write_query({**narrowed, "page": number + 1}),
    }
