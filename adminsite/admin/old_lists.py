"""Lead from the addresses of lists that the list of questions took the place of: links and bookmarks go on to work."""

from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from adminsite.admin.conversation.links import read_id
from core.types import QueryState

# The parts of the earlier addresses, each with what the list of questions calls it.
_PARTS = {
    "q": "q",
    "state__exact": "outcome",
    "refusal_reason": "outcome",
    "refusal_reason__exact": "outcome",
    "has_sufficient_context__exact": "outcome",
    "confidence_level__exact": "answer__confidence_level__exact",
    "model_provider": "model_provider",
    "origin__exact": "conversation__origin__exact",
    "is_active__exact": "conversation",
    **{
        f"{field}_at_{end}": f"created_at_{end}"
        for field in ("created", "updated")
        for end in ("from_0", "from_1", "to_0", "to_1")
    },
}
_OUTCOMES = {
    **{("state__exact", state.value): "open" for state in QueryState},
    ("state__exact", QueryState.COMPLETE.value): "answered",
    ("state__exact", QueryState.NO_CONTENT_FOUND.value): "unanswered",
    ("state__exact", QueryState.FAILED.value): "failed",
    ("state__exact", QueryState.STOPPED.value): "stopped",
    ("has_sufficient_context__exact", "1"): "answered",
    ("has_sufficient_context__exact", "0"): "unanswered",
}


def lead_to_questions(page: Any, request: HttpRequest) -> HttpResponseRedirect:
    """Return the way from a page's list to that of questions, narrowed as its address; PermissionDenied as the page's.

    A row that the address names by its key is led to; what the list of questions has no filter for is left out.
    """
    if not page.has_view_permission(request):
        raise PermissionDenied
    given = {name: str(value) for name, value in request.GET.items()}
    pk = read_id(given.get("id__exact", given.get("id", "")))
    if pk is not None:
        return HttpResponseRedirect(reverse(f"admin:core_{page.opts.model_name}_change", args=[pk]))
    asked = {_PARTS[name]: _OUTCOMES.get((name, value), value) for name, value in given.items() if name in _PARTS}
    return HttpResponseRedirect("?".join(filter(None, (reverse("admin:core_query_changelist"), urlencode(asked)))))
