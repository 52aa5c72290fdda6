"""The admin's sidebar and its badge."""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse

from adminsite.admin.access.matrix import may_see_matrix
from adminsite.admin.access.why import may_see_why
from core.reports.grouping import VIEW_REPORTS
from core.version import VERSION

# Group: (title, icon of Material Symbols, app, model), in the order of the sidebar.
GROUPS: tuple[tuple[str, tuple[tuple[str, str, str, str], ...]], ...] = (
    (
        "People",
        (
            ("People", "person", "core", "user"),
            ("Roles", "badge", "core", "role"),
            ("Admin groups", "admin_panel_settings", "auth", "group"),
            ("REST tokens", "key", "core", "authtoken"),
            ("Connected programs", "cable", "core", "connectedprogram"),
        ),
    ),
    (
        "Library",
        (
            ("Collections", "shelves", "core", "collection"),
            ("Documents", "description", "core", "document"),
            ("Chunks", "segment", "core", "chunk"),
            ("Ingestion", "upload_file", "core", "ingestionjob"),
            ("Data sources", "cloud_sync", "core", "datasource"),
            ("Source runs", "sync", "core", "syncrun"),
            ("Source contents", "inventory_2", "core", "syncitem"),
            ("Intranet hosts", "lan", "core", "intranethost"),
        ),
    ),
    (
        "Answers",
        (
            ("Conversations", "forum", "core", "conversation"),
            ("Questions", "help", "core", "query"),
            ("Answers", "chat", "core", "answer"),
            ("Query log", "list_alt", "core", "querylog"),
        ),
    ),
    (
        "Quality",
        (
            ("Content gaps", "contact_support", "core", "contentgap"),
            ("Verified answers", "verified", "core", "verifiedanswer"),
            ("Evaluations", "analytics", "core", "evaluationresult"),
            ("Alerts", "notifications", "core", "alert"),
            ("Feedback", "thumbs_up_down", "core", "feedback"),
            ("Evaluation runs", "checklist", "core", "evaluationrun"),
            ("Benchmarks", "speed", "core", "benchmarkresult"),
            ("Model examinations", "school", "core", "modelexamination"),
        ),
    ),
    (
        "Slack",
        (
            ("Workspaces", "domain", "core", "slackworkspace"),
            ("Channels", "tag", "core", "channelsetting"),
            ("Accounts", "alternate_email", "core", "slackidentity"),
            ("Usergroups", "groups", "core", "usergrouprole"),
            ("Other bots", "smart_toy", "core", "slackbot"),
            ("Installations", "add_link", "bot", "installation"),
            ("Events", "inbox", "bot", "slackevent"),
            ("Replies", "reply", "bot", "reply"),
            ("Threads", "list", "bot", "watchedthread"),
            ("Hand-overs", "contact_support", "bot", "handover"),
            ("Shared files", "attach_file", "bot", "upload"),
            ("Digests", "summarize", "bot", "digest"),
        ),
    ),
    (
        "Operations",
        (
            ("Budgets", "savings", "core", "budget"),
            ("Audit trail", "history", "core", "auditevent"),
            ("Background jobs", "work_history", "procrastinate", "procrastinatejob"),
        ),
    ),
)


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """The sidebar: what the viewer may look at, grouped."""
    groups: list[dict[str, Any]] = [
        {"items": [{"title": "Dashboard", "icon": "dashboard", "link": reverse("admin:index")}]}
    ]
    if request.user.has_perm(VIEW_REPORTS):
        reports = {"title": "Reports", "icon": "monitoring", "link": reverse("admin:core_querylog_reports")}
        groups[0]["items"].append(reports)
    for title, entries in GROUPS:
        items = [_item(*entry) for entry in entries if _may_view(request, entry[2], entry[3])]
        if title == "People" and _may_view(request, "core", "user"):
            items.append({"title": "Who decides", "icon": "gavel", "link": reverse("admin:core_user_deciders")})
        if title == "People" and may_see_matrix(request):
            items.append({"title": "Who reads what", "icon": "grid_on", "link": reverse("admin:core_role_matrix")})
            if may_see_why(request):
                items.append({"title": "Preview as", "icon": "visibility", "link": reverse("admin:core_role_preview")})
            items.append({"title": "Unused grants", "icon": "key_off", "link": reverse("admin:core_role_unused")})
        if title == "Quality" and request.user.has_perm(VIEW_REPORTS):
            items.append({"title": "Thresholds", "icon": "tune", "link": reverse("admin:core_querylog_thresholds")})
        if items:
            groups.append({"title": title, "separator": True, "items": items})
    if request.user.is_active:
        docs = {"title": "REST reference", "icon": "api", "link": reverse("api:docs")}
        groups.append({"separator": True, "items": [docs]})
    _mark_active(request, [item for group in groups for item in group["items"]])
    return groups


def _mark_active(request: HttpRequest, items: list[dict[str, Any]]) -> None:
    """Mark the page that is open: of those whose address begins that of the request the longest, and no other.

    The theme marks each of them, so that a page below the list of roles would mark the list too.
    """
    index = reverse("admin:index")
    around = [link for item in items if request.path.startswith(link := item["link"]) and link != index]
    open_now = max(around, key=len, default=request.path)
    for item in items:
        item["active"] = item["link"] == open_now


def _item(title: str, icon: str, app: str, model: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": reverse(f"admin:{app}_{model}_changelist")}


def _may_view(request: HttpRequest, app: str, model: str) -> bool:
    """By the rule of the page itself."""
    return admin.site.get_model_admin(apps.get_model(app, model)).has_view_permission(request)


def stylesheet(request: HttpRequest) -> str:
    """The address of the styles that the theme lacks."""
    return static("adminsite/admin.css")


def conversation_stylesheet(request: HttpRequest) -> str:
    """The address of the styles of conversations, and of values of several parts."""
    return static("adminsite/conversation.css")


def icon(request: HttpRequest) -> str:
    """The address of the browser tab's icon."""
    return static("adminsite/icon.svg")


def subheader(request: HttpRequest) -> str:
    """Return the line below the name, with the version for people who are signed in."""
    return f"Answers with their sources · {VERSION}" if request.user.is_authenticated else "Answers with their sources"


def environment(request: HttpRequest) -> list[str] | None:
    """Return a badge that distinguishes a development server from a real one."""
    return ["Development", "warning"] if settings.DEBUG else None


def own_programs(request: HttpRequest) -> str:
    """Return the address at which a person finds the programs that they have connected."""
    return reverse("own-programs")


def second_factor(request: HttpRequest) -> str:
    """Return the address of the page for a person's second factor."""
    return reverse("mfa_index")
