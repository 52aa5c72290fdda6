"""The page on which the text of a person's questions is erased."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from adminsite.admin.base import viewer
from core.api import count_erasable_texts, erase_texts
from core.models import User


def may_erase(request: HttpRequest) -> bool:
    """Return True if the viewer may have texts erased, as for deleting questions."""
    return bool(request.user.has_perm("core.delete_query"))


def erase_texts_of(model_admin: Any, request: HttpRequest, person: User) -> HttpResponse:
    """Ask for confirmation, with the number of questions; then erase them and return to the person."""
    now = timezone.now()
    if request.method == "POST":
        erased = erase_texts(before=now, of=person, by=viewer(request))
        model_admin.message_user(request, f"The text of {erased:,} question(s) is erased.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_user_change", args=[person.pk]))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Erase texts",
        "opts": model_admin.opts,
        "person": person,
        "count": count_erasable_texts(before=now, of=person),
    }
    return TemplateResponse(request, "adminsite/erase_texts.html", context)
