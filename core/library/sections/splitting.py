"""Split stored documents: passages go from one row to another, without being read or embedded anew.

A document and all of its parts get a new edition by that, and whoever loses a section has the editions before closed.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import F

from core.library.sections.matching import Partition, RuleSet, partition
from core.library.sections.parts import (
    Parted,
    State,
    StoredPassage,
    close_earlier,
    list_chunks,
    list_granted,
    make_parts,
    note_parts,
    read_parts,
    write_audit,
)
from core.models import Document, User
from core.models.row_security import bypass_row_security

_ASIDE = 1_000_000_000  # is added to a position while others are given, for no two may be the same at any time
_MOVE = """
    UPDATE core_chunk SET document_id = new.holder, chunk_index = new.position
    FROM unnest(%s::uuid[], %s::uuid[], %s::integer[]) AS new (id, holder, position) WHERE core_chunk.id = new.id
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """Holds rules that restrict nothing any more but what they name, and the sections of which that is so."""

    rules: RuleSet
    sections: frozenset[str] | None  # digests of their names; None: all

    def applies_to(self, chunk: StoredPassage) -> bool:
        """Return True if a passage is in one of these sections."""
        return self.sections is None or chunk.digest in self.sections


_NOTHING = Release(rules=frozenset(), sections=frozenset())


def split_document(
    document_id: UUID,
    *,
    by: User | None = None,
    released: Release = _NOTHING,
    closed_to: frozenset[UUID] = frozenset(),
) -> bool:
    """Arrange the passages of a whole document by the rules as they are now. False where nothing changes.

    A passage that is in a part stays restricted by the rules of that part which there still are, but for those that are
    released: what they name, they restrict all the same. closed_to: roles for which the editions before are closed
    besides those that lose a section by this.
    """
    with bypass_row_security():
        document = Document.objects.whole().select_for_update().filter(pk=document_id).first()
        if document is None:
            return False
        parted = read_parts(document)
        if not parted.parts and not parted.rules:
            return False
        chunks = list_chunks(document)
        placed = _arrange(parted, chunks, released)
        before = [parted.rules_of(chunk.document_id) for chunk in chunks]
        if _is_so(parted, chunks, placed) and not closed_to and not released.rules:
            return False
        lost = {
            role
            for pair in set(zip(before, placed.rules, strict=True))
            for role in filter(parted.lose_by(*pair), list_granted(document))
        } | closed_to
        _write(parted, chunks, placed, released)
        close_earlier(parted, lost)
        write_audit(parted, by, closed_to=lost)
    return True


def _arrange(parted: Parted, chunks: Sequence[StoredPassage], released: Release) -> Partition:
    """Return the rules of each passage: those that name it, and those of the part that it is in."""
    pieces = [chunk.piece for chunk in chunks]
    alive = {rule.rule_id for rule in parted.rules}
    carried = [
        parted.rules_of(chunk.document_id) & (alive - released.rules if released.applies_to(chunk) else alive)
        for chunk in chunks
    ]
    rules = tuple(own | kept for own, kept in zip(partition(pieces, parted.rules).rules, carried, strict=True))
    undecided: set[RuleSet] = set()
    flagged: set[str] = set()
    is_all = False
    for chunk, kept, new in zip(chunks, carried, rules, strict=True):
        if kept:
            noted = parted.parts[chunk.document_id][1]
            if released.applies_to(chunk) and parted.rules_of(chunk.document_id) & released.rules:
                continue
            is_all |= noted.is_all
            digest = chunk.digest
            if noted.state == State.UNRECOGNISED and (noted.is_all or digest in noted.flagged):
                undecided.add(new)
                flagged |= {digest} & set(noted.flagged)
    return Partition(rules=rules, undecided=frozenset(undecided), flagged=frozenset(flagged), is_all=is_all)


def _is_so(parted: Parted, chunks: Sequence[StoredPassage], placed: Partition) -> bool:
    """Return True if each passage is where it has to be, and no part is without any."""
    holders = {rules: pk for pk, (rules, _) in parted.parts.items()} | {frozenset[UUID](): parted.document.pk}
    is_placed = all(chunk.document_id == holders.get(rules) for chunk, rules in zip(chunks, placed.rules, strict=True))
    return is_placed and parted.sets <= set(placed.rules)


def _write(parted: Parted, chunks: Sequence[StoredPassage], placed: Partition, released: Release) -> None:
    holders = make_parts(parted, set(placed.rules))
    moved: list[tuple[UUID, UUID, int]] = []
    counts: defaultdict[UUID, int] = defaultdict(int)
    for chunk, rules in zip(chunks, placed.rules, strict=True):
        holder = holders[rules]
        place = (holder, counts[holder])
        counts[holder] += 1
        if (chunk.document_id, chunk.chunk_index) != place:
            moved.append((chunk.pk, *place))
    _note_opened(parted, chunks, placed, released)
    _move(moved)
    document = parted.document
    Document.objects.filter(pk=document.pk).update(version=F("version") + 1, chunk_count=counts[document.pk])
    document.version, document.chunk_count = document.version + 1, counts[document.pk]
    note_parts(parted, [chunk.piece for chunk in chunks], placed, is_new_text=False)


def _move(moved: Sequence[tuple[UUID, UUID, int]]) -> None:
    if not moved:
        return
    ids, holders, positions = (list(column) for column in zip(*moved, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(_MOVE, [ids, holders, [_ASIDE + number for number in range(len(ids))]])
        cursor.execute(_MOVE, [ids, holders, positions])


def _note_opened(parted: Parted, chunks: Sequence[StoredPassage], placed: Partition, released: Release) -> None:
    """Note the sections that a decision opens, so that the words which they have of a part do not close them again.

    A part that goes on from others has what was opened beside these.
    """
    opened: set[str] = set()
    kept: defaultdict[RuleSet, set[str]] = defaultdict(set)
    since: defaultdict[RuleSet, dict[str, int]] = defaultdict(dict)
    for chunk, rules in zip(chunks, placed.rules, strict=True):
        before = parted.rules_of(chunk.document_id)
        if before & released.rules and not before <= rules:
            opened.add(chunk.digest)
        if before and rules:
            noted = parted.parts[chunk.document_id][1]
            kept[rules].update(noted.opened)
            for role, version in noted.since.items():
                since[rules][role] = max(version, since[rules].get(role, 0))
    for rules, pk in parted.made.items():
        if rules:
            noted = parted.parts[pk][1]
            noted.opened = sorted({*noted.opened, *kept[rules], *opened})
            noted.since |= since[rules]
