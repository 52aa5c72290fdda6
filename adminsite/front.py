"""The front page of the web process."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


def front(request: HttpRequest) -> HttpResponse:
    """Go to the local page where there is one, else to the admin."""
    return redirect("/local/" if settings.LOCAL_PAGE else "admin:index")
