"""Oversharing: the list of risks, the page of each, what can be decided there, and the secrets meant to be read."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.safestring import SafeString

from adminsite.admin.base import ReadOnlyAdmin, viewer
from adminsite.admin.narrowing import link_pages, read_chosen_id, read_page_number, write_query
from adminsite.admin.oversharing.forms import ALL, NARROWED, NarrowForm
from adminsite.admin.oversharing.risk_page import Given, describe_risk, narrow_and_explain, read_given
from adminsite.admin.oversharing.secrets_page import secrets_page
from adminsite.admin.oversharing.words import (
    LEVEL_LABELS,
    PAGE,
    REACH_IN_WORDS,
    STATE_LABELS,
    count_cells,
    count_shares,
    describe_why,
    write_figures,
)
from adminsite.dashboard.tiles import Tile
from adminsite.figures import count_of
from core.models import OversharingRisk, ShownSecret, User
from core.quality.oversharing.deciding import RiskDecisionError, accept, may_decide, may_view, reopen, show_secrets
from core.quality.oversharing.listing import RiskList, Wanted, find_places, list_risks, name_subject, select_risks
from core.quality.reports.grouping import VIEW_REPORTS
from core.values.oversharing import SUBJECTS_IN_WORDS, Level, RiskKind, RiskState, find_level

PER_PAGE = 50
LONGEST_SEARCH = 200  # characters
_RELATED = ("document__collection", "document__part_of", "document__data_source", "role", "usergroup")
_NOTES = {
    Level.HIGH: "open risks, score 15 and more",
    Level.MEDIUM: "open risks, score 8 to 14",
    Level.LOW: "open risks, score below 8",
}
_ICONS = {Level.HIGH: "priority_high", Level.MEDIUM: "warning", Level.LOW: "info"}


@admin.register(OversharingRisk)
class OversharingRiskAdmin(ReadOnlyAdmin):
    """Risks that more people read something than anybody expects, the highest first."""

    when_empty = (
        "Footnote looks through documents soon after they come, and by night, for words that look confidential and for "
        "passwords and keys. It looks as well for a role that reads one document among many of others, for a usergroup "
        "that brings most of the people of a role, and for sources and collections whose readers became more."
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True for who may see risks and who reads what."""
        return isinstance(request.user, User) and may_view(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[OversharingRisk]:
        """Return the risks that the viewer may see."""
        return select_risks(viewer(request)).select_related(*_RELATED, "data_source", "collection", "decided_by")

    def get_urls(self) -> list[Any]:
        """Return the pages, with what can be done."""
        view = self.admin_site.admin_view
        return [
            path("secrets/", view(lambda request: secrets_page(self, request)), name="core_oversharingrisk_secrets"),
            path("<uuid:pk>/act/", view(self.act_view), name="core_oversharingrisk_act"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the risks that the address narrows the list to, below a summary of all that are open."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        narrowed = {name: request.GET.get(name, "").replace("\0", "").strip() for name in NARROWED}
        wanted, number = _read_wanted(narrowed), read_page_number(request.GET.get("page", ""))
        found = list_risks(viewer(request), wanted, limit=PER_PAGE, offset=(number - 1) * PER_PAGE)
        is_narrowed = any(narrowed.values()) or number > 1
        shares = count_shares(found.rows)
        narrowed["state"] = narrowed["state"] or RiskState.OPEN.value
        cells = select_risks(viewer(request)).filter(state=RiskState.OPEN).order_by()
        context = {
            **self.admin_site.each_context(request),
            "title": "Oversharing",
            "opts": self.opts,
            "is_off": not settings.OVERSHARING_ENABLED,
            "tiles": _list_tiles(found),
            "matrix": count_cells(cells.values_list("sensitivity", "reach").annotate(n=Count("pk"))),
            "reaches": REACH_IN_WORDS.items(),
            "form": NarrowForm(found, initial=narrowed),
            "cell": {name: narrowed[name] for name in ("sensitivity", "reach") if narrowed[name]},
            "without_cell": write_query({**narrowed, "sensitivity": "", "reach": ""}),
            "rows": [
                {
                    "risk": risk,
                    "name": name_subject(risk),
                    "level": find_level(risk.score).value,
                    "level_label": LEVEL_LABELS[find_level(risk.score)],
                    "why": describe_why(risk, shares),
                    "figures": write_figures(risk),
                    "state": risk.get_state_display(),
                    "state_label": STATE_LABELS[RiskState(risk.state)],
                    "is_over": risk.state in (RiskState.NARROWED, RiskState.GONE),
                    "is_open": risk.state == RiskState.OPEN,
                    "address": reverse(f"{PAGE}change", args=[risk.pk]),
                }
                for risk in found.rows
            ],
            "count": count_of(found.total, "risk"),
            "may_decide": may_decide(viewer(request)),
            "may_report": viewer(request).has_perm(VIEW_REPORTS),
            "waiting": _describe_waiting(found),
            "when_empty": self._explain_nothing(found, is_narrowed),
            **link_pages(narrowed, number, is_last=number * PER_PAGE >= found.total),
        }
        return TemplateResponse(request, "adminsite/oversharing/list.html", context)

    def _explain_nothing(self, found: RiskList, is_narrowed: bool) -> str:
        """Say why the list is empty."""
        if is_narrowed and any(found.by_state.values()):
            return "None of these. Choose something else above."
        begins = "No risk is open." if any(found.by_state.values()) else "No risk was found."
        if found.looked < found.documents:
            begins = "No risk is listed so far."
        return f"{begins} {self.when_empty}"

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show one risk, which is decided about by its buttons alone."""
        if object_id is None or not self.has_view_permission(request) or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        risk = self.get_object(request, unquote(object_id))
        if risk is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        return self._show(request, risk, Given())

    def _show(self, request: HttpRequest, risk: OversharingRisk, given: Given) -> HttpResponse:
        """Show the page of a risk. given: what was typed and ticked there, where it could not be done."""
        context = {**self.admin_site.each_context(request), "opts": self.opts, **describe_risk(request, risk, given)}
        return TemplateResponse(request, "adminsite/oversharing/risk.html", context)

    def act_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what a button of a risk's page says; where that cannot be done, show the page with all that was given."""
        if not self.has_view_permission(request) or not may_decide(viewer(request)):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        risk = self.get_queryset(request).filter(pk=pk).first()
        given = read_given(request.POST)
        if risk is None:
            raise Http404
        if given.act == "look":
            return self._show(request, risk, given)
        acts: dict[str, Callable[[OversharingRisk, User, Given], str | SafeString]] = {
            "narrow": narrow_and_explain,
            "accept": _accept,
            "reopen": _reopen,
            "show": _show_secrets,
        }
        act = acts.get(given.act)
        if act is None:
            raise Http404
        try:
            said = act(risk, viewer(request), given)
        except RiskDecisionError as error:
            self.message_user(request, error.message, messages.ERROR)
            return self._show(request, self.get_queryset(request).get(pk=pk), given.with_error(error.message))
        self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(reverse(f"{PAGE}change", args=[pk]))


def _read_wanted(narrowed: dict[str, str]) -> Wanted:
    """Read what the list is narrowed to. Http404 for what is none of its choices."""
    allowed = {
        "state": {"", ALL, *RiskState},
        "kind": {"", *RiskKind},
        "level": {"", *Level},
        "subject": {"", *SUBJECTS_IN_WORDS},
        "sensitivity": {"", *"12345"},
        "reach": {"", *"12345"},
    }
    if any(narrowed[name] not in choices for name, choices in allowed.items()):
        raise Http404
    state = narrowed["state"] or RiskState.OPEN.value
    return Wanted(
        states=() if state == ALL else (state,),
        kinds=tuple(filter(None, [narrowed["kind"]])),
        levels=tuple(filter(None, [narrowed["level"]])),
        subjects=tuple(filter(None, [narrowed["subject"]])),
        collection=read_chosen_id(narrowed["collection"]),
        words=narrowed["q"][:LONGEST_SEARCH],
        sensitivity=int(narrowed["sensitivity"] or 0) or None,
        reach=int(narrowed["reach"] or 0) or None,
    )


def _describe_waiting(found: RiskList) -> str:
    """Say how many documents have not been looked through yet; "" where all have, or where none are."""
    waiting = found.documents - found.looked
    if waiting <= 0 or not settings.OVERSHARING_ENABLED:
        return ""
    have = "has" if waiting == 1 else "have"
    return f"{count_of(waiting, 'document')} {have} not been looked through yet. The worker does so within ten minutes."


def _list_tiles(found: RiskList) -> list[Tile]:
    """Return the figures above the list."""
    here = reverse(f"{PAGE}changelist")
    shown = ShownSecret.objects.count()
    return [
        *(
            Tile(
                title=level.value.capitalize(),
                value=f"{found.by_level[level]:,}",
                note=_NOTES[level],
                icon=_ICONS[level],
                link=f"{here}?level={level}",
                bad=level == Level.HIGH and found.by_level[level] > 0,
            )
            for level in Level
        ),
        Tile(
            title="Looked through",
            value=f"{found.looked:,}",
            note=f"of {count_of(found.documents, 'document')}, restricted sections counted by themselves",
            icon="find_in_page",
            link="",
        ),
        Tile(
            title="Meant to be read",
            value=f"{shown:,}",
            note="passwords and keys that are not masked",
            icon="visibility",
            link=reverse(f"{PAGE}secrets"),
        ),
    ]


def _accept(risk: OversharingRisk, by: User, given: Given) -> str:
    accept(risk, by=by, reason=given.reason)
    return "Noted that this is right so. It is open again when more people read it, or when more is found."


def _reopen(risk: OversharingRisk, by: User, given: Given) -> str:
    reopen(risk, by=by)
    return "Opened again."


def _show_secrets(risk: OversharingRisk, by: User, given: Given) -> str:
    places = find_places(risk, given.places)
    if len(places) < len(given.places):
        raise RiskDecisionError("The document has changed since: look at it again.")
    new = show_secrets(risk, places, by=by, reason=given.reason)
    return (
        f"{count_of(new, 'password or key')} {'is' if new == 1 else 'are'} shown from now on, wherever the words are."
    )
