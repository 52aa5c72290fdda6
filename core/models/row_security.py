"""The floor under the rule of access: row-level security on whatever holds the words of documents.

That is the chunks, with policies of migration 0004, and the words of quotes that are kept of answers and of verified
answers, with those of migration 0048. The database shows none of them unless the transaction says for which audience
it reads, or that it looks after the library. A query that forgot `visible_to` gives what the audience may read, and
one outside of both gives nothing.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from core.models.reading import reading_from
from core.models.versions import Versions, current_versions
from core.types import Audience


class _Settings(NamedTuple):
    """The settings that the policies read, in the order in which they are set; empty shows nothing."""

    readable: str = ""  # the documents whose chunks are shown, as the text of a bytea
    audience: str = ""  # the role sets to which the words of quotes are shown, as JSON
    maintenance: str = ""  # "on" shows everything


_SET = """
    WITH before AS MATERIALIZED (
        SELECT coalesce(current_setting('footnote.readable', true), '') AS readable,
            coalesce(current_setting('footnote.audience', true), '') AS audience,
            coalesce(current_setting('footnote.maintenance', true), '') AS maintenance
    )
    SELECT readable, audience, maintenance, set_config('footnote.readable', %s, true),
        set_config('footnote.audience', %s, true), set_config('footnote.maintenance', %s, true)
    FROM before
"""


@contextmanager
def as_audience(audience: Audience) -> Iterator[Versions]:
    """A transaction in which the database shows the chunks and quotes that the audience may read, and no others.

    Gives the versions of chunks and grants as they were at its beginning.
    """
    is_inner = connection.in_atomic_block
    with reading_from(DEFAULT_DB_ALIAS), transaction.atomic():
        versions = current_versions()
        readable = "" if audience.reads_nothing else _readable(audience, versions.grants)
        with _row_security(_Settings(readable=readable, audience=_as_json(audience)), is_inner=is_inner):
            yield versions


@contextmanager
def showing_quotes_to(audience: Audience) -> Iterator[None]:
    """Open a transaction that shows the words of quotes that the audience may read, and no chunk.

    It costs less than `as_audience`, which sends the database every document of the audience.
    """
    is_inner = connection.in_atomic_block
    with (
        reading_from(DEFAULT_DB_ALIAS),
        transaction.atomic(),
        _row_security(_Settings(audience=_as_json(audience)), is_inner=is_inner),
    ):
        yield


@contextmanager
def as_audience_on(replica: str, audience: Audience, versions: Versions) -> Iterator[None]:
    """A transaction on a replica in which it shows the chunks that the audience may read by the primary's grants.

    versions: of the primary, as as_audience gives them. So a revocation holds at once, however late the replica is.
    """
    readable = _readable(audience, versions.grants)
    with reading_from(replica), transaction.atomic(using=replica):
        _set_row_security(_Settings(readable=readable), server=replica)
        yield


@contextmanager
def bypass_row_security() -> Iterator[None]:
    """A transaction in which the database shows and takes everything: for ingestion and what looks after the library.

    Never for what a person asked to see.
    """
    is_inner = connection.in_atomic_block
    with (
        reading_from(DEFAULT_DB_ALIAS),
        transaction.atomic(),
        _row_security(_Settings(maintenance="on"), is_inner=is_inner),
    ):
        yield


@contextmanager
def _row_security(settings: _Settings, *, is_inner: bool) -> Iterator[None]:
    """Local to the transaction: whoever gets the connection next from the pool finds none of it set.

    is_inner: whether the transaction goes on after the block. When the block fails, its savepoint takes all of it back.
    """
    before = _set_row_security(settings)
    yield
    if is_inner:
        _set_row_security(before)


@lru_cache(maxsize=256)
def _readable(audience: Audience, grants: str) -> str:
    """The documents that the audience may read, by the database's own rule, as the text of a bytea.

    Kept until grants change: a version is never used twice, so what is kept fits what the transaction sees.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT footnote_readable_documents(%s::jsonb)", [_as_json(audience)])
        return f"\\x{as_bits(row[0] for row in cursor.fetchall()).hex()}"


def _as_json(audience: Audience) -> str:
    return json.dumps([sorted(str(role) for role in roles) for roles in audience.role_sets])


def as_bits(numbers: Iterable[int]) -> bytes:
    """A string in which bit n is set for each number n, from the lowest bit of the first byte as for get_bit."""
    bits = bytearray()
    for number in numbers:
        place = number >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (number & 7)
    return bytes(bits)


def _set_row_security(settings: _Settings, server: str = DEFAULT_DB_ALIAS) -> _Settings:
    """Set all of them and return what they were."""
    with connections[server].cursor() as cursor:
        cursor.execute(_SET, settings)
        row = cursor.fetchone()
    return _Settings(*row[: len(settings)])
