"""List pairs for a viewer: those alone of which everyone who looks may read both editions, and so are they counted."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from core.access.audiences import audience_of, may_read_all
from core.infrastructure.public_address import PlaceInChunk, build_document_address, write_place
from core.library.contradictions.following import SIDES
from core.library.owners import find_owner
from core.library.retrieval.chunk_lookup import passages_again
from core.models import Collection, ContradictionWords, Document, RoleDocumentAccess, SourceContradiction, User
from core.models.querysets import ContradictionQuerySet
from core.models.row_security import showing_quotes_to
from core.types import Audience, Edition, Passage
from core.values.contradictions import ContradictingSide, ContradictionList, KeptContradiction

VIEW, MANAGE = "core.view_contradictions", "core.manage_contradictions"
_SEES_RIGHTS = ("core.view_role", "core.view_document", "core.view_collection")  # as for who reads what
State = SourceContradiction.State


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Holds what a list is narrowed to."""

    states: tuple[str, ...] = ()  # none: all
    collection: UUID | None = None  # of either document
    ids: tuple[UUID, ...] = ()  # none: all


def may_see_all(user: User) -> bool:
    """Return True if a user may see pairs that concern no document of their own, as far as they may read both sides."""
    return user.is_active and (user.has_perm(VIEW) or user.has_perm(MANAGE))


def may_see_any(user: User) -> bool:
    """Return True if a user may see some pairs: by a permission, or as the owner of documents."""
    return may_see_all(user) or (user.is_active and Document.objects.filter(_is_owned_by(user, "")).exists())


def may_decide(user: User, row: SourceContradiction) -> bool:
    """Return True if a user may decide about a pair that they may see: by the permission, or as an owner of a side."""
    if not user.is_active:
        return False
    return user.has_perm(MANAGE) or any(_get_owner_id(getattr(row, side)) == user.pk for side in SIDES)


def select_visible(viewer: User, audience: Audience) -> ContradictionQuerySet:
    """Return the pairs that a viewer may see. audience: everyone who is shown them, the viewer among them."""
    rows = SourceContradiction.objects.visible_to(audience).up_to_date()
    if may_see_all(viewer):
        return rows
    if not viewer.is_active:
        return rows.none()
    return rows.filter(_is_owned_by(viewer, "newer__") | _is_owned_by(viewer, "older__"))


def list_contradictions(
    viewer: User, audience: Audience, wanted: Wanted, *, limit: int, offset: int = 0
) -> ContradictionList:
    """List the pairs that a viewer may see, the last found first."""
    visible = select_visible(viewer, audience)
    rows = visible
    if wanted.states:
        rows = rows.filter(state__in=wanted.states)
    if wanted.collection:
        rows = rows.filter(Q(newer__collection=wanted.collection) | Q(older__collection=wanted.collection))
    if wanted.ids:
        rows = rows.filter(pk__in=wanted.ids)
    related = (
        "decided_by",
        "owner_asked",
        *(f"{side}__{of}" for side in SIDES for of in ("collection__owner", "owner")),
    )
    page = list(rows.select_related(*related).order_by("-found_at", "pk")[offset : offset + limit])
    states = Counter(visible.order_by().values_list("state", flat=True))
    return ContradictionList(
        rows=tuple(_describe_rows(page, viewer, audience)),
        total=rows.count(),
        by_state={state: states[state] for state in State.values},
        collections=_list_collections(visible),
    )


def _is_owned_by(user: User, of: str) -> Q:
    """Build the condition that a document is this person's: their own, or else of a collection of theirs."""
    return Q(**{f"{of}owner": user}) | Q(**{f"{of}owner": None, f"{of}collection__owner": user})


def _get_owner_id(document: Document) -> UUID | None:
    return document.owner_id or document.collection.owner_id


def _list_collections(visible: ContradictionQuerySet) -> tuple[tuple[UUID, str], ...]:
    found: set[UUID] = set()
    for side in SIDES:
        found.update(visible.order_by().values_list(f"{side}__collection", flat=True).distinct())
    return tuple(Collection.objects.filter(pk__in=found).order_by("name").values_list("pk", "name"))


def _describe_rows(rows: Sequence[SourceContradiction], viewer: User, audience: Audience) -> list[KeptContradiction]:
    standing = [row for row in rows if row.state != State.GONE]
    ids = [(getattr(row, f"{side}_chunk_id"), 0.0) for row in standing for side in SIDES]
    passages = {one.chunk_id: one for one in passages_again(ids, audience=audience)} if ids else {}
    with showing_quotes_to(audience):
        words = ContradictionWords.objects.in_bulk([row.pk for row in standing])
    list_roles = _make_list_of_roles(rows) if viewer.has_perms(_SEES_RIGHTS) else None
    described = []
    for row in rows:
        sides = [_describe_side(row, side, passages, list_roles) for side in SIDES]
        sides.sort(key=lambda one: one.document_date or one.ingested_on, reverse=True)
        own = words.get(row.pk)
        described.append(
            KeptContradiction(
                contradiction_id=row.pk,
                question=own.question if own else "",
                state=row.state,
                sides=(sides[0], sides[1]),
                reason=own.reason if own else "",
                decided_by=row.decided_by.name_without_address if row.decided_by else "",
                decided_at=row.decided_at,
                owner_asked=row.owner_asked.name_without_address if row.owner_asked else "",
                asked_at=row.asked_at,
                found_at=row.found_at,
                gone_at=row.gone_at,
                may_decide=row.state != State.GONE and may_decide(viewer, row),
            )
        )
    return described


def find_owner_to_ask(row: SourceContradiction, side: str) -> User | None:
    """Return the owner of a side who may read both editions: nobody else is told that there is another document."""
    owner = find_owner(getattr(row, side))
    editions = [Edition(getattr(row, f"{one}_id"), getattr(row, f"{one}_version")) for one in SIDES]
    return owner if owner and may_read_all(editions, audience_of([owner.pk])) else None


def _describe_side(
    row: SourceContradiction,
    side: str,
    passages: dict[UUID | None, Passage],
    list_roles: Callable[[Edition], tuple[str, ...]] | None,
) -> ContradictingSide:
    document: Document = getattr(row, side)
    start, end, says_start, says_end = (
        getattr(row, f"{side}_{name}") for name in ("start", "end", "says_start", "says_end")
    )
    passage = passages.get(getattr(row, f"{side}_chunk_id"))
    place = PlaceInChunk(chunk_id=passage.chunk_id, start=start, end=end) if passage and passage.chunk_id else None
    edition = Edition(document.pk, getattr(row, f"{side}_version"))
    owner = find_owner_to_ask(row, side) if row.state != State.GONE else None
    return ContradictingSide(
        side=side,
        edition=edition,
        document_name=document.title,
        document_date=document.document_date,
        ingested_on=_to_day(document.ingested_at),
        collection=document.collection.name,
        quote=passage.content[start:end] if passage else "",
        value=(says_start - start, says_end - start),
        section=passage.section if passage else "",
        page_number=passage.page_at(start) if passage else None,
        place=write_place(place) if place else "",
        opens_at=build_document_address(document.pk, at=place) if place else "",
        roles=list_roles(edition) if list_roles else None,
        owner=owner.name_without_address if owner else "",
        holds=row.holds == side,
    )


def _to_day(moment: dt.datetime) -> dt.date:
    return timezone.localtime(moment).date()


def _make_list_of_roles(rows: Sequence[SourceContradiction]) -> Callable[[Edition], tuple[str, ...]]:
    """Build the function that lists the roles which may read an edition; one query for all the pairs."""
    documents = {getattr(row, f"{side}_id") for row in rows for side in SIDES}
    grants = list(
        RoleDocumentAccess.objects.in_force()
        .filter(document__in=documents)
        .order_by("role__name")
        .values_list("document_id", "since_version", "role__name")
    )
    return lambda edition: tuple(
        name for document, since, name in grants if document == edition.document_id and since <= edition.version
    )
