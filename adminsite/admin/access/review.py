"""The page on which somebody says that what a role may read is still right."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from adminsite.admin.base import viewer
from core.access.audiences import may_decide_who_reads
from core.access.reviews import approve, describe_role
from core.models import Role


def review_page(model_admin: Any, request: HttpRequest, role: Role | None) -> HttpResponse:
    """Show who is in a role and what it may read; and, when that is still right, say so. Http404 without one."""
    if not may_decide_who_reads(request.user):
        raise PermissionDenied
    if role is None:
        raise Http404
    if request.method == "POST":
        approve(role, by=viewer(request))
        model_admin.message_user(request, f"{role} is reviewed: its access is still right.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_role_changelist"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Review access",
        "subtitle": str(role),
        "opts": model_admin.opts,
        "role": role,
        "seen": describe_role(role),
    }
    return TemplateResponse(request, "adminsite/review.html", context)
