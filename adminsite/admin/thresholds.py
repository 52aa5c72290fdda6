"""The page that says what other thresholds would have done to last month's questions."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from adminsite.dashboard.thresholds import DAYS, count_asked, page_of, show_promises


def thresholds_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Counts by threshold, for questions without and with a language model; whoever may read reports may look."""
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Thresholds",
        "opts": model_admin.opts,
        "days": DAYS,
        "promises": show_promises(),
        "kinds": [page_of(kind) for kind in count_asked()],
    }
    return TemplateResponse(request, "adminsite/thresholds.html", context)
