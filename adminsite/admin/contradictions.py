"""Contradictions: documents that answer one question differently, of those that the viewer may read, and what holds."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from adminsite.admin.base import ReadOnlyAdmin, viewer, viewer_audience
from adminsite.admin.narrowing import link_pages, read_chosen_id, read_page_number, write_query
from adminsite.admin.proposals.shown import list_for
from adminsite.figures import count_of
from core import api
from core.errors import FootnoteError, NotFoundError
from core.library.contradictions.deciding import LONGEST_REASON
from core.library.contradictions.listing import select_visible
from core.models import SourceContradiction
from core.quality.proposals.rights import may_propose
from core.values.contradictions import ContradictingSide, ContradictionList, KeptContradiction

LIST = "admin:core_sourcecontradiction_changelist"
_MAY_SEE = "may_see_contradictions"  # an attribute of requests
PER_PAGE = 20
State = SourceContradiction.State
STATE_LABELS = {
    State.OPEN: "warning",
    State.ASKED: "info",
    State.ONE_HOLDS: "success",
    State.BOTH_HOLD: "success",
    State.GONE: "default",
}
# What a list is narrowed to by its address, and the states that it then has.
WAITING, ALL = "waiting", "all"
_STATES: dict[str, tuple[str, ...]] = {WAITING: (State.OPEN, State.ASKED), ALL: ()}
_NARROWED = ("state", "collection", "page")


class NarrowForm(forms.Form):
    """Narrow the list by state and collection."""

    state = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    collection = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)

    def __init__(self, found: ContradictionList, **options: Any) -> None:
        super().__init__(**options)
        waiting = sum(found.by_state[state] for state in _STATES[WAITING])
        states = [(WAITING, f"To decide ({waiting})")]
        states += [(state.value, f"{state.label.capitalize()} ({found.by_state[state]})") for state in State]
        states += [(ALL, f"All ({sum(found.by_state.values())})")]
        collections = [("", "All"), *((str(pk), name) for pk, name in found.collections)]
        for field, choices in (("state", states), ("collection", collections)):
            self.fields[field].widget.choices = choices


class ReasonForm(forms.Form):
    """Say why both hold."""

    reason = forms.CharField(
        label="Why do both hold?",
        max_length=LONGEST_REASON,
        widget=UnfoldAdminTextInputWidget(attrs={"required": True}),
    )


@admin.register(SourceContradiction)
class SourceContradictionAdmin(ReadOnlyAdmin):
    """Pairs of documents as cards, the last found first."""

    when_empty = (
        "Documents are compared with each other soon after they come, and by night. Two that answer the same question "
        "differently are listed here, if you may read both."
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may have the list, by a permission or as an owner of documents.

        The menu of each page asks several times, so the request keeps what was found.
        """
        if not hasattr(request, _MAY_SEE):
            setattr(request, _MAY_SEE, request.user.is_active and api.may_see_contradictions(viewer(request)))
        return bool(getattr(request, _MAY_SEE))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SourceContradiction]:
        """Return the pairs of which the viewer may read both sides: no page knows another."""
        return select_visible(viewer(request), viewer_audience(request))

    def get_urls(self) -> list[Any]:
        """Return the pages, with what can be done."""
        act = path("<uuid:pk>/act/", self.admin_site.admin_view(self.act_view), name="core_sourcecontradiction_act")
        return [act, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the pairs that the address narrows the list to."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        state = request.GET.get("state") or WAITING
        states = _STATES.get(state, (state,))
        if not set(states) <= set(State.values):
            raise Http404
        collection, number = (
            read_chosen_id(request.GET.get("collection", "")),
            read_page_number(request.GET.get("page", "")),
        )
        found = api.list_contradictions(
            viewer(request),
            audience=viewer_audience(request),
            states=states,
            collection=collection,
            limit=PER_PAGE,
            offset=(number - 1) * PER_PAGE,
        )
        narrowed = {"state": state, "collection": str(collection or "")}
        context = {
            "form": NarrowForm(found, initial=narrowed),
            "narrowed": {**narrowed, "page": number},
            "count": count_of(found.total, "contradiction"),
            **link_pages(narrowed, number, is_last=number * PER_PAGE >= found.total),
            "when_empty": _explain_nothing(found),
        }
        return self._show(request, found, context)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show one pair, which is changed by its buttons alone. Whatever the viewer may not see is not there."""
        if object_id is None or not self.has_view_permission(request) or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        found = api.list_contradictions(viewer(request), audience=viewer_audience(request), ids=(row.pk,), limit=1)
        return self._show(request, found, {"is_alone": True, **list_for(request, contradiction=row.pk)})

    def _show(self, request: HttpRequest, found: ContradictionList, context: dict[str, Any]) -> HttpResponse:
        shared = {
            **self.admin_site.each_context(request),
            "title": "Contradictions",
            "opts": self.opts,
            "cards": [_describe_card(row) for row in found.rows],
            "reason_form": ReasonForm(),
            "may_propose": may_propose(viewer(request)),
        }
        return TemplateResponse(request, "adminsite/contradictions.html", {**shared, **context})

    def act_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what a button of a card says. Whatever the viewer may not decide is not there."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        person, given = viewer(request), request.POST
        side, reason = given.get("side", ""), given.get("reason", "").replace("\0", "")
        acts: dict[str, Callable[[], str]] = {
            "one": lambda: _tell(api.say_that_one_holds(pk, side, by=person), "Noted which one holds."),
            "both": lambda: _tell(api.say_that_both_hold(pk, reason, by=person), "Noted that both hold."),
            "ask": lambda: f"{api.ask_owner(pk, side, by=person).name_without_address} is asked.",
            "open": lambda: _tell(api.open_contradiction_again(pk, by=person), "Opened again."),
        }
        act = acts.get(given.get("act", ""))
        if act is None:
            raise Http404
        try:
            self.message_user(request, act(), messages.SUCCESS)
        except NotFoundError as error:
            raise Http404 from error
        except FootnoteError as error:
            self.message_user(request, error.message, messages.ERROR)
        narrowed = {name: given[name] for name in _NARROWED if given.get(name)}
        if given.get("is_alone"):
            return HttpResponseRedirect(reverse("admin:core_sourcecontradiction_change", args=[pk]))
        return HttpResponseRedirect(f"{reverse(LIST)}?{write_query(narrowed)}")


def _tell(_done: None, words: str) -> str:
    return words


def _explain_nothing(found: ContradictionList) -> str:
    """Say why the list is empty: nothing found, or none in these states. Nothing is said of what is not shown."""
    if any(found.by_state.values()):
        return "None of these. Choose another state or collection above."
    looked_for = SourceContradictionAdmin.when_empty
    if not settings.CONTRADICTIONS_ENABLED:
        looked_for = "Nothing is looked for: CONTRADICTIONS_ENABLED is off."
    elif settings.READER == "none":
        looked_for = "Nothing is looked for without a reader: READER is none."
    return f"No contradictions. {looked_for}"


def _describe_card(row: KeptContradiction) -> dict[str, Any]:
    """Return what the template shows of a pair."""
    return {
        "row": row,
        "state": State(row.state).label,
        "state_label": STATE_LABELS[State(row.state)],
        "sides": [_describe_side(side) for side in row.sides],
        "is_decided": row.state not in (State.OPEN, State.GONE),
        "is_gone": row.state == State.GONE,
    }


def _describe_side(side: ContradictingSide) -> dict[str, Any]:
    start, end = side.value
    opened = reverse("document", args=[side.edition.document_id])
    return {
        "side": side,
        "before": side.quote[:start],
        "value": side.quote[start:end],
        "after": side.quote[end:],
        "address": f"{opened}?at={side.place}" if side.place else "",
    }
