"""Find the day that the first lines of a document call its own. Pure."""

import datetime as dt
import re
from collections.abc import Iterable
from itertools import islice

from core.language.nlp.dates import find_dates
from core.library.ingestion.naming import OLDEST

_FIRST = 3  # paragraphs below the title in which a document says since when it holds, or when it was made
_LONGEST = 400  # characters of such a paragraph
_BEFORE = 70  # characters before a date, in which something says that it is the document's
# "Edition of", "adopted by the general meeting of", "in force from"; not "valid until", "to be reviewed by".
_OF_DOCUMENT = re.compile(
    r"(?:\b(?<!next )(?:edition|version|revision|issue|status|form"
    r"|(?:last )?(?:updated|modified|revised|amended|reviewed|checked)|(?<!not )(?<!be )(?:adopted|approved|agreed)"
    r"|published|issued|released|dated?|written|held|in (?:force|effect)|valid|effective|applies|as of)\b"
    r"(?!.{0,70}\b(?:until|till|before|expir\w+|copyright|next)\b)(?!.{0,70}\bby \Z)[^.;|\n]{0,60}"
    r"|\A(?:report|minutes|circular|memorandum)\b[^.;|\n]{0,60},\s)\Z",
    re.IGNORECASE,
)
# A line of its own, behind a place as in a letter: "Brackwater, 28 August 2025".
_ALONE = re.compile(r"(?:[A-Z][\w.'’-]*[ ,]{1,2}){0,5}|[Dd]ate:? ")


def date_in_beginning(paragraphs: Iterable[str]) -> dt.date | None:
    """The first day that a document's first paragraphs call its own: of its edition, its decision, or its beginning.

    None where they name a day for something else, or a month alone: a day is not made up.
    """
    for paragraph in islice(paragraphs, _FIRST):
        if len(paragraph) > _LONGEST:
            continue
        for date in find_dates(paragraph):
            if not (date.day and date.last and date.last.year >= OLDEST):
                continue
            line = paragraph[paragraph.rfind("\n", 0, date.start) + 1 : date.start]
            after = paragraph[date.end :].partition("\n")[0]
            if _OF_DOCUMENT.search(line[-_BEFORE:]) or (_ALONE.fullmatch(line) and not after.strip(" .")):
                return date.last
    return None
