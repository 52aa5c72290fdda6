"""The front page of the web process, and the icon that browsers ask for by themselves."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static


def front(request: HttpRequest) -> HttpResponse:
    """Go to the local page where there is one, else to the admin."""
    return redirect("/local/" if settings.LOCAL_PAGE else "admin:index")


def favicon(request: HttpRequest) -> HttpResponse:
    """Go to Footnote's icon, where a page such as a file or a JSON answer names none."""
    return redirect(static("adminsite/icon.svg"), permanent=True)
