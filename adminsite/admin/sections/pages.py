"""Sections: rules and what they restrict as a list, the sections of a document, and the rules of a collection."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path
from unfold.widgets import UnfoldAdminSelectWidget

from adminsite.admin.access.matrix import natural
from adminsite.admin.base import ReadOnlyAdmin, viewer
from adminsite.admin.narrowing import link_pages, read_chosen_id, read_page_number, write_query
from adminsite.admin.sections.forms import (
    CollectionRuleForm,
    DocumentRuleForm,
    RoleChoice,
    RolesForm,
    SectionForm,
    list_collection_roles,
    list_document_roles,
    name_section,
)
from adminsite.admin.sections.planning import (
    address_of,
    find_collection,
    find_document,
    may_see_sections,
    name_rule,
    plan_page,
)
from adminsite.figures import count_of
from core import api
from core.models import Collection, Role, SectionRule
from core.values.sections import RestrictedPart, RuleView, SectionState, SectionView, UndecidedPart

PER_PAGE = 50
SECTIONS_PER_PAGE = 100
REFRESH_S = 4
STATE_WORDS = {
    SectionState.OPEN: ("open", "default"),
    SectionState.RECOGNISED: ("restricted", "info"),
    SectionState.UNRECOGNISED: ("to be decided", "warning"),
}
_STATES = (
    ("", "All"),
    (SectionState.UNRECOGNISED.value, "To be decided"),
    (SectionState.RECOGNISED.value, "Restricted"),
)


class NarrowForm(forms.Form):
    """Narrow the list by collection, reader and state."""

    collection = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    role = forms.ChoiceField(required=False, label="Read by", widget=UnfoldAdminSelectWidget)
    state = forms.ChoiceField(required=False, choices=_STATES, widget=UnfoldAdminSelectWidget)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, model in (("collection", Collection), ("role", Role)):
            rows: Any = model._default_manager.order_by(*natural("name")).values_list("pk", "name")
            choices: Any = [("", "All"), *((str(pk), named) for pk, named in rows)]
            self.fields[name].widget.choices = choices


@admin.register(SectionRule)
class SectionRuleAdmin(ReadOnlyAdmin):
    """Rules for who reads sections, and what they restrict. Everything is changed by the pages of planning.py."""

    when_empty = (
        "No section is restricted: whoever reads a document reads all of it. Open a document or a collection, choose "
        "Sections, and say which roles read a section."
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True for who decides who reads, and may look at the matrix."""
        return bool(request.user.is_active) and may_see_sections(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SectionRule]:
        """Return all rules to who may look at them, to others none."""
        rows = super().get_queryset(request)
        return rows if self.has_view_permission(request) else rows.none()

    def get_urls(self) -> list[Any]:
        """Return the pages."""
        guard = self.admin_site.admin_view
        return [
            path("document/<uuid:pk>/", guard(self.document_view), name="core_sectionrule_document"),
            path("collection/<uuid:pk>/", guard(self.collection_view), name="core_sectionrule_collection"),
            path("plan/", guard(lambda request: plan_page(self, request)), name="core_sectionrule_plan"),
            *super().get_urls(),
        ]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Go to the page on which a rule is changed."""
        if object_id is None or not self.has_view_permission(request) or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        rule = self.get_object(request, unquote(object_id))
        if rule is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        place = address_of(document=rule.document_id, collection=rule.collection_id)
        return HttpResponseRedirect(f"{place}#rule-{rule.pk}")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show what is restricted, and all rules, that the address narrows the list to."""
        self._require(request)
        given = {name: request.GET.get(name, "").replace("\0", "") for name in ("collection", "role", "state")}
        if given["state"] not in dict(_STATES):
            raise Http404
        collection, role = (read_chosen_id(given[name]) for name in ("collection", "role"))
        number = read_page_number(request.GET.get("page", ""))
        found = api.list_restricted_sections(
            by=viewer(request),
            collection_id=collection,
            role_id=role,
            state=given["state"],
            limit=PER_PAGE,
            offset=(number - 1) * PER_PAGE,
        )
        rules = api.list_section_rules(by=viewer(request), collection_id=collection)
        rules = tuple(rule for rule in rules if role is None or role in {one.role_id for one in rule.roles})
        shown = Paginator(rules, PER_PAGE).get_page(request.GET.get("rules"))
        context = {
            "form": NarrowForm(initial=given),
            "count": count_of(found.total, "restricted part"),
            "rows": [_describe_part(row) for row in found.rows],
            "rules": [_describe_rule(rule) for rule in shown],
            "rules_page": shown,
            **link_pages(given, number, is_last=number * PER_PAGE >= found.total),
            "narrowed": write_query(given),
            "is_narrowed": any(given.values()),
            "when_empty": self.when_empty,
        }
        return self._show(request, "adminsite/sections/list.html", {"title": "Restricted sections", **context})

    def document_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Show the sections of a document, with who reads each, what is to be decided, and its rules."""
        self._require(request)
        person, document = viewer(request), find_document(pk)
        sections = api.list_sections(document.pk, by=person)
        roles = list_document_roles(document)
        rules = api.list_section_rules(by=person, document_id=document.pk)
        parts = [part for part in api.list_undecided_parts(by=person) if part.document_id == document.pk]
        page = Paginator(sections, SECTIONS_PER_PAGE).get_page(request.GET.get("page"))
        context = {
            "document": document,
            "page": page,
            "rows": [_describe_section(section, rules) for section in page],
            "undecided": [_describe_undecided(part, sections) for part in parts],
            "decide_form": SectionForm(sections=sections, auto_id="decide_%s"),
            "form": DocumentRuleForm(
                sections=sections, roles=roles, initial={"section": request.GET.get("section", "")}
            ),
            "own_rules": [_describe_rule(rule, roles) for rule in rules if rule.document_id],
            "shared_rules": [_describe_rule(rule) for rule in rules if rule.collection_id],
        }
        return self._show(
            request, "adminsite/sections/document.html", {"title": "Sections", "subtitle": document.title, **context}
        )

    def collection_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Show the rules of a collection; or, for a page that waits, how far the worker is with them."""
        self._require(request)
        collection = find_collection(pk)
        rules = api.list_section_rules(by=viewer(request), collection_id=collection.pk)
        progress = {"waiting": sum(rule.waiting for rule in rules), "refresh_s": REFRESH_S, "has_rules": bool(rules)}
        if "progress" in request.GET:
            return TemplateResponse(request, "adminsite/sections/progress.html", progress)
        roles = list_collection_roles(collection)
        context = {
            **progress,
            "collection": collection,
            "rules": [_describe_rule(rule, roles) for rule in rules],
            "form": CollectionRuleForm(roles=roles),
        }
        titles = {"title": "Rules for sections", "subtitle": collection.name}
        return self._show(request, "adminsite/sections/collection.html", {**titles, **context})

    def _require(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            raise PermissionDenied

    def _show(self, request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, template, {**shared, **context})


def _describe_state(state: SectionState) -> dict[str, str]:
    words, label = STATE_WORDS[state]
    return {"state": words, "state_label": label}


def _describe_part(row: RestrictedPart) -> dict[str, Any]:
    return {
        "row": row,
        "address": address_of(document=row.document_id),
        "readers": [role.name for role in row.readers],
        "rules": [name_rule(rule.kind, rule.pattern) for rule in row.rules],
        "is_undecided": row.state == SectionState.UNRECOGNISED,
        **_describe_state(row.state),
    }


def _describe_undecided(part: UndecidedPart, sections: tuple[SectionView, ...]) -> dict[str, Any]:
    waiting = (one.name for one in sections if one.part_id == part.part_id and one.state == SectionState.UNRECOGNISED)
    return {
        "part_id": part.part_id,
        "is_all": part.is_all,
        "found_in": list(dict.fromkeys(waiting)),
        "readers": [role.name for role in part.readers],
    }


def _describe_section(section: SectionView, rules: tuple[RuleView, ...]) -> dict[str, Any]:
    named = {rule.rule_id: rule for rule in rules}
    return {
        "section": section,
        "chosen": urlencode({"section": name_section(section)}),
        "readers": [role.name for role in section.readers],
        "rules": [named[pk] for pk in section.rules if pk in named],
        "is_open": section.state == SectionState.OPEN,
        **_describe_state(section.state),
    }


def _describe_rule(rule: RuleView, roles: list[RoleChoice] | None = None) -> dict[str, Any]:
    """Return what pages show of a rule. roles: those that it can name, where it can be changed."""
    form = None
    if roles is not None:
        chosen = [str(role.role_id) for role in rule.roles]
        form = RolesForm(roles=roles, initial={"roles": chosen}, auto_id=f"{rule.rule_id}_%s")
    return {
        "rule": rule,
        "name": name_rule(rule.kind, rule.pattern),
        "roles": [role.name for role in rule.roles],
        "address": f"{address_of(document=rule.document_id, collection=rule.collection_id)}#rule-{rule.rule_id}",
        "form": form,
    }
