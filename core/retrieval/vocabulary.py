"""Which words stand in what an audience may read."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection

from core.models.library import SEARCH_CONFIGURATION
from core.models.row_security import reading
from core.retrieval.permitted import permitted_chunks
from core.types import Audience, Filters

_MOST_CHUNKS = 1000  # that are looked through for words; each costs about 20 µs


def standing_words(words: Collection[str], audience: Audience, *, as_written: Collection[str] = ()) -> dict[str, UUID]:
    """Those of the words that stand in what every reader may read, each with a document that has it.

    words: in lower case, of letters alone. as_written: those of them that must stand in this very form, and not in
    another that has the same stem.
    """
    if not words or audience.reads_nothing:
        return {}
    with reading(audience), connection.cursor() as cursor:
        cursor.execute(
            "SELECT word, (tsvector_to_array(to_tsvector(%s::regconfig, word)))[1] FROM unnest(%s::text[]) AS word",
            [SEARCH_CONFIGURATION, list(words)],
        )
        stems = {word: stem for word, stem in cursor.fetchall() if stem}
        chunks = permitted_chunks(audience, Filters()).order_by("pk").values_list("document_id", "content", "search")
        permitted, parameters = chunks.query.sql_with_params()
        cursor.execute(
            f"""
            WITH matched AS MATERIALIZED (
                SELECT * FROM ({permitted}) AS permitted (document, content, search)
                WHERE search @@ %s::tsquery LIMIT {_MOST_CHUNKS}
            )
            SELECT DISTINCT ON (word) word, document
            FROM matched, unnest(search) AS held,
                unnest(%s::text[], %s::text[], %s::bool[]) AS asked (word, stem, exact)
            WHERE held.lexeme = asked.stem AND (NOT exact OR content ~* ('\\m' || word || '\\M'))
            ORDER BY word, document
            """,  # noqa: S608 - SQL that Django wrote, and a number
            [
                *parameters,
                " | ".join(f"'{stem}'" for stem in sorted(set(stems.values()))),
                list(stems),
                list(stems.values()),
                [word in as_written for word in stems],
            ],
        )
        return dict(cursor.fetchall())
