"""The candidates of a search, by meaning and by words: from a replica where there is one that follows, else from the
primary. They are proposals: what they say is read afterwards, from the primary and by the rule of access."""

from collections.abc import Collection
from dataclasses import dataclass

from core.infrastructure.database_errors import DATABASE_AWAY
from core.library.retrieval import replicas
from core.library.retrieval.access_filter import candidate_chunks
from core.library.retrieval.dense import Nearest, Search
from core.library.retrieval.lexical import Worded, by_words
from core.models.row_security import as_audience_on


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates found by vectors and by words."""

    nearest: Nearest
    worded: Worded


def find_candidates(search: Search, query: str, also: Collection[str]) -> Candidates:
    """Find them within the transaction of the search's audience on the primary; see lexical.by_words for `also`.

    A replica that fails meanwhile is left for a while, and the next server is asked.
    """
    for replica in replicas.fit_replicas(search.versions):
        try:
            with as_audience_on(replica, search.audience, search.versions):
                return _find(search, query, also)
        except DATABASE_AWAY as error:
            replicas.set_aside(replica, error)
    return _find(search, query, also)


def _find(search: Search, query: str, also: Collection[str]) -> Candidates:
    nearest = search.run()
    chunks = candidate_chunks(search.audience, search.filters, search.versions)
    worded = by_words(chunks, query, permitted=nearest.permitted, limit=search.limit, also=also)
    return Candidates(nearest, worded)
