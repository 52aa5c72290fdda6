"""Show risks to who may see them, by score, and the places that tell to who may read the document."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from core.access.audiences import readable_editions
from core.infrastructure.public_address import PlaceInChunk, build_document_address, write_place
from core.library.retrieval.chunk_lookup import passages_again
from core.models import Document, OversharingRisk, SensitivePlace, SensitivityLook, ShownSecret, User
from core.quality.oversharing.deciding import may_view
from core.types import Audience, Edition, Passage
from core.values.oversharing import HIGH_FROM, MEDIUM_FROM, SECRETS, Level, RiskKind, RiskState, find_level

_AROUND = 160  # characters of a quote on either side of a place
_SHOWN_PLACES = 10
_OF_DOCUMENT = ("document__collection", "document__part_of", "document__data_source")
# What a risk is shown with.
RELATED = (*_OF_DOCUMENT, "role", "usergroup", "data_source", "collection", "decided_by")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Holds what a list of risks is narrowed to; empty: all."""

    states: tuple[str, ...] = (RiskState.OPEN,)
    kinds: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    collection: UUID | None = None
    words: str = ""  # of the title of a document, or of the name of a role or source
    sensitivity: int | None = None  # 1..5
    reach: int | None = None  # 1..5


@dataclass(frozen=True, kw_only=True, slots=True)
class RiskList:
    """Holds some of the risks that a viewer may see, and how many there are."""

    rows: tuple[OversharingRisk, ...]
    total: int
    by_state: dict[str, int]
    by_level: dict[str, int]  # of those that are open
    looked: int  # documents that were looked through as they are
    documents: int  # that there are


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPlace:
    """Holds a place that tells why a document is a risk. Its words are empty for who may not read the document."""

    place_id: UUID
    subject: str
    is_readable: bool
    quote: str = ""
    marked: tuple[int, int] = (0, 0)  # what tells, in characters of the quote
    section: str = ""
    page_number: int | None = None
    opens_at: str = ""  # its address; empty where PUBLIC_URL is not set
    place: str = ""  # in its document, as addresses have it
    is_secret: bool = False
    is_shown: bool = False  # of a secret: meant to be read


def select_risks(viewer: User) -> QuerySet[OversharingRisk]:
    """Return the risks that a viewer may see: all, or none without the rights to see who reads what."""
    return OversharingRisk.objects.all() if may_view(viewer) else OversharingRisk.objects.none()


def list_risks(viewer: User, wanted: Wanted, *, limit: int, offset: int = 0) -> RiskList:
    """List the risks that a viewer may see, the highest first."""
    visible = select_risks(viewer)
    rows = narrow_to(visible, wanted)
    page = rows.select_related(*RELATED)
    open_ones = visible.filter(state=RiskState.OPEN).order_by()
    documents = (
        Document.objects.filter(withdrawn_at=None, chunk_count__gt=0) if may_view(viewer) else Document.objects.none()
    )
    looked = SensitivityLook.objects.filter(document__in=documents, document__version=F("document_version"))
    levels = Counter(find_level(score) for score in open_ones.values_list("score", flat=True))
    return RiskList(
        rows=tuple(page.order_by("-score", "-people", "pk")[offset : offset + limit]),
        total=rows.count(),
        by_state=Counter(visible.order_by().values_list("state", flat=True)),
        by_level={level.value: levels[level] for level in Level},
        looked=looked.count(),
        documents=documents.count(),
    )


def narrow_to(rows: QuerySet[OversharingRisk], wanted: Wanted) -> QuerySet[OversharingRisk]:
    """Narrow risks to those that are wanted."""
    plain = {
        "state__in": wanted.states,
        "kind__in": wanted.kinds,
        "subjects__overlap": list(wanted.subjects),
        "sensitivity": wanted.sensitivity,
        "reach": wanted.reach,
    }
    rows = rows.filter(**{name: value for name, value in plain.items() if value})
    if wanted.levels:
        ranges = {
            Level.HIGH: (HIGH_FROM, 25),
            Level.MEDIUM: (MEDIUM_FROM, HIGH_FROM - 1),
            Level.LOW: (1, MEDIUM_FROM - 1),
        }
        chosen = Q()
        for level in wanted.levels:
            chosen |= Q(score__range=ranges[Level(level)])
        rows = rows.filter(chosen)
    if wanted.collection:
        rows = rows.filter(Q(document__collection=wanted.collection) | Q(collection=wanted.collection))
    if wanted.words:
        names = ("document__part_of__title", "role__name", "data_source__name", "collection__name")
        # What a part of a document is called says what its sections are called: it is found by the whole one's title.
        found = Q(document__part_of=None, document__title__icontains=wanted.words)
        for name in names:
            found |= Q(**{f"{name}__icontains": wanted.words})
        rows = rows.filter(found)
    return rows


def name_subject(risk: OversharingRisk) -> str:
    """Name what a risk is of."""
    if risk.document is not None:
        return name_document(risk.document)
    if risk.kind == RiskKind.ODD_GROUP:
        return f"{risk.usergroup or 'A usergroup'} as {risk.role}"
    return str(risk.data_source or risk.collection or "")


def name_document(document: Document) -> str:
    """Name a document. A part of one goes by the whole: what its sections are called is its readers' to know."""
    return f"{document.part_of.title} (restricted sections)" if document.part_of else document.title


def list_places(risk: OversharingRisk, audience: Audience, *, most: int = _SHOWN_PLACES) -> list[ShownPlace]:
    """List the places that tell why a document is a risk, the surest first.

    audience: everyone who is shown them. Words, sections and pages are theirs to see who may read the edition.
    """
    document, places = risk.document, _select_places(risk)
    if document is None:
        return []
    is_secret = risk.kind == RiskKind.SECRET
    rows = list(places.order_by("-strength", "chunk_id", "start", "pk")[:most])
    may_read = bool(readable_editions([Edition(document.pk, document.version)], audience))
    passages = {one.chunk_id: one for one in passages_again([(row.chunk_id, 0.0) for row in rows], audience=audience)}
    shown = set(ShownSecret.objects.values_list("fingerprint", flat=True)) if is_secret else set()
    return [_show(row, passages if may_read else {}, shown) for row in rows]


def count_places(risk: OversharingRisk) -> dict[str, int]:
    """Count the places that tell by subject, the most first. It says nothing of what they say, or where they are."""
    counted = _select_places(risk).order_by().values_list("subject").annotate(n=Count("pk"))
    return dict(sorted(counted, key=lambda pair: (-pair[1], pair[0])))


def _select_places(risk: OversharingRisk) -> QuerySet[SensitivePlace]:
    """Return the places of a risk's kind in its document as it is now."""
    document = risk.document
    if document is None or risk.kind not in (RiskKind.CONFIDENTIAL, RiskKind.SECRET):
        return SensitivePlace.objects.none()
    places = SensitivePlace.objects.filter(document=document, document_version=document.version)
    return places.filter(subject__in=SECRETS) if risk.kind == RiskKind.SECRET else places.exclude(subject__in=SECRETS)


def _show(row: SensitivePlace, passages: dict[UUID | None, Passage], shown: set[str]) -> ShownPlace:
    is_secret = row.subject in SECRETS
    passage = passages.get(row.chunk_id)
    if passage is None:
        return ShownPlace(place_id=row.pk, subject=row.subject, is_readable=False, is_secret=is_secret)
    start, end = _cut(passage.content, row.start, row.end)
    at = PlaceInChunk(chunk_id=row.chunk_id, start=row.start, end=row.end)
    return ShownPlace(
        place_id=row.pk,
        subject=row.subject,
        is_readable=True,
        quote=passage.content[start:end],
        marked=(row.start - start, min(row.end, end) - start),
        section=passage.section,
        page_number=passage.page_at(row.start),
        opens_at=build_document_address(row.document_id, at=at),
        place=write_place(at),
        is_secret=is_secret,
        is_shown=row.fingerprint in shown,
    )


def _cut(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a quote around a place begins and ends: at spaces, and a line or two long."""
    first = max(0, start - _AROUND)
    last = min(len(text), min(end, start + _AROUND) + _AROUND)
    if first:
        first = text.find(" ", first, start) + 1 or first
    if last < len(text):
        space = text.rfind(" ", end, last)
        last = space if space > end else last
    return first, last


def list_meant(risk: OversharingRisk) -> list[ShownSecret]:
    """List the secrets by which a risk is over because all that its document holds are meant to be read; else none."""
    if risk.kind != RiskKind.SECRET:
        return []
    held = set(_select_places(risk).order_by().values_list("fingerprint", flat=True))
    shown = ShownSecret.objects.filter(pk__in=held).select_related("shown_by").order_by("shown_at", "pk")
    meant = list(shown)
    return meant if len(meant) == len(held) else []


def find_places(risk: OversharingRisk, ids: Sequence[UUID]) -> list[SensitivePlace]:
    """Return the places of a risk's document with these ids."""
    return list(SensitivePlace.objects.filter(document=risk.document_id, pk__in=ids))
