"""Number the states of chunks and grants. Caches in memory are compared with them before they are used."""

from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, connections

_ON = " on "  # between a state and the server that has it


@dataclass(frozen=True, slots=True)
class Versions:
    """Two names of states, each of which is another one after every change of its kind, and never comes again.

    A part of both is since when the server runs. A replica that is moved to the front may lack the last changes, and
    counts on from where it is: the names it gives are then others than those that were lost.
    """

    chunks: str
    grants: str

    def has_chunks_of(self, other: "Versions") -> bool:
        """Return True if the chunks are the same on both of two servers, of which one follows the other."""
        return self.chunks.partition(_ON)[0] == other.chunks.partition(_ON)[0]


def current_versions(server: str = DEFAULT_DB_ALIAS) -> Versions:
    """The versions as this transaction sees them, or as a replica does by its alias. One query, about 0.2 ms.

    A grant that comes to its end is a change that no statement makes: how many have is a part of the grants' version.
    """
    with connections[server].cursor() as cursor:
        cursor.execute(
            "SELECT kind, string_agg(slot || ':' || change, ' ' ORDER BY slot) FROM core_libraryversion GROUP BY kind"
            " UNION ALL SELECT 'expired', count(*)::text FROM core_roledocumentaccess"
            " WHERE expires_at <= statement_timestamp()"
            " UNION ALL SELECT 'server', extract(epoch FROM pg_postmaster_start_time())::text"
        )
        found = dict(cursor.fetchall())
    server_part = f"{_ON}{found['server']}"
    return Versions(
        chunks=found.get("chunks", "") + server_part,
        grants=f"{found.get('grants', '')} {found['expired']}{server_part}",
    )
