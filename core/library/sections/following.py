"""Part a new edition of a document as it is written: by its rules, and by what its parts said before.

Two steps around the writing: `part_edition` says which row each passage belongs to, before those of the last edition
are deleted, and `finish_edition` notes what came of it once the document has the number of its new edition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from core.library.sections.matching import EarlierPart, Partition, Piece, follow, partition
from core.library.sections.parts import (
    Parted,
    State,
    close_earlier,
    list_chunks,
    list_granted,
    list_rows,
    make_parts,
    note_parts,
    read_parts,
    write_audit,
)
from core.models import Chunk, Document, User


@dataclass(frozen=True, slots=True)
class Parting:
    """Holds where the passages of a new edition go."""

    parted: Parted
    pieces: tuple[Piece, ...]
    placed: Partition
    closed_to: frozenset[UUID]  # roles to which earlier editions may have shown what is restricted from now on

    @property
    def has_parts(self) -> bool:
        """Return True if anything is restricted, or was until now."""
        return bool(self.parted.parts)

    @property
    def holders(self) -> list[UUID]:
        """Return for each passage the document that holds it."""
        return [self.parted.made[rules] for rules in self.placed.rules]


def hold_rules(collection_id: UUID) -> None:
    """Keep rules of a collection from being made until the end of the transaction, which writes documents into it.

    So each document is either parted by a rule as it is written, or found by who makes the rule.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM core_collection WHERE id = %s FOR KEY SHARE", [collection_id])


def part_edition(document: Document, passages: Sequence[tuple[str, str, str]], *, is_new: bool) -> Parting | None:
    """Say where the passages of a new edition go, as (chapter, section, content); None where no rule is about it.

    The document is locked, and has the passages of its last edition still. Its parts are made.
    """
    parted = read_parts(document)
    if not parted.rules and not parted.parts:
        return None
    pieces = tuple(Piece(chapter=chapter, section=section, content=content) for chapter, section, content in passages)
    placed = _place(parted, pieces)
    new = set(placed.rules) - parted.sets - {frozenset()}
    make_parts(parted, set(placed.rules))
    lost: set[UUID] = set()
    if new and not is_new:
        granted = list_granted(document)
        lost = {role for rules in new for role in filter(parted.lose_by(frozenset(), rules), granted)}
    return Parting(parted=parted, pieces=pieces, placed=placed, closed_to=frozenset(lost))


def finish_edition(parting: Parting, *, by: User | None) -> list[UUID]:
    """Note what the parts hold now. Returns the parts. The document is saved, with the number of its new edition."""
    note_parts(parting.parted, parting.pieces, parting.placed, is_new_text=True)
    close_earlier(parting.parted, parting.closed_to)
    if parting.has_parts:
        write_audit(parting.parted, by, closed_to=parting.closed_to)
    return [pk for rules, pk in parting.parted.made.items() if rules]


def _place(parted: Parted, pieces: Sequence[Piece]) -> Partition:
    if not parted.sets:
        return partition(pieces, parted.rules)
    chunks = list_chunks(parted.document)
    return follow(
        pieces,
        parted.rules,
        [
            EarlierPart(
                rules=rules,
                pieces=tuple(chunk.piece for chunk in chunks if chunk.document_id == pk),
                opened=frozenset(noted.opened),
                flagged=frozenset(noted.flagged),
                is_undecided=noted.state == State.UNRECOGNISED,
                is_all=noted.is_all,
            )
            for pk, (rules, noted) in parted.parts.items()
            if rules
        ],
        [chunk.piece for chunk in chunks if chunk.document_id == parted.document.pk],
    )


def delete_passages(document: Document) -> None:
    """Delete the passages of a document and of its parts."""
    Chunk.objects.filter(document__in=list_rows(document)).delete()
