"""Write passages and the question into a prompt, and read them back. No other module does."""

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.language.nlp.dates import MONTHS

_PASSAGE = re.compile(
    r'<passage number="(\d+)" source="([^"]*)"(?: opens="([^"]*)")?>\n((?:[^<]|<(?!passage ))*?)\n</passage>'
)
_QUESTION = re.compile(r"<question>\n((?:[^<]|<(?!question>))*?)\n</question>")
_DATE_OF_SOURCE = re.compile(rf"\b(?:[12]?\d|3[01]) (?:{'|'.join(MONTHS)}) \d{{4}}\b")
_TAGS = re.compile(r"<(?=/?(?:passage|question|claim|statement|quote|turns)\b)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkedPassage:
    """A passage as the model sees it."""

    number: int  # from 1
    source: str  # document, date, section and page in words
    text: str
    opens: str = ""  # the heading of the part that it begins, where a document is shown as a whole

    @property
    def date(self) -> dt.date | None:
        """Return the day of the document, as the source says it."""
        found = _DATE_OF_SOURCE.search(self.source)
        return dt.datetime.strptime(found.group(), "%d %B %Y").date() if found else None  # noqa: DTZ007 - a day


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkedClaim:
    """A statement and its quotes as a judge sees them."""

    code: str  # by which its verdict is known
    statement: str
    quotes: tuple[str, ...]


def render_passages(passages: Iterable[MarkedPassage]) -> str:
    """Return the passages as prompt text.

    A tag of ours inside a passage is broken up, so that no document can close it.
    """
    rendered = []
    for passage in passages:
        opens = f' opens="{_write_attribute(passage.opens)}"' if passage.opens else ""
        place = f'number="{passage.number}" source="{_write_attribute(passage.source)}"{opens}'
        rendered.append(f"<passage {place}>\n{make_inert(passage.text)}\n</passage>")
    return "\n".join(rendered)


def render_question(question: str) -> str:
    """Return the question as prompt text."""
    return f"<question>\n{make_inert(question)}\n</question>"


def render_claim(claim: MarkedClaim) -> str:
    """Return a claim as prompt text. A tag of ours inside it is broken up, as in passages."""
    quotes = "\n".join(f"<quote>\n{make_inert(quote)}\n</quote>" for quote in claim.quotes)
    statement = f"<statement>\n{make_inert(claim.statement)}\n</statement>"
    return f'<claim code="{claim.code}">\n{statement}\n{quotes}\n</claim>'


def read_passages(prompt: str) -> list[MarkedPassage]:
    """Return the passages of a prompt, in order."""
    return [
        MarkedPassage(number=int(number), source=source, opens=opens, text=text)
        for number, source, opens, text in _PASSAGE.findall(prompt)
    ]


def read_question(prompt: str) -> str:
    """Return the question of a prompt, or nothing."""
    found = _QUESTION.search(prompt)
    return found.group(1) if found else ""


def make_inert(text: str) -> str:
    """Return text in which a tag of our prompts is broken up, so that it neither ends nor begins a part of one."""
    return _TAGS.sub("< ", text)


def _write_attribute(text: str) -> str:
    return make_inert(text).replace('"', "'").replace("\n", " ")
