"""Reconstruct from commits who could read which documents at which time. `History` is pure."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

import psycopg

GRANT, ROLE, DOCUMENT = "grant", "role", "document"

# Each change of who may read what, noted by the database itself in the transaction of the change: so neither what was
# rolled back is there, nor is anything missing that was committed before the server was killed.
_INSTALL = """
CREATE SCHEMA soak;
CREATE TABLE soak.change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL, subject text NOT NULL, object text NOT NULL, gained boolean NOT NULL,
    began timestamptz NOT NULL DEFAULT clock_timestamp(), xid xid NOT NULL DEFAULT pg_current_xact_id()::xid
);
CREATE FUNCTION soak.note(kind text, subject text, object text, gained boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE number bigint; BEGIN
    INSERT INTO soak.change (kind, subject, object, gained) VALUES (kind, subject, object, gained)
    RETURNING id INTO number;
    PERFORM pg_notify('soak', number::text) WHERE NOT gained; END $$;
CREATE FUNCTION soak.note_grant() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM soak.note('grant', coalesce(NEW.role_id, OLD.role_id)::text,
        coalesce(NEW.document_id, OLD.document_id)::text, TG_OP = 'INSERT');
    RETURN NULL; END $$;
CREATE FUNCTION soak.note_role() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM soak.note('role', coalesce(NEW.user_id, OLD.user_id)::text, coalesce(NEW.role_id, OLD.role_id)::text,
        TG_OP = 'INSERT');
    RETURN NULL; END $$;
CREATE FUNCTION soak.note_document() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM soak.note('document', NEW.id::text, NEW.title, true);
    RETURN NULL; END $$;
CREATE TRIGGER soak_grant AFTER INSERT OR DELETE ON core_roledocumentaccess
    FOR EACH ROW EXECUTE FUNCTION soak.note_grant();
CREATE TRIGGER soak_role AFTER INSERT OR DELETE ON core_userrole FOR EACH ROW EXECUTE FUNCTION soak.note_role();
CREATE TRIGGER soak_document AFTER INSERT OR UPDATE OF title ON core_document
    FOR EACH ROW EXECUTE FUNCTION soak.note_document();
"""
# What is gained counts from the statement on, what is lost until others see it: each time the wider reading.
_READ = """
SELECT id, kind, subject, object, gained,
    extract(epoch FROM CASE WHEN gained THEN began ELSE pg_xact_commit_timestamp(xid) END)
FROM soak.change ORDER BY id
"""
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Change:
    """A person gained or lost a role, a role a document; or a document got its title."""

    kind: str
    subject: str  # a person, a role or a document
    object: str  # a role, a document or a title
    gained: bool
    at: float  # Unix time


@dataclass(slots=True)
class History:
    """The roles, members and grants over time."""

    _held: defaultdict[tuple[str, str, str], list[list[float]]] = field(default_factory=lambda: defaultdict(list))
    _gains: list[float] = field(default_factory=list)
    titles: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # of documents, by title
    _roles: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # ever held by a person

    @classmethod
    def of(cls, changes: Iterable[Change]) -> "History":
        """The history that these changes make, in their order."""
        history = cls()
        for change in changes:
            if change.kind == DOCUMENT:
                history.titles[change.object].add(change.subject)
                continue
            spans = history._held[change.kind, change.subject, change.object]
            if change.gained:
                spans.append([change.at, float("inf")])
                history._gains.append(change.at)
                if change.kind == ROLE:
                    history._roles[change.subject].add(change.object)
            elif spans:
                spans[-1][1] = change.at
        history._gains.sort()
        return history

    def could_all_read(self, people: Iterable[str], documents: Iterable[str], since: float, until: float) -> bool:
        """Return True if at one time between these two all of these people could read one of these documents."""
        readers, wanted = list(people), list(documents)
        moments = [since, *(at for at in self._gains if since < at <= until)]
        return any(all(self._reads(person, wanted, at) for person in readers) for at in moments)

    def _reads(self, person: str, documents: list[str], at: float) -> bool:
        roles = [role for role in self._roles.get(person, ()) if self._holds(ROLE, person, role, at)]
        return any(self._holds(GRANT, role, document, at) for role in roles for document in documents)

    def _holds(self, kind: str, subject: str, held: str, at: float) -> bool:
        return any(begin <= at <= end for begin, end in self._held.get((kind, subject, held), ()))


def install(superuser_url: str) -> None:
    """Have the database note who gains and loses what from now on. The tables of the product must be there."""
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute(_INSTALL)


class Listener:
    """Hears, within the block, when what somebody has lost is lost to everybody.

    A commit has its time before it waits for the standby, and nobody sees it before that has it too: with a standby
    that has just died, for seconds. PostgreSQL tells who listens after that.
    """

    def __init__(self, superuser_url: Callable[[], str]) -> None:
        self._url = superuser_url
        self.heard: dict[int, float] = {}  # Unix time, by the id of the change
        self.since: list[float] = []  # when it began to listen, again and again: all that was committed is seen then
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="history")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def seen_at(self, change: int, committed_at: float) -> float:
        """From when on a change was seen, by the time of its commit."""
        if change in self.heard:
            return max(committed_at, self.heard[change])
        return next((since for since in self.since if since >= committed_at), committed_at)

    def _run(self) -> None:
        while not self._over.wait(_LOOK_S / 5):
            with (
                suppress(psycopg.Error),  # it was killed, or is not back yet
                psycopg.connect(self._url(), autocommit=True, connect_timeout=3) as connection,
            ):
                connection.execute("LISTEN soak")
                self.since.append(time.time())
                while not self._over.is_set():
                    for told in connection.notifies(timeout=_LOOK_S):
                        self.heard[int(told.payload)] = time.time()


def read(superuser_url: str, listener: Listener) -> History:
    """Read the committed changes. The server has to keep times of commits (track_commit_timestamp)."""
    with psycopg.connect(superuser_url) as connection:
        rows = connection.execute(_READ).fetchall()
    assert all(at is not None for *_, at in rows), "each commit has a time, whichever server it was made on"
    return History.of(
        Change(kind, one, other, gained, float(at) if gained else listener.seen_at(pk, float(at)))
        for pk, kind, one, other, gained, at in rows
    )
