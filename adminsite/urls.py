"""Route each part of the web process, and lead on from its front page and from the icon that browsers ask for."""

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path

from adminsite.admin.navigation import ADVANCED, advanced_page
from adminsite.admin.risk_digest import RISK_DIGEST, risk_digest_page
from adminsite.admin.search import search
from adminsite.dashboard.first_steps import dismiss
from adminsite.health import livez, readyz
from adminsite.mcp.view import McpView
from adminsite.metrics import metrics


def front(request: HttpRequest) -> HttpResponse:
    """Go to the local page where there is one, else to the admin."""
    return redirect("/local/" if settings.LOCAL_PAGE else "admin:index")


def favicon(request: HttpRequest) -> HttpResponse:
    """Go to Footnote's icon, where a page such as a file or a JSON answer names none."""
    return redirect(static("adminsite/icon.svg"), permanent=True)


handler400 = "adminsite.error_responses.bad_request"
urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("", front, name="front"),
    path("favicon.ico", favicon, name="favicon"),
    path("admin/", include("adminsite.sign_in.urls")),  # before the admin's own sign-in page
    path("admin/search/", admin.site.admin_view(search)),  # before the theme's, which keeps what it found
    path("admin/first-steps/dismiss/", admin.site.admin_view(dismiss), name="admin-dismiss-first-steps"),
    path("admin/advanced/", admin.site.admin_view(advanced_page), name=ADVANCED),
    path("admin/risk-digest/", admin.site.admin_view(risk_digest_page), name=RISK_DIGEST),
    path("admin/", admin.site.urls),  # of the pages that the import of adminsite.admin has registered
    path("api/v1/", include("adminsite.api.urls")),
    path("mcp", McpView.as_view(), name="mcp"),
    path("mcp/", McpView.as_view(), name="mcp"),
    path("", include("adminsite.opening.urls")),
    path("", include("adminsite.research.urls")),
    path("", include("adminsite.receipts.urls")),
    path("", include("adminsite.programs.urls")),
    path("", include("bot.urls")),
]
if settings.LOCAL_PAGE and apps.is_installed("slack_emulator"):
    urlpatterns.append(path("local/", include("slack_emulator.urls")))
