"""Sections of documents that only some roles read: list, preview, make, change and remove the rules, and decide."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, caller, rights_of
from adminsite.api.fields import GivenSerializer, TextField, choice_error
from adminsite.api.grants import find_named
from adminsite.api.pagination import Pages
from adminsite.api.serializers import ErrorJson
from core import api
from core.access.audiences import DECIDE_WHO_READS
from core.errors import NotFoundError
from core.models import AuthToken, Collection, Role
from core.values.sections import (
    Decision,
    NamedRole,
    RulePreview,
    RuleView,
    SectionKind,
    SectionState,
    SectionView,
    UndecidedPart,
)

MOST_ROLES = 1000  # of one rule
_LONGEST_PATTERN = 300
_KINDS = [(kind.value, kind.value) for kind in SectionKind]
_STATES = [(state.value, state.name) for state in SectionState]  # as the schema looks their name up
_DECISIONS = [(decision.value, decision.value) for decision in Decision]
_NEEDED = ("core.view_role", "core.view_document", "core.view_collection", DECIDE_WHO_READS)
_ERRORS = {400: ErrorJson, 403: ErrorJson, 404: ErrorJson}


class SectionJson(serializers.Serializer[Any]):
    """A section of a document."""

    name = serializers.CharField(help_text="Its headings, joined by >, or the sheet's name.")
    kind = serializers.ChoiceField(_KINDS, help_text="By which a rule of this document names it.")
    pattern = serializers.CharField(help_text="And with which pattern.")
    passages = serializers.IntegerField()
    readers = serializers.ListField(child=serializers.CharField(), help_text="Roles that read it now.")
    rules = serializers.ListField(child=serializers.UUIDField(), help_text="That restrict it.")
    state = serializers.ChoiceField(_STATES)
    part_id = serializers.UUIDField(allow_null=True, help_text="Where it is restricted; for a decision.")


class SectionRuleJson(serializers.Serializer[Any]):
    """A rule for who reads sections."""

    id = serializers.UUIDField()
    document_id = serializers.UUIDField(allow_null=True, help_text="Of the one document that it is for.")
    document = serializers.CharField(allow_null=True)
    collection_id = serializers.UUIDField(allow_null=True, help_text="Or of the collection.")
    collection = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(_KINDS)
    pattern = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField(), help_text="That read the sections; none: nobody.")
    documents = serializers.IntegerField(help_text="In which it restricts something.")
    undecided = serializers.IntegerField(help_text="Of these, to be decided.")
    waiting = serializers.IntegerField(help_text="Documents that the worker has still to split.")
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()


class UndecidedPartJson(serializers.Serializer[Any]):
    """Sections that are restricted because one could not be recognised, until somebody decides."""

    id = serializers.UUIDField()
    document_id = serializers.UUIDField()
    document = serializers.CharField()
    collection = serializers.CharField()
    sections = serializers.ListField(child=serializers.CharField())
    is_all = serializers.BooleanField(help_text="All of the document is restricted.")
    rules = serializers.ListField(child=serializers.UUIDField())
    readers = serializers.ListField(child=serializers.CharField(), help_text="Roles that read it now.")


class MatchedDocumentJson(serializers.Serializer[Any]):
    """A document in which a rule names sections."""

    document_id = serializers.UUIDField()
    document = serializers.CharField()
    collection = serializers.CharField()
    sections = serializers.ListField(child=serializers.CharField(), help_text="The first 20.")
    section_count = serializers.IntegerField()
    passages = serializers.IntegerField()


class LosingRoleJson(serializers.Serializer[Any]):
    """A role that reads such documents, and would not read those sections."""

    role = serializers.CharField()
    documents = serializers.IntegerField()
    people = serializers.IntegerField(help_text="Active, who have no other role that reads on.")


class RulePreviewJson(serializers.Serializer[Any]):
    """Shows what a rule would do. Nothing is stored."""

    checked = serializers.IntegerField(help_text="Documents that were looked at.")
    documents = serializers.IntegerField(help_text="In which it names something.")
    sections = serializers.IntegerField()
    matched = MatchedDocumentJson(many=True, help_text="The first 200, by title.")
    losing = LosingRoleJson(many=True)


class SectionsRowJson(serializers.Serializer[Any]):
    """The sections of one document that the same rules restrict."""

    document_id = serializers.UUIDField()
    document = serializers.CharField()
    collection = serializers.CharField()
    sections = serializers.ListField(child=serializers.CharField(), help_text="The first 20.")
    passages = serializers.IntegerField()
    readers = serializers.ListField(child=serializers.CharField(), help_text="Roles that read them now.")
    rules = serializers.ListField(child=serializers.CharField(), help_text="Kind and pattern of each.")
    state = serializers.ChoiceField(_STATES)
    since = serializers.DateTimeField()


class SectionsReportJson(serializers.Serializer[Any]):
    """Lists what is restricted now."""

    rows = SectionsRowJson(many=True, help_text="What is to be decided first.")


class RulesRequest(GivenSerializer):
    """Narrows the list of rules."""

    document = serializers.UUIDField(required=False, help_text="With the rules of its collection.")
    collection = TextField(required=False, help_text="By name.")
    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that not both are given."""
        if given.get("document") and given.get("collection"):
            raise serializers.ValidationError("Name a document or a collection, not both.")
        return given


class PagesRequest(GivenSerializer):
    """A page of a list."""

    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)


class RolesRequest(GivenSerializer):
    """The roles that read sections."""

    roles = serializers.ListField(
        child=TextField(), max_length=MOST_ROLES, help_text="By name. None: nobody reads the sections."
    )


class RuleRequest(RolesRequest):
    """A rule, of one document or of a collection."""

    document = serializers.UUIDField(required=False, allow_null=True, default=None)
    collection = TextField(required=False, allow_null=True, default=None, help_text="By name.")
    kind = serializers.ChoiceField(_KINDS, error_messages=choice_error(_KINDS))
    pattern = TextField(max_length=_LONGEST_PATTERN, help_text="* stands for anything; capitals do not matter.")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that it is for one place."""
        if (given["document"] is None) == (given["collection"] is None):
            raise serializers.ValidationError("Name a document or a collection, and not both.")
        return given


class DecisionRequest(GivenSerializer):
    """Decides about a part with a section that could not be recognised."""

    decision = serializers.ChoiceField(
        _DECISIONS,
        error_messages=choice_error(_DECISIONS),
        help_text="gone: open the document; section: it is called otherwise now; keep: what is restricted stays so.",
    )
    kind = serializers.ChoiceField(_KINDS, required=False, default="heading", error_messages=choice_error(_KINDS))
    pattern = TextField(required=False, default="", allow_blank=True, max_length=_LONGEST_PATTERN)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that a section is named where there is one."""
        if (given["decision"] == Decision.SECTION) != bool(given["pattern"].strip()):
            raise serializers.ValidationError({"pattern": "Name the section for the decision section, and only there."})
        return given


class _SectionsView(APIView):
    """The rights of all that is told and done about sections, whose names are shown as titles of documents are."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=_NEEDED, post=_NEEDED, patch=_NEEDED, delete=_NEEDED)

    def _page(self, request: Request, rows: Sequence[Any]) -> Response:
        """Return a page of rows that are all there."""
        pages = Pages()
        return pages.get_paginated_response(pages.paginate_queryset(rows, request, view=self) or [])  # type: ignore[arg-type]


class DocumentSectionsView(_SectionsView):
    """The sections of a document."""

    @extend_schema(
        operation_id="list_sections", parameters=[PagesRequest], responses={200: SectionJson(many=True), **_ERRORS}
    )
    def get(self, request: Request, document_id: UUID) -> Response:
        """Return the sections in their order, with who reads each; restricted ones among them."""
        _read(PagesRequest, request.query_params.dict())
        return self._page(request, [_write_section(one) for one in api.list_sections(document_id, by=caller(request))])


class SectionRulesView(_SectionsView):
    """Rules for who reads sections."""

    @extend_schema(
        operation_id="list_section_rules",
        parameters=[RulesRequest],
        responses={200: SectionRuleJson(many=True), **_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Return the rules, the oldest first."""
        asked = _read(RulesRequest, request.query_params.dict())
        rules = api.list_section_rules(
            by=caller(request),
            document_id=asked.get("document"),
            collection_id=_find_collection(asked["collection"]) if asked.get("collection") else None,
        )
        return self._page(request, [_write_rule(rule) for rule in rules])

    @extend_schema(
        operation_id="add_section_rule",
        request=RuleRequest,
        responses={201: SectionRuleJson, **_ERRORS},
        examples=[
            OpenApiExample(
                "For a collection",
                value={"collection": "Handbook", "kind": "heading", "pattern": "Pay*", "roles": ["supervisors"]},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Restrict sections of one document at once, or of a collection by the worker.

        A rule for the same sections of the same place that is there gets these roles.
        """
        given = _read(RuleRequest, request.data)
        by, roles = caller(request), _find_roles(given["roles"])
        if given["document"]:
            rule = api.restrict_section(given["document"], given["kind"], given["pattern"], roles, by=by)
        else:
            rule = api.add_rule(_find_collection(given["collection"]), given["kind"], given["pattern"], roles, by=by)
        return Response(_write_rule(_find_rule(request, rule)), status=201)


class SectionRulePreviewView(_SectionsView):
    """Shows what a rule would do."""

    @extend_schema(
        operation_id="preview_section_rule", request=RuleRequest, responses={200: RulePreviewJson, **_ERRORS}
    )
    def post(self, request: Request) -> Response:
        """Say which documents and sections a rule would name, and who would no longer read them. Changes nothing."""
        given = _read(RuleRequest, request.data)
        preview = api.preview_rule(
            given["kind"],
            given["pattern"],
            by=caller(request),
            roles=_find_roles(given["roles"]),
            document_id=given["document"],
            collection_id=_find_collection(given["collection"]) if given["collection"] else None,
        )
        return Response(_write_preview(preview))


class SectionRuleView(_SectionsView):
    """One rule."""

    @extend_schema(
        operation_id="change_section_rule", request=RolesRequest, responses={200: SectionRuleJson, **_ERRORS}
    )
    def patch(self, request: Request, rule_id: UUID) -> Response:
        """Give a rule other roles, at once."""
        given = _read(RolesRequest, request.data)
        api.change_rule(rule_id, _find_roles(given["roles"]), by=caller(request))
        return Response(_write_rule(_find_rule(request, rule_id)))

    @extend_schema(operation_id="remove_section_rule", request=None, responses={204: None, **_ERRORS})
    def delete(self, request: Request, rule_id: UUID) -> Response:
        """Remove a rule. The sections of a collection's stay restricted until the worker has put them back."""
        api.remove_rule(rule_id, by=caller(request))
        return Response(status=204)


class SectionPartsView(_SectionsView):
    """Lists what waits for a decision."""

    @extend_schema(
        operation_id="list_undecided_sections",
        parameters=[PagesRequest],
        responses={200: UndecidedPartJson(many=True), **_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Return what is restricted because a section could not be recognised in a new edition."""
        _read(PagesRequest, request.query_params.dict())
        return self._page(request, [_write_part(one) for one in api.list_undecided_parts(by=caller(request))])


class SectionDecisionView(_SectionsView):
    """A decision about a part."""

    @extend_schema(operation_id="decide_section", request=DecisionRequest, responses={204: None, **_ERRORS})
    def post(self, request: Request, part_id: UUID) -> Response:
        """Decide about a part with a section that could not be recognised."""
        given = _read(DecisionRequest, request.data)
        api.decide_unrecognised(
            part_id, given["decision"], by=caller(request), kind=given["kind"], pattern=given["pattern"]
        )
        return Response(status=204)


def _read(form: type[GivenSerializer], given: Any) -> dict[str, Any]:
    read = form(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def _find_collection(name: str) -> UUID:
    return find_named("collection", Collection.objects.filter(name=name), [name])[0]


def _find_roles(names: list[str]) -> list[UUID]:
    return find_named("roles", Role.objects.filter(name__in=names), names)


def _find_rule(request: Request, rule_id: UUID) -> RuleView:
    for rule in api.list_section_rules(by=caller(request)):
        if rule.rule_id == rule_id:
            return rule
    raise NotFoundError


def _name_roles(roles: Sequence[NamedRole]) -> list[str]:
    return [role.name for role in roles]


def _write_section(section: SectionView) -> dict[str, Any]:
    return {
        "name": section.name,
        "kind": section.kind,
        "pattern": section.pattern,
        "passages": section.chunk_count,
        "readers": _name_roles(section.readers),
        "rules": section.rules,
        "state": section.state,
        "part_id": section.part_id,
    }


def _write_rule(rule: RuleView) -> dict[str, Any]:
    return {
        "id": rule.rule_id,
        "document_id": rule.document_id,
        "document": rule.place if rule.document_id else None,
        "collection_id": rule.collection_id,
        "collection": rule.place if rule.collection_id else None,
        "kind": rule.kind,
        "pattern": rule.pattern,
        "roles": _name_roles(rule.roles),
        "documents": rule.documents,
        "undecided": rule.undecided,
        "waiting": rule.waiting,
        "created_by": rule.created_by or None,
        "created_at": rule.created_at,
    }


def _write_part(part: UndecidedPart) -> dict[str, Any]:
    return {
        "id": part.part_id,
        "document_id": part.document_id,
        "document": part.title,
        "collection": part.collection,
        "sections": part.sections,
        "is_all": part.is_all,
        "rules": part.rules,
        "readers": _name_roles(part.readers),
    }


def _write_preview(preview: RulePreview) -> dict[str, Any]:
    return {
        "checked": preview.checked,
        "documents": preview.document_count,
        "sections": preview.section_count,
        "matched": [
            {
                "document_id": one.document_id,
                "document": one.title,
                "collection": one.collection,
                "sections": one.sections,
                "section_count": one.section_count,
                "passages": one.chunk_count,
            }
            for one in preview.documents
        ],
        "losing": [{"role": one.role.name, "documents": one.documents, "people": one.people} for one in preview.losing],
    }
