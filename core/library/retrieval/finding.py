"""Find the candidates of a search, by meaning and by words: from a replica where one follows, else from the primary.

They are proposals: what they say is read afterwards, from the primary and by the rule of access. A replica is asked
while it follows the primary and is not too late.
"""

import logging
import random
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import connections

from core.infrastructure.database_errors import DATABASE_AWAY
from core.library.retrieval.access_filter import candidate_chunks
from core.library.retrieval.dense import Nearest, Search
from core.library.retrieval.lexical import Worded, by_words
from core.models.row_security import as_audience_on
from core.models.versions import Versions, current_versions

logger = logging.getLogger(__name__)

_CHECKED_FOR_S = 1.0  # one check serves the searches of so long
_SET_ASIDE_S = 10.0  # a replica that failed is not asked for so long

# A server that was promoted follows nobody any more; of one whose user row-level security does not hold, too many
# candidates would come. Without a transaction to replay there is no time of the last one.
_STATE = """
    SELECT pg_is_in_recovery(), rolsuper OR rolbypassrls,
        extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8
    FROM pg_roles WHERE rolname = current_user
"""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates found by vectors and by words."""

    nearest: Nearest
    worded: Worded


def find_candidates(search: Search, query: str, also: Collection[str]) -> Candidates:
    """Find them within the transaction of the search's audience on the primary; see lexical.by_words for `also`.

    A replica that fails meanwhile is left for a while, and the next server is asked.
    """
    for replica in _replicas.fit(search.versions):
        try:
            with as_audience_on(replica, search.audience, search.versions):
                return _find_in_transaction(search, query, also)
        except DATABASE_AWAY as error:
            _replicas.set_aside(replica, error)
    return _find_in_transaction(search, query, also)


def _find_in_transaction(search: Search, query: str, also: Collection[str]) -> Candidates:
    nearest = search.run()
    chunks = candidate_chunks(search.audience, search.filters, search.versions)
    worded = by_words(chunks, query, permitted=nearest.permitted, limit=search.limit, also=also)
    return Candidates(nearest, worded)


@dataclass(frozen=True, slots=True)
class _Check:
    until: float  # by time.monotonic
    reason: str  # why it is not to be asked; empty when it is


class _Replicas:
    """The checked state of the configured replicas, in this process."""

    def __init__(self) -> None:
        self._checks: dict[str, _Check] = {}
        self._lock = threading.Lock()

    def fit(self, versions: Versions) -> Iterator[str]:
        """Yield the aliases of those that may be asked now, in no order. versions: those of the primary."""
        for alias in random.sample(settings.DATABASE_REPLICAS, len(settings.DATABASE_REPLICAS)):
            if not self._reason_against(alias, versions):
                yield alias

    def set_aside(self, alias: str, error: Exception) -> None:
        """Do not ask one that failed, for a while."""
        self._keep_check(alias, _Check(time.monotonic() + _SET_ASIDE_S, f"it failed: {type(error).__name__}"))

    def forget(self) -> None:
        """Check all anew before the next search."""
        with self._lock:
            self._checks.clear()

    def _reason_against(self, alias: str, versions: Versions) -> str:
        known = self._checks.get(alias)
        if known is None or known.until < time.monotonic():
            try:
                known = _Check(time.monotonic() + _CHECKED_FOR_S, _find_reason_against(alias, versions))
            except DATABASE_AWAY as error:
                known = _Check(time.monotonic() + _SET_ASIDE_S, f"it failed: {type(error).__name__}")
            self._keep_check(alias, known)
        return known.reason

    def _keep_check(self, alias: str, check: _Check) -> None:
        with self._lock:
            before, self._checks[alias] = self._checks.get(alias), check
        if check.reason and (before is None or before.reason != check.reason):
            logger.warning("replica_not_asked", extra={"replica": alias, "reason": check.reason})


def _find_reason_against(alias: str, versions: Versions) -> str:
    with connections[alias].cursor() as cursor:
        cursor.execute(_STATE)
        [(follows, is_privileged, lag_s)] = cursor.fetchall()
    if not follows:
        return "it follows no primary"
    if is_privileged:
        return "its database user bypasses row-level security"
    is_in_step = current_versions(alias).has_chunks_of(versions)
    if not is_in_step and (lag_s is None or lag_s > settings.REPLICA_MAX_LAG_S):
        return "it is too late"
    return ""


_replicas = _Replicas()
forget_replicas = _replicas.forget
