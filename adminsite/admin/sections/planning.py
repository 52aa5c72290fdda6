"""The page before a rule for sections is made, changed or removed, or a section is decided: who loses or gains what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from adminsite.admin.access.matrix import may_see_matrix
from adminsite.admin.base import viewer
from adminsite.admin.conversation.links import read_id
from adminsite.admin.sections.forms import (
    CollectionRuleForm,
    DocumentRuleForm,
    PatternForm,
    RolesForm,
    SectionForm,
    list_collection_roles,
    list_document_roles,
)
from core import api
from core.errors import InvalidFilterError, NotFoundError
from core.models import Collection, Document, RoleDocumentAccess, User
from core.values.sections import Decision, RulePreview, RuleView, UndecidedPart

PAGE = "admin:core_sectionrule_plan"
_KEPT = ("act", "document", "collection", "rule", "part", "decision", "section", "kind", "pattern", "roles")
_NOTHING_MATCHES = (
    "No section of this document is called that. Choose one from the list, look at how it is written in the list of "
    "sections, or put * for the part that differs."
)
_REMOVED = "without the rule, everybody who reads the document reads its sections too, unless another rule names them."
_GONE = (
    "The section is not in this document any more: everybody who reads the document reads all that waits for this "
    "decision. Look into the document first."
)
_MAY_BE_READ = (
    "Everybody who reads the document reads the section in which words of a restricted one were found. What the rules "
    "name stays restricted."
)
_THE_REST = "What else waits for this decision is for all readers of the document again."
_KIND_NAMES = {"heading": "Heading", "sheet": "Sheet", "label": "Label"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Holds what is to be done, and what it does."""

    title: str
    subtitle: str
    back: str  # the address of the page that it came from
    verb: str = ""
    icon: str = "lock"
    is_dangerous: bool = False  # it opens something
    form: forms.Form | None = None  # that cannot be used yet
    said: Sequence[str] = ()
    preview: RulePreview | None = None
    opens: bool = False  # whom the preview names gain the sections
    gains: Sequence[str] = ()  # roles, where there is no preview
    done: str = ""
    run: Callable[[], object] | None = field(default=None, repr=False)


def may_see_sections(request: HttpRequest) -> bool:
    """Return True for who decides who reads, and may look at the matrix: names of sections are shown as in that."""
    return may_see_matrix(request) and api.may_decide_sections(viewer(request))


def name_rule(kind: str, pattern: str) -> str:
    """Return what a rule is called on pages."""
    return f"{_KIND_NAMES[kind]} “{pattern}”"


def plan_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show what a change does; make it once that was seen."""
    if not may_see_sections(request):
        raise PermissionDenied
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    plan_of = _PLANS.get(request.POST.get("act", ""))
    if plan_of is None:
        raise Http404
    try:
        plan = plan_of(request)
        if plan.run is None or "confirmed" not in request.POST:
            return _show(model_admin, request, plan)
        return _make(model_admin, request, plan, plan.run)
    except NotFoundError as error:
        raise Http404 from error


def _make(model_admin: Any, request: HttpRequest, plan: Plan, run: Callable[[], object]) -> HttpResponse:
    try:
        run()
        model_admin.message_user(request, plan.done, messages.SUCCESS)
    except InvalidFilterError as error:
        model_admin.message_user(request, error.message, messages.ERROR)
    return HttpResponseRedirect(plan.back)


def _show(model_admin: Any, request: HttpRequest, plan: Plan) -> HttpResponse:
    kept = [name for name in _KEPT if plan.form is None or name not in plan.form.fields]
    context = {
        **model_admin.admin_site.each_context(request),
        "title": plan.title,
        "subtitle": plan.subtitle,
        "opts": model_admin.opts,
        "form": plan.form,
        "plan": plan,
        "keep": [(name, value) for name in kept for value in request.POST.getlist(name)],
    }
    return TemplateResponse(request, "adminsite/sections/plan.html", context)


def address_of(*, document: UUID | None = None, collection: UUID | None = None) -> str:
    """Return the address of a document's sections, or of a collection's rules for them."""
    if document is not None:
        return reverse("admin:core_sectionrule_document", args=[document])
    return reverse("admin:core_sectionrule_collection", args=[collection])


def find_document(pk: UUID | str | None) -> Document:
    """Return a whole document. Http404 without one."""
    document = Document.objects.whole().select_related("collection").filter(pk=pk).first() if pk else None
    if document is None:
        raise Http404
    return document


def find_collection(pk: UUID | str | None) -> Collection:
    """Return a collection. Http404 without one."""
    collection = Collection.objects.filter(pk=pk).first() if pk else None
    if collection is None:
        raise Http404
    return collection


def _find_rule(request: HttpRequest) -> RuleView:
    pk = read_id(request.POST.get("rule", ""))
    found = [rule for rule in api.list_section_rules(by=viewer(request)) if rule.rule_id == pk]
    if not found:
        raise Http404
    return found[0]


def _find_part(request: HttpRequest) -> UndecidedPart:
    pk = read_id(request.POST.get("part", ""))
    found = [part for part in api.list_undecided_parts(by=viewer(request)) if part.part_id == pk]
    if not found:
        raise Http404
    return found[0]


def _plan_restriction(request: HttpRequest) -> Plan:
    person, document = viewer(request), find_document(read_id(request.POST.get("document", "")))
    sections = api.list_sections(document.pk, by=person)
    form = DocumentRuleForm(request.POST, sections=sections, roles=list_document_roles(document))
    shared: dict[str, Any] = {
        "title": "Restrict a section",
        "subtitle": document.title,
        "back": address_of(document=document.pk),
    }
    preview = _preview(form, form, by=person, document=document)
    if preview is None:
        return Plan(**shared, form=form)
    (kind, pattern), roles = form.find_named(), form.cleaned_data["roles"]
    return Plan(
        **shared,
        verb="Restrict",
        said=[_tell_readers(name_rule(kind, pattern), _name_roles(form))],
        preview=preview,
        done="The section is restricted. Answers do not quote it to anybody else from now on.",
        run=lambda: api.restrict_section(document.pk, kind, pattern, roles, by=person),
    )


def _plan_rule(request: HttpRequest) -> Plan:
    person, collection = viewer(request), find_collection(read_id(request.POST.get("collection", "")))
    form = CollectionRuleForm(request.POST, roles=list_collection_roles(collection))
    shared: dict[str, Any] = {
        "title": "Add a rule",
        "subtitle": collection.name,
        "back": address_of(collection=collection.pk),
    }
    preview = _preview(form, form, by=person, collection=collection)
    if preview is None:
        return Plan(**shared, form=form)
    (kind, pattern), roles = form.find_named(), form.cleaned_data["roles"]
    said = [_tell_readers(name_rule(kind, pattern), _name_roles(form)), "It holds for what comes in from now on, too."]
    if preview.document_count:
        said.append("The worker splits the documents below. Until it comes to one, its sections stay as they are.")
    return Plan(
        **shared,
        verb="Add the rule",
        said=said,
        preview=preview,
        done="The rule is added. It holds for what comes in now; the worker splits what is there.",
        run=lambda: api.add_rule(collection.pk, kind, pattern, roles, by=person),
    )


def _plan_change(request: HttpRequest) -> Plan:
    person, rule = viewer(request), _find_rule(request)
    form = RolesForm(request.POST, roles=list_rule_roles(rule))
    shared = _share(rule, "Change who reads a section")
    if not form.is_valid():
        return Plan(**shared, form=form)
    roles = form.cleaned_data["roles"]
    new = [name for role, name in form.named.items() if UUID(role) in set(roles) - {it.role_id for it in rule.roles}]
    said = [_tell_readers(name_rule(rule.kind, rule.pattern), _name_roles(form))]
    if new:
        said.append(f"New among them: {', '.join(new)}.")
    return Plan(
        **shared,
        verb="Change it",
        said=said,
        preview=_preview_rule(rule, roles, person),
        done="Changed, at once.",
        run=lambda: api.change_rule(rule.rule_id, roles, by=person),
    )


def _plan_removal(request: HttpRequest) -> Plan:
    person, rule = viewer(request), _find_rule(request)
    return Plan(
        **_share(rule, "Remove a rule"),
        verb="Remove",
        icon="lock_open",
        is_dangerous=True,
        said=[f"{name_rule(rule.kind, rule.pattern)}: {_REMOVED}"],
        preview=_preview_rule(rule, [role.role_id for role in rule.roles], person),
        opens=True,
        done="The rule is removed."
        if rule.document_id
        else "The rule is removed. Its sections stay restricted until the worker has put them back.",
        run=lambda: api.remove_rule(rule.rule_id, by=person),
    )


def _plan_decision(request: HttpRequest) -> Plan:
    person, part = viewer(request), _find_part(request)
    shared: dict[str, Any] = {
        "title": "Decide about a section",
        "subtitle": part.title,
        "back": address_of(document=part.document_id),
    }
    decision = request.POST.get("decision", "")
    if decision == Decision.KEEP:
        return Plan(
            **shared,
            verb="Keep it restricted",
            said=["What is restricted now stays so, and no decision is waited for. You can still add or remove rules."],
            done="It stays restricted.",
            run=lambda: api.decide_unrecognised(part.part_id, decision, by=person),
        )
    if decision == Decision.GONE:
        return Plan(
            **shared,
            verb="Open the document" if part.is_all else "Open it",
            icon="lock_open",
            is_dangerous=True,
            said=[_GONE if part.is_all else _MAY_BE_READ],
            gains=_list_gaining(part),
            done="The document is open to all of its readers." if part.is_all else "It is open to all readers.",
            run=lambda: api.decide_unrecognised(part.part_id, decision, by=person),
        )
    if decision != Decision.SECTION:
        raise Http404
    document = find_document(part.document_id)
    form = SectionForm(request.POST, sections=api.list_sections(document.pk, by=person))
    roles = [role.role_id for role in part.readers]
    preview = _preview(form, None, by=person, document=document, roles=roles)
    if preview is None:
        return Plan(**shared, form=form)
    kind, pattern = form.find_named()
    return Plan(
        **shared,
        verb="This is the section",
        said=[_tell_readers(name_rule(kind, pattern), [role.name for role in part.readers]), _THE_REST],
        preview=preview,
        done="The section is named, and the rest of the document is open to its readers.",
        run=lambda: api.decide_unrecognised(part.part_id, decision, kind=kind, pattern=pattern, by=person),
    )


def _preview(
    form: PatternForm,
    with_roles: RolesForm | None,
    *,
    by: User,
    document: Document | None = None,
    collection: Collection | None = None,
    roles: Sequence[UUID] = (),
) -> RulePreview | None:
    """Return what a form's rule would do; None where the form says why it cannot be used."""
    if not form.is_valid():
        return None
    kind, pattern = form.find_named()
    try:
        preview = api.preview_rule(
            kind,
            pattern,
            roles=with_roles.cleaned_data["roles"] if with_roles else roles,
            by=by,
            document_id=document.pk if document else None,
            collection_id=collection.pk if collection else None,
        )
    except InvalidFilterError as error:
        form.add_error("pattern", error.message)
        return None
    if document is not None and not preview.document_count:
        form.add_error("pattern", _NOTHING_MATCHES)
        return None
    return preview


def _preview_rule(rule: RuleView, roles: Sequence[UUID], person: User) -> RulePreview:
    return api.preview_rule(
        rule.kind, rule.pattern, roles=roles, by=person, document_id=rule.document_id, collection_id=rule.collection_id
    )


def list_rule_roles(rule: RuleView) -> Any:
    """Return the roles that a rule can name."""
    if rule.document_id is not None:
        return list_document_roles(find_document(rule.document_id))
    return list_collection_roles(find_collection(rule.collection_id))


def _share(rule: RuleView, title: str) -> dict[str, Any]:
    back = address_of(document=rule.document_id, collection=rule.collection_id)
    return {"title": title, "subtitle": rule.place, "back": back}


def _list_gaining(part: UndecidedPart) -> list[str]:
    """Name the roles that read a document and not what waits in it."""
    readers = RoleDocumentAccess.objects.in_force().filter(document=part.document_id)
    others = readers.exclude(role__in=[role.role_id for role in part.readers])
    return list(others.order_by("role__name").values_list("role__name", flat=True))


def _name_roles(form: RolesForm) -> list[str]:
    return [form.named[str(role)] for role in form.cleaned_data["roles"]]


def _tell_readers(named: str, roles: Sequence[str]) -> str:
    if not roles:
        return f"{named}: nobody reads these sections then."
    return f"{named}: read by {', '.join(roles)} alone, where they may read the document."


_PLANS: dict[str, Callable[[HttpRequest], Plan]] = {
    "restrict": _plan_restriction,
    "add": _plan_rule,
    "change": _plan_change,
    "remove": _plan_removal,
    "decide": _plan_decision,
}
