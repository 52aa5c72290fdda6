"""The page on which people turn their own weekly digest of risks off and on, to which each digest links."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from adminsite.admin.base import record, viewer
from core.models import AuditEvent
from core.quality.oversharing.deciding import may_view

RISK_DIGEST = "admin-risk-digest"  # the name of the page's address


def risk_digest_page(request: HttpRequest) -> HttpResponse:
    """Show whether the viewer gets the digest; a POST with `wanted` 1 turns it on, with another value off."""
    person = viewer(request)
    if not may_view(person):
        raise PermissionDenied
    if request.method == "POST":
        is_wanted = request.POST.get("wanted") == "1"
        if person.gets_risk_digest != is_wanted:
            with transaction.atomic():
                person.gets_risk_digest = is_wanted
                person.save(update_fields=["gets_risk_digest"])
                record(request, AuditEvent.Action.CHANGE, person, fields=["gets_risk_digest"])
        said = "You get the digest each Monday." if is_wanted else "You get no digest any more."
        messages.success(request, said)
        return HttpResponseRedirect(reverse(RISK_DIGEST))
    context = {**admin.site.each_context(request), "title": "Weekly digest of risks", "person": person}
    return TemplateResponse(request, "adminsite/risk_digest.html", context)
