"""The page of the secrets that are meant to be read: why, who said so, where they are, and masking them again."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from adminsite.admin.base import viewer
from adminsite.admin.oversharing.words import PAGE
from core.models import OversharingRisk, SensitivePlace, ShownSecret, User
from core.quality.oversharing.deciding import hide_secret, may_decide, may_view
from core.quality.oversharing.listing import name_subject, select_risks
from core.values.oversharing import SUBJECTS_IN_WORDS, RiskKind

PER_PAGE = 50
_SHOWN_DOCUMENTS = 5


def may_see_secrets(request: HttpRequest) -> bool:
    """Return True for who may see risks."""
    return isinstance(request.user, User) and may_view(request.user)


def secrets_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """List the secrets that are meant to be read, without their words; mask one again."""
    if not may_see_secrets(request):
        raise PermissionDenied
    if request.method == "POST":
        return _hide(model_admin, request)
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    rows = ShownSecret.objects.select_related("shown_by").order_by("-shown_at", "pk")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Meant to be read",
        "opts": model_admin.opts,
        "page": page,
        "rows": _describe(viewer(request), list(page)),
        "may_decide": may_decide(viewer(request)),
    }
    return TemplateResponse(request, "adminsite/oversharing/secrets.html", context)


def _hide(model_admin: Any, request: HttpRequest) -> HttpResponse:
    if not may_decide(viewer(request)):
        raise PermissionDenied
    secret = ShownSecret.objects.filter(pk=request.POST.get("secret", "").replace("\0", "")).first()
    if secret is None:
        model_admin.message_user(request, "It is masked already.", messages.INFO)
    else:
        hide_secret(secret, by=viewer(request))
        model_admin.message_user(request, "It is masked again, wherever the words are.", messages.SUCCESS)
    return HttpResponseRedirect(reverse(f"{PAGE}secrets"))


def _describe(by: User, secrets: list[ShownSecret]) -> list[dict[str, Any]]:
    """Return what the page shows of secrets: what kind each is, and the risks of the documents that hold it."""
    places = SensitivePlace.objects.filter(fingerprint__in=[one.pk for one in secrets])
    subjects: defaultdict[str, set[str]] = defaultdict(set)
    documents: defaultdict[str, set[Any]] = defaultdict(set)
    for fingerprint, subject, document in places.values_list("fingerprint", "subject", "document").distinct():
        subjects[fingerprint].add(SUBJECTS_IN_WORDS[subject])
        documents[fingerprint].add(document)
    related = ("document__part_of",)
    of_secrets = select_risks(by).filter(kind=RiskKind.SECRET, document__in=set().union(*documents.values()))
    risks: dict[Any, OversharingRisk] = {
        risk.document_id: risk for risk in of_secrets.select_related(*related).order_by("document__title", "pk")
    }
    shown = []
    for one in secrets:
        known = [risk for pk, risk in risks.items() if pk in documents[one.pk]]
        shown.append(
            {
                "secret": one,
                "what": ", ".join(sorted(subjects[one.pk])) or "in no document now",
                "risks": [
                    (name_subject(risk), reverse(f"{PAGE}change", args=[risk.pk])) for risk in known[:_SHOWN_DOCUMENTS]
                ],
                "more": max(len(known) - _SHOWN_DOCUMENTS, 0),
            }
        )
    return shown
