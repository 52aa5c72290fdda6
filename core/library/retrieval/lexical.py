"""The chunks that share words with a query, ranked as BM25 does.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. PostgreSQL's own ranks
know no inverse document frequency. Every number in it is counted among the chunks that the audience may read: with the
library's own counts, a score would reveal how common a word is in documents that nobody here may know of.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db import connection

from core.language.nlp.scripts import write_asked, write_phrase
from core.models.library import SEARCH_CONFIGURATION
from core.models.querysets import ChunkQuerySet
from core.models.reading import search_connection

MOST_TERMS = 32
MOST_ALSO = 16
_MOST_PHRASES = 8
_QUOTED = re.compile(r'["“]([^"“”]{3,100})["”]')
_QUOTED_IN_CHINESE = re.compile(r"[「『《]([^「」『』《》]{2,100})[」』》]")
# "2212.11765", "3-1/4", "SB3-100", "10-K": parts that PostgreSQL would look up one by one.
_CODE = re.compile(r"\b(?=\w*\d|\w+[-./:]\w*\d)\w+(?:[-./:]\w+)+")
# "Class A", "Table 3", "Appendix B.2"
_NUMBERED = re.compile(r"\b[A-Z][a-z]+ (?:[A-Z]|\d[\w.]*)\b")

# k1 and b: the values of Anserini and BEIR's baselines, which measured best here too (docs/decisions/0013).
K1 = 0.9
B = 0.4
ALSO_SHARE = 0.5  # of the weight of a word that only means about the same as one of the query (docs/decisions/0035)

_MOST_MATCHES = 8000  # rows that are scored for one query; each costs about 5 µs and 1 µs a term
_SAMPLE = 2000  # chunks in which the words of a query are counted where more might match

# ts_rank of one word with all weights 1 is sum(1/i²) over its occurrences by pi²/6, and that sum is close to
# pi²/6 - 1/(occurrences + 1/2). Solved for the occurrences (exact to 5 % at one, better above).
_OCCURRENCES = "(CASE WHEN rank{i} > 0 THEN 1 / (1.6449341 * (1 - rank{i})) - 0.5 ELSE 0 END)"


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
    phrases = [write_phrase(phrase) for phrase in _find_phrases(query)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tsvector_to_array(to_tsvector('english', %s)),"
            " ARRAY(SELECT phraseto_tsquery(%s::regconfig, phrase)::text FROM unnest(%s::text[]) AS phrase)",
            [write_asked(query), SEARCH_CONFIGURATION, phrases],
        )
        stems, written = cursor.fetchone()
    return Terms(
        words=tuple(_quote_stem(stem) for stem in stems[:MOST_TERMS]),
        phrases=tuple(dict.fromkeys(phrase for phrase in written if "<" in phrase)),
        also=tuple(_quote_stem(stem) for stem in sorted(set(also) - set(stems)))[:MOST_ALSO],
        has_code=bool(_CODE.search(query)),
    )


def _find_phrases(query: str) -> list[str]:
    found = [match.group(1) for pattern in (_QUOTED, _QUOTED_IN_CHINESE) for match in pattern.finditer(query)]
    found += [match.group() for pattern in (_CODE, _NUMBERED) for match in pattern.finditer(query)]
    return list(dict.fromkeys(found))[:_MOST_PHRASES]


def _quote_stem(stem: str) -> str:
    """Return a stem as a tsquery that holds nothing else."""
    escaped = stem.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


@dataclass(frozen=True, slots=True)
class Worded:
    """The chunks that share words with a query."""

    scores: dict[UUID, float] = field(default_factory=dict)  # best first
    possible: float = 0.0  # the score of a chunk of average length that has every word of the query once

    @property
    def held(self) -> float:
        """The share of the query's weight that the best chunk has, 0..1."""
        return min(1.0, max(self.scores.values()) / self.possible) if self.possible else 0.0


def by_words(chunks: ChunkQuerySet, query: str, *, permitted: int, limit: int, also: Collection[str] = ()) -> Worded:
    """Return the chunks with the best BM25 scores, best first; no scores when the query shares no word with any.

    permitted: how many chunks there are, about. Where too many would match, the commonest words of the query only
    weigh, and do not match (as MaxScore leaves them out: Turtle and Flood, 1995). also: stems that replace words of the
    query, and weigh less than these.
    """
    terms = terms_of(query, also)
    if chunks.query.is_empty() or not (terms.words or terms.phrases):
        return Worded()
    weighed = _weigh_terms(chunks, terms, permitted)
    sql, parameters = _write_statement(chunks, weighed, permitted, limit, has_code=terms.has_code)
    with search_connection().cursor() as cursor:
        cursor.execute(sql, parameters)
        rows = cursor.fetchall()
    return Worded(scores={pk: score for pk, score, _ in rows}, possible=rows[0][2] if rows else 0.0)


@dataclass(frozen=True, slots=True)
class _Term:
    query: str  # tsquery text
    is_phrase: bool
    common: int | None = None  # about how many chunks have it; None when all that have it are matched
    share: float = 1.0  # of its weight that counts


class _WrittenQuery(SearchQuery):
    """A tsquery as it is written, without being parsed, stemmed and stripped once more."""

    def __init__(self, query: str) -> None:
        super().__init__(query)
        self._query = query

    def as_sql(self, *args: Any, **context: Any) -> Any:
        """Return the query as a parameter."""
        return "%s::tsquery", [self._query]


def _weigh_terms(chunks: ChunkQuerySet, terms: Terms, permitted: int) -> list[_Term]:
    """Return the terms, of which those that are too common to match by carry their count."""
    every = [_Term(word, False) for word in terms.words] + [_Term(phrase, True) for phrase in terms.phrases]
    every += [_Term(word, False, share=ALSO_SHARE) for word in terms.also]
    if permitted <= _MOST_MATCHES:
        return every
    counts = _count_matches(chunks, [term.query for term in every], permitted)
    rare_first = sorted(zip(counts, every, strict=True), key=lambda item: item[0])
    weighed: list[_Term] = []
    matches = 0
    for count, term in rare_first:
        matches += count
        is_common = matches > _MOST_MATCHES and bool(weighed)
        weighed.append(replace(term, common=count if is_common else None))
    return weighed


def _count_matches(chunks: ChunkQuerySet, queries: Sequence[str], permitted: int) -> list[int]:
    """About how many chunks each term is in, from a sample: ids are random, so those under a bound are one."""
    share = min(1.0, _SAMPLE / permitted)
    bound = UUID(int=ceil(share * ((1 << 128) - 1)))
    sample, parameters = _select_columns(chunks.filter(pk__lte=bound), "search")
    counts = ", ".join("count(*) FILTER (WHERE search @@ %s::tsquery)" for _ in queries)
    with search_connection().cursor() as cursor:
        cursor.execute(f"SELECT {counts} FROM ({sample}) AS sample (search)", [*queries, *parameters])  # noqa: S608 - as below
        return [round(count / share) for count in cursor.fetchone()]


def _write_statement(
    chunks: ChunkQuerySet, terms: list[_Term], permitted: int, limit: int, *, has_code: bool
) -> tuple[str, list[Any]]:
    """One statement: the matches with each term's rank, the terms' weights, and the scores from both."""
    any_term = _WrittenQuery(" | ".join(f"({term.query})" for term in terms if term.common is None))
    matching, matching_parameters = _select_columns(chunks.filter(search=any_term), "pk", "search")
    ranks = ", ".join(f"{_write_rank(term)}::float8 AS rank{i}" for i, term in enumerate(terms))
    counts = [_write_count(term, i) for i, term in enumerate(terms)]
    weights = ", ".join(
        f"ln(1 + (greatest(%s, {count}) - {count} + 0.5) / ({count} + 0.5)) AS weight{i}, {count} > 0 AS found{i}"
        for i, count in enumerate(counts)
    )
    score = " + ".join(f"{term.share} * weight{i} * {_write_saturation(term, i)}" for i, term in enumerate(terms))
    # Who asks "what does 2.1 say" wants the place with this number, and "say" need not be there.
    possible = " + ".join(
        f"CASE WHEN found{i} THEN weight{i} ELSE 0 END" if has_code else f"weight{i}"
        for i, term in enumerate(terms)
        if term.share == 1.0
    )
    sql = f"""
        WITH matched AS MATERIALIZED (
            SELECT id, length(search)::float8 AS words, {ranks} FROM ({matching}) AS matching (id, search)
        ), counted AS (
            SELECT avg(words) AS average, {weights} FROM matched
        )
        SELECT id, {score} AS score, {possible} FROM matched, counted ORDER BY score DESC, id LIMIT %s
    """  # noqa: S608 - placeholders, numbers and SQL that Django wrote
    queries = [term.query for term in terms]
    return sql, [*queries, *matching_parameters, *([float(permitted)] * len(terms)), limit]


def _select_columns(chunks: ChunkQuerySet, *names: str) -> tuple[str, tuple[Any, ...]]:
    return chunks.order_by().values_list(*names).query.sql_with_params()


def _write_rank(term: _Term) -> str:
    return "(search @@ %s::tsquery)::int" if term.is_phrase else "ts_rank('{1,1,1,1}', search, %s::tsquery)"


def _write_count(term: _Term, i: int) -> str:
    """Return in how many permitted chunks a term is, in SQL."""
    return f"(count(*) FILTER (WHERE rank{i} > 0))::float8" if term.common is None else f"{term.common}::float8"


def _write_saturation(term: _Term, i: int) -> str:
    """BM25's weight of the occurrences in a chunk of that length, in SQL."""
    occurrences = f"rank{i}" if term.is_phrase else _OCCURRENCES.format(i=i)
    return f"{K1 + 1} * {occurrences} / ({occurrences} + {K1} * (1 - {B} + {B} * words / average))"
