"""The page before grants are made or taken away: who gains or loses which documents. Then they are."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html

from adminsite.admin.access.grants import UntilForm
from adminsite.admin.base import viewer
from adminsite.admin.change_checks.shown import link_check
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.access.changes import Effect, GrantChange, find_effect, plan_change, plan_undoing
from core.errors import InvalidFilterError, NotFoundError
from core.models import AuditEvent, ChangeCheck, Collection, Document, Role, User
from core.quality.change_checks.deciding import VIEW as VIEW_CHECKS
from core.quality.change_checks.deciding import may_check
from core.quality.change_checks.submitting import change_grants, check_grants, is_held_by_limit

SHOWN = 50  # people, and documents, that are named
_GRANT, _REVOKE = "grant", "revoke"


def change_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show what a change that was chosen in the matrix does; make it once that was seen."""
    if request.method != "POST" or not may_decide_who_reads(request.user):
        raise PermissionDenied
    try:
        change = _read_change(request.POST)
    except InvalidFilterError as error:
        return _go_back(model_admin, request, error.message)
    return _show_or_apply(model_admin, request, change, keep=_keep_fields(request.POST))


def undo_page(model_admin: Any, request: HttpRequest, event_id: UUID) -> HttpResponse:
    """Show what it does to undo an event of the audit trail; undo it once that was seen."""
    may_see = request.user.has_perm("core.view_auditevent")
    if not may_see or not may_decide_who_reads(request.user):
        raise PermissionDenied
    event = AuditEvent.objects.filter(pk=event_id).first()
    try:
        if event is None:
            raise NotFoundError("There is no such event.")
        change = plan_undoing(event)
    except NotFoundError as error:
        return _go_back(model_admin, request, error.message)
    return _show_or_apply(model_admin, request, change, keep=[])


def _show_or_apply(
    model_admin: Any, request: HttpRequest, change: GrantChange, *, keep: Sequence[tuple[str, str]]
) -> HttpResponse:
    if not change.grants:
        why_else = ", or what was chosen is withdrawn" if change.gives else ""
        return _go_back(model_admin, request, f"Nothing would change: it is so already{why_else}.", level=messages.INFO)
    is_confirmed = request.method == "POST" and "confirmed" in request.POST
    form = UntilForm(request.POST if is_confirmed else None) if change.gives else None
    if is_confirmed and (form is None or form.is_valid()):
        until = form.cleaned_data["until"] if form else None
        if "check" in request.POST:
            if not _may_look_first(request):
                raise PermissionDenied
            check = check_grants(change, by=viewer(request), until=until)
            model_admin.message_user(request, "It is being checked. Nothing is changed by that.", messages.SUCCESS)
            return HttpResponseRedirect(reverse("admin:core_changecheck_change", args=[check.pk]))
        made = change_grants(change, by=viewer(request), until=until)
        if isinstance(made, ChangeCheck):
            return _say_that_it_waits(model_admin, request, made)
        done = "made" if change.gives else "taken away"
        said = (
            f"{count_of(made, 'grant')} {done}. The audit trail has a row for each role, from which it can be undone."
        )
        return _go_back(model_admin, request, said, level=messages.SUCCESS)
    return _show_change(model_admin, request, change, form=form, keep=keep)


def _may_look_first(request: HttpRequest) -> bool:
    """Return True if the viewer may have a change checked, and see what came of it."""
    return may_check(viewer(request)) and request.user.has_perm(VIEW_CHECKS)


def _say_that_it_waits(model_admin: Any, request: HttpRequest, check: ChangeCheck) -> HttpResponse:
    """Go back to the matrix with the way to the check that the limit of grants asks for."""
    link = link_check(request, check, "its check")
    said = format_html(
        "The grants are not changed yet: {} comes first, and they wait for a yes where it crosses a limit.", link
    )
    return _go_back(model_admin, request, said, level=messages.WARNING)


def offer_existing(model_admin: Any, request: HttpRequest, collection: Collection) -> HttpResponse | None:
    """Offer a collection's default roles the documents that are in it already; None when they have them.

    A default role receives what comes in from then on, and who adds one often wants both.
    """
    pairs = [(role, collection.pk) for role in collection.default_roles.values_list("pk", flat=True)]
    change = plan_change(gives=True, collections=pairs)
    if not change.grants:
        return None
    keep = [("action", _GRANT), *(("cell", f"{role}:collection:{collection.pk}") for role in change.documents)]
    return _show_change(
        model_admin,
        request,
        change,
        form=UntilForm(),
        keep=keep,
        post_to=reverse("admin:core_role_change_access"),
        said=f"{collection} is saved: its default roles receive what comes in from now on. Should they also read the "
        "documents that are in it already?",
        cancel_to=reverse("admin:core_collection_changelist"),
    )


def _show_change(
    model_admin: Any,
    request: HttpRequest,
    change: GrantChange,
    *,
    form: UntilForm | None,
    keep: Sequence[tuple[str, str]],
    **more: str,
) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Grant documents" if change.gives else "Take documents away",
        "opts": model_admin.opts,
        "change": change,
        "form": form,
        "keep": keep,
        "cancel_to": reverse("admin:core_role_matrix"),
        "may_look_first": _may_look_first(request),
        "waits": is_held_by_limit(change),
        **_describe_effect(request, change, find_effect(change)),
        **more,
    }
    return TemplateResponse(request, "adminsite/access_change.html", context)


def _go_back(model_admin: Any, request: HttpRequest, said: str, *, level: int = messages.ERROR) -> HttpResponse:
    model_admin.message_user(request, said, level)
    return HttpResponseRedirect(reverse("admin:core_role_matrix"))


def _read_change(form: QueryDict) -> GrantChange:
    """Read the change chosen in the matrix. InvalidFilterError when nothing, or nothing possible, was chosen."""
    if form.get("action") not in (_GRANT, _REVOKE):
        raise InvalidFilterError("Choose Grant or Take away.")
    columns, rows = form.getlist("columns"), form.getlist("rows")
    chosen = {
        *form.getlist("cell"),
        *(f"{role}:{row}" for role in form.getlist("role") for row in rows),
        *(f"{role}:{row}" for row in form.getlist("row") for role in columns),
    }
    if not chosen:
        raise InvalidFilterError("Tick what is to change: cells, whole rows or whole roles.")
    found: dict[str, list[tuple[UUID, UUID]]] = {"collection": [], "document": []}
    for value in chosen:
        try:
            role, kind, row = value.split(":")
            found[kind].append((UUID(role), UUID(row)))
        except (ValueError, KeyError) as error:
            raise InvalidFilterError("A box of this page has a value that cannot be used. Load it again.") from error
    known = set(Role.objects.values_list("pk", flat=True))
    collections, documents = ([pair for pair in found[kind] if pair[0] in known] for kind in ("collection", "document"))
    return plan_change(gives=form["action"] == _GRANT, collections=collections, documents=documents)


def _keep_fields(form: QueryDict) -> list[tuple[str, str]]:
    """Return the chosen values as hidden fields of the second form."""
    names = ("action", "cell", "role", "row", "columns", "rows")
    return [(name, value) for name in names for value in form.getlist(name)]


def _describe_effect(request: HttpRequest, change: GrantChange, effect: Effect) -> dict[str, Any]:
    """Build the page's context. Names of people and of documents are only for viewers who may see their lists."""
    may_see = {model: request.user.has_perm(f"core.view_{model}") for model in ("user", "document")}
    people = User.objects.in_bulk(_list_first(effect.people) if may_see["user"] else [])
    documents = Document.objects.only("pk", "title").in_bulk(
        _list_first(effect.documents) if may_see["document"] else []
    )
    roles = Role.objects.in_bulk(list(change.documents))
    return {
        "roles": sorted(
            ((roles[pk], len(chosen)) for pk, chosen in change.documents.items()), key=lambda it: it[0].name
        ),
        "total": len(change.all_documents),
        "people": [(people[pk], effect.people[pk]) for pk in _list_first(effect.people) if pk in people],
        "more_people": max(len(effect.people) - SHOWN, 0),
        "people_total": len(effect.people),
        "documents": [(documents[pk], effect.documents[pk]) for pk in _list_first(effect.documents) if pk in documents],
        "more_documents": max(len(effect.documents) - SHOWN, 0),
        "channels": effect.channels,
    }


def _list_first(counted: Mapping[UUID, int]) -> list[UUID]:
    """Return those with the most first, as many as are named."""
    return [pk for pk, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]]
