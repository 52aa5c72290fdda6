"""The report of grants that nobody used, from which they can be taken away."""

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from adminsite.admin.access.matrix import may_see_matrix
from core.access.audiences import may_decide_who_reads
from core.access.unused import DAYS, count_unused, find_unused
from core.models import Role

PER_PAGE = 100


def unused_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """By role and collection; or, of one role or one collection of it, document by document."""
    if not may_see_matrix(request):
        raise PermissionDenied
    role, collection = (_read_id(request.GET.get(name, "")) for name in ("role", "collection"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Unused grants",
        "days": DAYS,
        "opts": model_admin.opts,
        "may_change": may_decide_who_reads(request.user),
        **(_list_grants(request, role, collection) if role else {"groups": count_unused()}),
    }
    return TemplateResponse(request, "adminsite/unused.html", context)


def _list_grants(request: HttpRequest, role: UUID, collection: UUID | None) -> dict[str, Any]:
    grants = find_unused().filter(role=role).select_related("document").order_by("document__title", "pk")
    if collection:
        grants = grants.filter(document__collection=collection)
    return {
        "role": Role.objects.filter(pk=role).first(),
        "collection": collection,
        "page": Paginator(grants, PER_PAGE).get_page(request.GET.get("page")),
    }


def _read_id(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None
