"""Turn a question into full-text terms: its words, and the phrases that must occur unchanged."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection

from core.language.nlp.scripts import write_asked, write_phrase
from core.models.library import SEARCH_CONFIGURATION

MOST_TERMS = 32
MOST_ALSO = 16
_MOST_PHRASES = 8
_QUOTED = re.compile(r'["“]([^"“”]{3,100})["”]')
_QUOTED_IN_CHINESE = re.compile(r"[「『《]([^「」『』《》]{2,100})[」』》]")
# "2212.11765", "3-1/4", "SB3-100", "10-K": parts that PostgreSQL would look up one by one.
_CODE = re.compile(r"\b(?=\w*\d|\w+[-./:]\w*\d)\w+(?:[-./:]\w+)+")
# "Class A", "Table 3", "Appendix B.2"
_NUMBERED = re.compile(r"\b[A-Z][a-z]+ (?:[A-Z]|\d[\w.]*)\b")


@dataclass(frozen=True, slots=True)
class Terms:
    """The parts of a query, as PostgreSQL's tsquery texts. Each is matched and weighed by itself."""

    words: tuple[str, ...]  # stems, without the words that all texts have
    phrases: tuple[str, ...]  # stems in their order
    also: tuple[str, ...] = ()  # stems that mean about the same as one of the words
    has_code: bool = False  # the query names a clause, a type or a figure that is written with marks: "2.1", "SB3-100"


def terms_of(query: str, also: Collection[str] = ()) -> Terms:
    """Build the terms of a query; none when it holds no word. also: further stems, which replace words of it.

    Stems are PostgreSQL's own, so that they are those of the index.
    """
    phrases = [write_phrase(phrase) for phrase in _phrases(query)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tsvector_to_array(to_tsvector('english', %s)),"
            " ARRAY(SELECT phraseto_tsquery(%s::regconfig, phrase)::text FROM unnest(%s::text[]) AS phrase)",
            [write_asked(query), SEARCH_CONFIGURATION, phrases],
        )
        stems, written = cursor.fetchone()
    return Terms(
        words=tuple(_literal(stem) for stem in stems[:MOST_TERMS]),
        phrases=tuple(dict.fromkeys(phrase for phrase in written if "<" in phrase)),
        also=tuple(_literal(stem) for stem in sorted(set(also) - set(stems)))[:MOST_ALSO],
        has_code=bool(_CODE.search(query)),
    )


def _phrases(query: str) -> list[str]:
    found = [match.group(1) for pattern in (_QUOTED, _QUOTED_IN_CHINESE) for match in pattern.finditer(query)]
    found += [match.group() for pattern in (_CODE, _NUMBERED) for match in pattern.finditer(query)]
    return list(dict.fromkeys(found))[:_MOST_PHRASES]


def _literal(stem: str) -> str:
    """A stem as a tsquery that holds nothing else."""
    escaped = stem.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
