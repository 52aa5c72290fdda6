"""The option that somebody chose when Footnote asked back, as words of the question: put in, and taken out. Pure."""

import datetime as dt
import re

from core.language.query_understanding.dates import find_date_mentions

TITLE = re.compile(r"\bin the document(?:s)?(?: of [^“”]{1,40},)? “(?P<title>[^”]{1,300})”")
_CHOICE = re.compile(r", in the documents? (?:of \d{1,2} [A-Z][a-z]+ \d{4}|(?:of [^“”]{1,40}, )?“[^”]{1,300}”)\?$")


def add_choice(question: str, option: str, *, today: dt.date) -> str:
    """Return a question narrowed to one of the options offered for it, in words that `read` takes for a filter."""
    offered = find_date_mentions(option, today=today)
    for date in find_date_mentions(question, today=today):
        if date.first is None and len(offered) == 1 and date.month == offered[0].month:
            return question[: date.start] + option + question[date.end :]
    where = "in the document" if option.startswith("“") else "in the documents of"
    return f"{question.rstrip(' ?.!')}, {where} {option}?"


def drop_choice(question: str) -> str:
    """Return the question without the document that was chosen for it: what is to be answered from that document."""
    return _CHOICE.sub("?", question)
