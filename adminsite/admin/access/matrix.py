"""The matrix: roles across, collections or the documents of one down, and what each role may read of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db.models import CharField, Count, Expression, F, Func, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from adminsite.admin.base import viewer
from core import api
from core.access.audiences import may_decide_who_reads
from core.models import Collection, Document, Role, RoleDocumentAccess, User
from core.values.sections import RestrictedPart

ROLES, ROWS = 8, 50  # of one page: more roles do not fit beside each other
_PART_NAMES = 3  # sections of a part that are named
_LABELS = {"all": "all", "none": "none"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A role's access to one row of the matrix."""

    value: str  # names the role and the row in the form
    granted: int
    total: int

    @property
    def kind(self) -> str:
        """Return whether the role may read all, some or none of it."""
        return "none" if not self.granted else "all" if self.granted >= self.total else "some"

    @property
    def icon(self) -> str:
        """Return the symbol of what the role may read."""
        return {"all": "check_circle", "some": "contrast", "none": "block"}[self.kind]

    @property
    def label(self) -> str:
        """Return the access in words."""
        if ":document:" in self.value:
            return "may read" if self.granted else "may not"
        return _LABELS.get(self.kind, f"{self.granted:,} of {self.total:,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A collection or a document, with a cell for each role of the page."""

    key: str  # names the row in the form
    row: Collection | Document
    total: int  # its documents that are not withdrawn; 1 for a document
    cells: tuple[Cell, ...]
    roles: tuple[Role, ...]  # of the cells
    parts: tuple["PartRow", ...] = ()  # of a document, for who may see them

    @property
    def pairs(self) -> Iterator[tuple[Cell, Role]]:
        """Return the cells with their roles."""
        return zip(self.cells, self.roles, strict=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class PartRow:
    """A restricted part of a document, with a cell for each role of the page. It is only looked at: rules decide."""

    part: RestrictedPart
    pairs: tuple[tuple[Cell, Role], ...]

    @property
    def name(self) -> str:
        """Return the names of its first sections."""
        more = len(self.part.sections) - _PART_NAMES
        named = "; ".join(self.part.sections[:_PART_NAMES]) or "Restricted"
        return f"{named} and {more} more" if more > 0 else named


def may_see_matrix(request: HttpRequest) -> bool:
    """Return True for who may look at the lists of roles and of documents: the matrix shows what these two do."""
    return all(request.user.has_perm(f"core.view_{model}") for model in ("role", "document", "collection"))


def matrix_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show the matrix, of the roles and rows that are searched for."""
    if not may_see_matrix(request):
        raise PermissionDenied
    shelf = _find_shelf(request.GET.get("collection", ""))
    named = Role.objects.filter(name__icontains=request.GET.get("role", "").replace("\0", ""))
    roles = Paginator(named.order_by(*natural("name")), ROLES).get_page(request.GET.get("roles"))
    rows = Paginator(_find_rows(shelf, request.GET.get("q", "")), ROWS).get_page(request.GET.get("page"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Who reads what",
        "opts": model_admin.opts,
        "shelf": shelf,
        "roles": roles,
        "page": rows,
        "rows": _add_parts(viewer(request), _fill_rows(list(roles), list(rows), shelf), shelf),
        "may_change": may_decide_who_reads(request.user),
        "role": request.GET.get("role", ""),
        "q": request.GET.get("q", ""),
        "address": _keep_address(request),
    }
    return TemplateResponse(request, "adminsite/matrix.html", context)


def _find_shelf(pk: str) -> Collection | None:
    try:
        return Collection.objects.filter(pk=pk).first() if pk else None
    except ValidationError:
        return None


def _find_rows(shelf: Collection | None, wanted: str) -> QuerySet[Any]:
    wanted = wanted.replace("\0", "")
    if shelf is None:
        return Collection.objects.filter(name__icontains=wanted).order_by(*natural("name"))
    documents = Document.objects.whole().filter(collection=shelf, title__icontains=wanted)
    return documents.only("pk", "title", "document_date", "withdrawn_at").order_by(*natural("title"))


_DIGITS = 20  # of a number that are compared
_MARKS = "[\u0300-\u036f]"  # accents, once they are apart from their letters
_OTHER_LETTERS = ("øłđıæœ", "oldiao")  # letters that no accent can be taken from


class _NaturalKey(Func):
    """A name with its numbers filled up with zeros, without accents, in lower case."""

    arity = 1
    output_field = CharField()
    template = (
        "regexp_replace(regexp_replace("
        f"translate(lower(regexp_replace(normalize(%(expressions)s, NFD), '{_MARKS}', '', 'g')), "
        f"'{_OTHER_LETTERS[0]}', '{_OTHER_LETTERS[1]}'), "
        f"'([0-9]+)', '{'0' * (_DIGITS - 1)}\\1', 'g'), '[0-9]*([0-9]{{{_DIGITS}}})', '\\1', 'g')"
        ' COLLATE "C"'
    )


def natural(field: str) -> tuple[Expression | str, ...]:
    """Return what to order by for a field's values as people sort them; equal ones by their exact form and key."""
    return _NaturalKey(F(field)).asc(), field, "pk"


def _fill_rows(roles: Sequence[Role], rows: Sequence[Any], shelf: Collection | None) -> list[Row]:
    """Return the rows with their cells, in two queries at the most."""
    granted = _count_grants(roles, rows, shelf)
    totals: Mapping[UUID, int] = dict.fromkeys((row.pk for row in rows), 1)
    if shelf is None:
        # No role reads what is withdrawn.
        live = Document.objects.whole().filter(collection__in=rows, withdrawn_at=None)
        counted = live.order_by().values("collection").annotate(n=Count("pk"))
        totals = defaultdict(int, {row["collection"]: row["n"] for row in counted})
    kind = "collection" if shelf is None else "document"
    return [
        Row(
            key=f"{kind}:{row.pk}",
            row=row,
            total=totals[row.pk],
            cells=tuple(
                Cell(value=f"{role.pk}:{kind}:{row.pk}", granted=granted[role.pk, row.pk], total=totals[row.pk])
                for role in roles
            ),
            roles=tuple(roles),
        )
        for row in rows
    ]


def _add_parts(person: User, rows: list[Row], shelf: Collection | None) -> list[Row]:
    """Return the rows of documents with their restricted parts, for who decides who reads; others know of none."""
    if shelf is None or not rows or not api.may_decide_sections(person):
        return rows
    found = defaultdict(list)
    for part in api.list_restricted_sections(by=person, document_ids=[row.row.pk for row in rows]).rows:
        readers = {role.role_id for role in part.readers}
        cells = (
            (Cell(value=f"{role.pk}:document:{part.part_id}", granted=int(role.pk in readers), total=1), role)
            for role in rows[0].roles
        )
        found[part.document_id].append(PartRow(part=part, pairs=tuple(cells)))
    return [replace(row, parts=tuple(found[row.row.pk])) for row in rows]


def _count_grants(
    roles: Sequence[Role], rows: Sequence[Any], shelf: Collection | None
) -> defaultdict[tuple[UUID, UUID], int]:
    name = "document" if shelf else "document__collection"
    found = RoleDocumentAccess.objects.decided().filter(**{"role__in": roles, f"{name}__in": rows})
    counted = found.order_by().values("role", name).annotate(n=Count("pk"))
    return defaultdict(int, {(row["role"], row[name]): row["n"] for row in counted})


def _keep_address(request: HttpRequest) -> dict[str, str]:
    """Return the address of the page without each of its parts, so that links can set that part anew."""
    given = {name: value for name, value in request.GET.items() if name in ("collection", "role", "q", "roles", "page")}
    return {
        name: urlencode({key: value for key, value in given.items() if key not in left_out and value})
        for name, left_out in (("roles", ("roles",)), ("page", ("page",)), ("shelf", ("collection", "q", "page")))
    }
