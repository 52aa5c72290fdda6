"""The admin's menu: six entries for everyday work, everything else below Advanced, and the names of all pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.templatetags.static import static
from django.urls import reverse

from adminsite.admin.access.matrix import may_see_matrix
from adminsite.admin.access.why import may_see_why
from adminsite.admin.change_checks.limits import CHANGE_LIMITS
from adminsite.admin.oversharing.secrets_page import may_see_secrets
from adminsite.admin.sections.planning import may_see_sections
from adminsite.figures import count_of
from core.infrastructure.version import VERSION
from core.quality.reports.grouping import VIEW_REPORTS

ADVANCED = "admin-advanced"  # the name of the page's address


@cache
def _find_address(name: str) -> str:
    """Return the address of a page by its name. Every page of the admin links to a hundred, which never change."""
    return reverse(name)


def _list_address(model: str) -> str:
    return _find_address(f"admin:{model.replace('.', '_')}_changelist")


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A page of the admin: the list of a model, or a page with an address of its own."""

    title: str
    model: str = ""  # app.model, in lower case
    url: str = ""  # the name of an address, where it is no list
    may: Callable[[HttpRequest], bool] | None = None  # who may open it, where it is no list
    also: str = ""  # other words that it is found by
    counts: str = ""  # what one row is called where the list is counted, if not as the model is
    covers: tuple[str, ...] = ()  # models whose rows this list has too: their pages belong to it, and have its name

    @property
    def address(self) -> str:
        """The page's address."""
        return _list_address(self.model) if self.model else _find_address(self.url)

    @property
    def covered(self) -> list[str]:
        """The addresses of the pages that belong to it."""
        return [_list_address(model) for model in self.covers]

    def opens_for(self, request: HttpRequest) -> bool:
        """Return True if the viewer may open it, by the rule of the page itself."""
        if self.may is not None:
            return self.may(request)
        return admin.site.get_model_admin(apps.get_model(self.model)).has_view_permission(request)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """An entry of the menu, or a part of Advanced."""

    title: str
    icon: str = ""  # of Material Symbols
    links: tuple[Link, ...]  # the entry opens the first of them that its viewer may open


def _may_ask(request: HttpRequest) -> bool:
    return may_see_matrix(request) and may_see_why(request)


def _may_see_reports(request: HttpRequest) -> bool:
    return request.user.has_perm(VIEW_REPORTS)


def _may_change_limits(request: HttpRequest) -> bool:
    return request.user.has_perm(CHANGE_LIMITS)


def _may_see_people(request: HttpRequest) -> bool:
    return request.user.has_perm("core.view_user")


MENU = (
    Entry(
        title="Ask",
        icon="chat",
        links=(Link(title="Ask", url="admin:core_role_preview", may=_may_ask, also="preview as somebody else"),),
    ),
    Entry(
        title="Documents",
        icon="description",
        links=(
            Link(title="Documents", model="core.document"),
            Link(title="Collections", model="core.collection"),
            Link(title="Uploads", model="core.ingestionjob", also="ingestion jobs"),
        ),
    ),
    Entry(
        title="Sources",
        icon="cloud_sync",
        links=(
            Link(title="Sources", model="core.datasource", also="data sources"),
            Link(title="Source runs", model="core.syncrun"),
        ),
    ),
    Entry(
        title="People and roles",
        icon="group",
        links=(
            Link(title="People", model="core.user", also="users persons"),
            Link(title="Roles", model="core.role"),
            Link(title="Who reads what", url="admin:core_role_matrix", may=may_see_matrix, also="grants matrix"),
            Link(
                title="Oversharing",
                model="core.oversharingrisk",
                also="risks confidential secrets passwords keys too many readers radar",
                counts="risk",
            ),
            Link(
                title="Restricted sections",
                url="admin:core_sectionrule_changelist",
                may=may_see_sections,
                also="chapters sheets rules readers",
                covers=("core.sectionrule",),
            ),
            Link(title="Who decides", url="admin:core_user_deciders", may=_may_see_people),
            Link(title="Unused grants", url="admin:core_role_unused", may=may_see_matrix),
        ),
    ),
    Entry(
        title="Questions",
        icon="help",
        links=(
            Link(
                title="Questions",
                model="core.query",
                also="queries conversations answers log",
                counts="question",
                covers=("core.conversation", "core.answer", "core.querylog"),
            ),
            Link(title="Handed over", model="bot.handover", also="hand-overs to a person"),
        ),
    ),
    Entry(
        title="Quality",
        icon="verified",
        links=(
            Link(title="Content gaps", model="core.contentgap", also="what to write next"),
            Link(
                title="Proposed changes",
                model="core.proposedchange",
                also="merge requests drafts of documents",
                counts="proposed change",
            ),
            Link(
                title="Changes before they are live",
                model="core.changecheck",
                also="checks of changes limits dry run gate approve",
                counts="checked change",
            ),
            Link(title="Contradictions", model="core.sourcecontradiction", also="sources documents that disagree"),
            Link(title="Verified answers", model="core.verifiedanswer"),
            Link(title="Reports", url="admin:core_querylog_reports", may=_may_see_reports, also="figures"),
            Link(title="Feedback", model="core.feedback", also="votes comments", counts="vote"),
            Link(title="Alerts", model="core.alert"),
            Link(title="Evaluations", model="core.evaluationresult", also="scores groundedness"),
        ),
    ),
)
REST = (
    Entry(
        title="Slack",
        links=(
            Link(title="Workspaces", model="core.slackworkspace"),
            Link(title="Channels", model="core.channelsetting"),
            Link(title="Accounts", model="core.slackidentity"),
            Link(title="Usergroups", model="core.usergrouprole"),
            Link(title="Other bots", model="core.slackbot"),
            Link(title="Installations", model="bot.installation"),
            Link(title="Events", model="bot.slackevent", counts="event"),
            Link(title="Replies", model="bot.reply"),
            Link(title="Threads", model="bot.watchedthread", counts="thread"),
            Link(title="Shared files", model="bot.upload", counts="shared file"),
            Link(title="Digests", model="bot.digest"),
            Link(title="Digests of risks", model="bot.riskdigest", counts="risk digest"),
        ),
    ),
    Entry(
        title="Rights and programs",
        links=(
            Link(title="Admin groups", model="auth.group", also="permissions rights", counts="admin group"),
            Link(title="REST tokens", model="core.authtoken", also="api keys"),
            Link(title="Connected programs", model="core.connectedprogram", also="mcp"),
            Link(title="REST reference", url="api:docs", may=lambda request: request.user.is_active, also="api"),
        ),
    ),
    Entry(
        title="Measuring",
        links=(
            Link(title="Thresholds", url="admin:core_querylog_thresholds", may=_may_see_reports),
            Link(title="Limits of changes", url="admin:core_changecheck_limits", may=_may_change_limits, also="gate"),
            Link(title="Evaluation runs", model="core.evaluationrun"),
            Link(title="Benchmarks", model="core.benchmarkresult"),
            Link(title="Model examinations", model="core.modelexamination"),
            Link(title="Local models", model="core.modelsetup", also="fetch language model gguf llama.cpp"),
        ),
    ),
    Entry(
        title="Library",
        links=(
            Link(title="Passages", model="core.chunk", also="chunks text", counts="passage"),
            Link(title="Source contents", model="core.syncitem"),
            Link(title="Intranet hosts", model="core.intranethost"),
            Link(
                title="Meant to be read",
                url="admin:core_oversharingrisk_secrets",
                may=may_see_secrets,
                also="secrets passwords keys shown masked",
            ),
        ),
    ),
    Entry(
        title="Operations",
        links=(
            Link(title="Budgets", model="core.budget", also="cost tokens quota"),
            Link(title="Audit trail", model="core.auditevent", also="audit events history"),
            Link(
                title="Background jobs",
                model="procrastinate.procrastinatejob",
                also="worker queue tasks",
                counts="background job",
            ),
        ),
    ),
)


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """The menu: each entry for those who may open a page of it, and Advanced."""
    items = []
    for entry in MENU:
        links = [link for link in entry.links if link.opens_for(request)]
        opens = [address for link in links for address in (link.address, *link.covered)]
        if opens:
            items.append(_make_item(entry.title, entry.icon, opens))
    rest = [link.address for entry in REST for link in entry.links if link.opens_for(request)]
    if rest:
        items.append(_make_item("Advanced", "tune", [_find_address(ADVANCED), *rest]))
    _mark_active(request, items)
    return [{"items": items}]


def _make_item(title: str, icon: str, addresses: list[str]) -> dict[str, Any]:
    """Return an entry of the menu that opens the first of its addresses.

    The theme marks an entry too whose tab's address the request's begins with, as that of *Roles* does on *Ask*; but
    not one whose link is computed.
    """
    return {"title": title, "icon": icon, "link": lambda request: addresses[0], "all": addresses}


def _mark_active(request: HttpRequest, items: list[dict[str, Any]]) -> None:
    """Mark the entry whose page is open: of the addresses that begin that of the request, the longest decides."""
    around = [link for item in items for link in item["all"] if request.path.startswith(link)]
    open_now = max(around, key=len, default="")
    for item in items:
        item["active"] = open_now in item.pop("all")


def tabs(request: HttpRequest) -> list[dict[str, Any]]:
    """The pages of an entry with several of them, beside each other."""
    return [
        {
            "page": entry.title,
            "models": [model for link in entry.links for model in (link.model, *link.covers) if model],
            "items": [
                {"title": link.title, "link": link.address, "active": request.path == link.address}
                for link in entry.links
                if link.opens_for(request)
            ],
        }
        for entry in MENU
        if sum(link.opens_for(request) for link in entry.links) > 1
    ]


def list_pages(request: HttpRequest, words: str = "") -> Iterator[tuple[Entry, Link]]:
    """Yield the pages that the viewer may open, those of Advanced last: those alone whose names have the words."""
    wanted = words.casefold().split()
    for entry in (*MENU, *REST):
        for link in entry.links:
            names = f"{entry.title} {link.title} {link.also}".casefold()
            if all(word in names for word in wanted) and link.opens_for(request):
                yield entry, link


def advanced_page(request: HttpRequest) -> HttpResponse:
    """Show the pages that are no everyday work, and find any page by its name."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:100]
    pages = [(entry, link) for entry, link in list_pages(request, words) if words or entry in REST]
    if not pages and not words:
        raise PermissionDenied
    found: dict[str, list[Link]] = {}
    for entry, link in pages:
        found.setdefault(entry.title, []).append(link)
    context = {**admin.site.each_context(request), "title": "Advanced", "content_title": "Advanced", "q": words}
    return TemplateResponse(request, "adminsite/advanced.html", {**context, "found": found})


@cache
def _list_titles() -> dict[str, str]:
    """The title of each page by its address, and by those of what belongs to it."""
    links = (link for entry in (*MENU, *REST) for link in entry.links)
    return {address: link.title for link in links for address in (link.address, *link.covered)}


def title_of(address: str) -> str:
    """Return the name that the menu has for a page, by its address; empty where it has none."""
    return _list_titles().get(address, "")


@cache
def _counted() -> dict[str, str]:
    return {link.model: link.counts for entry in (*MENU, *REST) for link in entry.links if link.counts}


def count_in_words(count: int, opts: Any) -> str:
    """Count the rows of a list, called as the menu calls it. opts: the description of their model."""
    if noun := _counted().get(opts.label_lower):
        return count_of(count, noun)
    return f"{count:,} {opts.verbose_name if count == 1 else opts.verbose_name_plural}"


def stylesheet(request: HttpRequest) -> str:
    """The address of the styles that the theme lacks."""
    return static("adminsite/admin.css")


def conversation_stylesheet(request: HttpRequest) -> str:
    """The address of the styles of conversations, and of values of several parts."""
    return static("adminsite/conversation.css")


def field_names(request: HttpRequest) -> str:
    """The address of the script that names fields for screen readers."""
    return static("adminsite/names.js")


def chart_letters(request: HttpRequest) -> str:
    """The address of the script that gives the letters of charts the colours of the page."""
    return static("adminsite/charts.js")


def icon(request: HttpRequest) -> str:
    """The address of the browser tab's icon."""
    return static("adminsite/icon.svg")


def subheader(request: HttpRequest) -> str:
    """Return the line below the name; the version for people who are signed in: both do not fit."""
    return f"Version {VERSION}" if request.user.is_authenticated else "Answers with their sources"


def environment(request: HttpRequest) -> list[str] | None:
    """Return a badge that distinguishes a development server from a real one."""
    return ["Development", "warning"] if settings.DEBUG else None


def account_menu(request: HttpRequest) -> list[dict[str, str]]:
    """Return what is a person's own, whatever they may do in the admin: the pages, and their addresses."""
    named = (("Research", "researches"), ("Second factor", "mfa_index"), ("Connected programs", "own-programs"))
    return [{"title": title, "link": _find_address(name)} for title, name in named]
