"""Distinguish a date that a page gives as its own from one that occurs on it: a copyright, an event."""

import datetime as dt
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from bs4.element import PageElement

_KEYS = r"date|created|issued|modified|publi|updated|timestamp"
_META = re.compile(_KEYS, re.IGNORECASE)
_CLASS = re.compile(rf"(?:^|[\s_-])(?:{_KEYS}|byline|posted|stamp)", re.IGNORECASE)
_IN_DATA = re.compile(r'"date(?:Published|Modified|Created)"\s?:\s?"([^"]{8,40})"')
# The words before a page's date of publication or change.
_SAID = re.compile(
    r"\b(?:(?:last |page )?(?:updated?|modified|reviewed|revised|changed|edited)|published|posted|issued|released"
    r"|dated?"
    r"|(?:as|version|status) of|stand(?=\s?:)|zuletzt|(?:letzte )?(?:änderung|aktualisierung)|aktualisiert|geändert"
    r"|veröffentlicht|erstellt|datum|publiée?|mise? à jour|modifiée?|publicado|actualizad[oa]|actualización|fecha)\b"
    r"[^\d\n]{0,40}(?P<date>[^\n]{4,40})",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(r"copyright|©|\(c\)|all rights", re.IGNORECASE)
_RIGHTS = re.compile(r"copyright", re.IGNORECASE)  # in names of classes and properties
_NEAREST = 4  # elements around and beside a date that are looked at
_BEFORE = 40  # characters before a date, in which a copyright is one of that date
_CLAUSE = re.compile(r"[.;|·•]")
_YEARS = re.compile(r"[\d\s,–-]{4,20}")
_MOST_LABEL = 80  # characters of a line that is about its date
_NUMBER = re.compile(r"\d+")


def states_date(soup: "BeautifulSoup", date: dt.date) -> bool:
    """Return True if a page says of this date that it came out, or was changed, on it."""
    return any(_names_date(text, date) for text in _find_statements(soup))


def _find_statements(soup: "BeautifulSoup") -> Iterator[str]:
    """Yield the texts of a page that say when it came out."""
    for meta in soup.find_all("meta", content=True):
        name = " ".join(str(meta.get(key) or "") for key in ("name", "property", "itemprop", "http-equiv"))
        if _META.search(name) and not _RIGHTS.search(name):
            yield str(meta["content"])
    for script in soup.find_all("script", type="application/ld+json"):
        yield from (found[1] for found in _IN_DATA.finditer(script.get_text()))
    for tag in soup.find_all(itemprop=_META):
        yield f"{tag.get('datetime') or tag.get('content') or ''} {tag.get_text()}"
    for tag in soup.find_all("time"):
        around = one_line(tag.parent.get_text()) if tag.parent is not None else ""
        if (tag.has_attr("pubdate") or len(around) <= _MOST_LABEL) and not _is_of_rights(tag):
            yield f"{tag.get('datetime') or ''} {tag.get_text()}"
    for tag in soup.find_all(class_=_CLASS):
        text = one_line(tag.get_text())
        if len(text) <= _MOST_LABEL and not _COPYRIGHT.search(text) and not _is_of_rights(tag):
            yield text
    shown = soup.body.get_text("\n") if soup.body is not None else ""
    yield from (found["date"] for found in _SAID.finditer(shown) if not _COPYRIGHT.search(found.group()))


def _is_of_rights(tag: "Tag") -> bool:
    """Return True if the date in a tag is that of a copyright: by the words before it, or by the classes around it."""
    if any(_RIGHTS.search(f"{one.get('class')} {one.get('id')}") for one in (tag, *islice(tag.parents, _NEAREST))):
        return True
    before = _CLAUSE.split(one_line("".join([*_read_near(tag.previous_siblings)][::-1]))[-_BEFORE:])[-1]
    is_year = _YEARS.fullmatch(one_line(tag.get_text()))
    after = one_line("".join(_read_near(tag.next_siblings))) if is_year else ""
    return bool(_COPYRIGHT.search(f"{before} {after}"))


def _read_near(siblings: "Iterator[PageElement]") -> Iterator[str]:
    return (one.get_text() for one in islice(siblings, _NEAREST))


def _names_date(text: str, date: dt.date) -> bool:
    """Return True if a text holds the figures of a date; its month may be a word."""
    figures = _NUMBER.findall(text[:200])
    plain = "".join(figures)
    return date.strftime("%Y%m%d") in plain or (
        str(date.year) in figures and any(one.lstrip("0") == str(date.day) for one in figures if one != str(date.year))
    )
