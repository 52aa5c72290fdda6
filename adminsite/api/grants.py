"""Show, preview and change the grants of documents to roles."""

import datetime as dt
from typing import Any
from uuid import UUID

import django_filters
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, caller, rights_of
from adminsite.api.fields import GivenSerializer, TextField
from adminsite.api.serializers import ErrorJson
from core.access.audiences import DECIDE_WHO_READS
from core.access.changes import Effect, GrantChange, find_effect, plan_change
from core.access.grants import find_end
from core.models import AuthToken, ChangeCheck, Collection, Document, Role, RoleDocumentAccess, User
from core.quality.change_checks.submitting import change_grants

MOST = 1000  # roles, documents or collections of one request
SHOWN = 100  # people that are named
CHANGE_GRANTS = ("core.view_role", "core.view_document", DECIDE_WHO_READS)


class GrantJson(serializers.ModelSerializer[RoleDocumentAccess]):
    """A role may read a document."""

    role = serializers.CharField(source="role.name")
    document_id = serializers.UUIDField()
    document = serializers.CharField(source="document.title")
    collection = serializers.CharField(source="document.collection.name")

    class Meta:
        model = RoleDocumentAccess
        fields = ("role", "document_id", "document", "collection", "granted_at", "expires_at", "by_ingestion")


class GrantFilter(django_filters.FilterSet):
    """Grants of a role, of a document or of a collection."""

    role = django_filters.CharFilter(field_name="role__name")
    document = django_filters.UUIDFilter(field_name="document")
    collection = django_filters.CharFilter(field_name="document__collection__name")

    class Meta:
        model = RoleDocumentAccess
        fields = ("role", "document", "collection")


class GrantsRequest(GivenSerializer):
    """Roles, and what they are to get or to lose."""

    action = serializers.ChoiceField(choices=[("grant", "grant"), ("revoke", "revoke")])
    roles = serializers.ListField(child=TextField(), min_length=1, max_length=MOST, help_text="By name.")
    documents = serializers.ListField(child=serializers.UUIDField(), max_length=MOST, required=False, default=list)
    collections = serializers.ListField(
        child=TextField(), max_length=MOST, required=False, default=list, help_text="All documents of these, by name."
    )
    until = serializers.DateField(required=False, allow_null=True, default=None, help_text="Last day of new grants.")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that there is something to change, and an end only of what is granted."""
        if not given["documents"] and not given["collections"]:
            raise serializers.ValidationError("Name documents or collections.")
        if given["until"] and given["action"] == "revoke":
            raise serializers.ValidationError({"until": "Only a grant has a last day."})
        return given


class ChangeRequest(GrantsRequest):
    """Roles, what they are to get or to lose, and whether it is done."""

    dry_run = serializers.BooleanField(required=False, default=False, help_text="Say what it would do, and do nothing.")


class AffectedJson(serializers.Serializer[Any]):
    """Somebody who gains or loses documents."""

    email = serializers.EmailField()
    documents = serializers.IntegerField()


class ChangeJson(serializers.Serializer[Any]):
    """The effect of a change, made or previewed."""

    done = serializers.BooleanField(help_text="False for a dry run, and for a change that is checked first.")
    check = serializers.UUIDField(
        allow_null=True, help_text="Of the change that is checked before it is live: see change-checks."
    )
    grants = serializers.IntegerField(help_text="That are made or taken away.")
    documents = serializers.IntegerField(help_text="That somebody gains or loses by it.")
    people = serializers.IntegerField(help_text="Who gain or lose something.")
    affected = AffectedJson(many=True, help_text=f"The first {SHOWN} of them; none without the right to see people.")
    channels = serializers.ListField(child=serializers.CharField(), help_text="That answer by one of the roles.")


@extend_schema_view(
    get=extend_schema(operation_id="list_grants", responses={200: GrantJson(many=True), 403: ErrorJson})
)
class GrantsView(ListAPIView[RoleDocumentAccess]):
    """Grants that are in force."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=("core.view_role", "core.view_document"), post=CHANGE_GRANTS)
    serializer_class = GrantJson
    filterset_class = GrantFilter
    queryset = RoleDocumentAccess.objects.none()

    def get_queryset(self) -> QuerySet[RoleDocumentAccess]:
        """By role and document."""
        grants = RoleDocumentAccess.objects.in_force().decided().select_related("role", "document__collection")
        return grants.order_by("role__name", "document__title", "pk")

    @extend_schema(
        operation_id="change_grants",
        request=ChangeRequest,
        responses={200: ChangeJson, 202: ChangeJson, 400: ErrorJson, 403: ErrorJson},
        examples=[
            OpenApiExample(
                "Try a grant out",
                value={"action": "grant", "roles": ["staff"], "collections": ["Handbook"], "dry_run": True},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Grant documents to roles or take them away, all of it or nothing; or say who would gain or lose what.

        202 with a `check` where the limit of grants is on and the change is of so many documents: it is made once its
        check crosses no limit, or somebody says yes.
        """
        form = ChangeRequest(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        until, change = read_until(given), read_change(given)
        effect = find_effect(change)
        made = None if given["dry_run"] else change_grants(change, by=caller(request), until=until)
        check = made if isinstance(made, ChangeCheck) else None
        shown = _describe_change(request, change, effect)
        done = {"done": made is not None and check is None, "check": check.pk if check else None}
        return Response({**done, **shown}, status=202 if check else 200)


def read_until(given: dict[str, Any]) -> dt.datetime | None:
    """Return when the grants of a request end. InvalidFilterError for a day that is over."""
    return find_end(given["until"]) if given["until"] else None


def read_change(given: dict[str, Any]) -> GrantChange:
    """Return the change of a request. ValidationError that names what does not exist."""
    roles = find_named("roles", Role.objects.filter(name__in=given["roles"]), given["roles"])
    named = given["collections"]
    shelves = find_named("collections", Collection.objects.filter(name__in=named), named)
    there = set(Document.objects.whole().filter(pk__in=given["documents"]).values_list("pk", flat=True))
    missing = [str(pk) for pk in given["documents"] if pk not in there]
    if missing:
        raise serializers.ValidationError({"documents": [f"There is no document {pk}." for pk in missing[:10]]})
    return plan_change(
        gives=given["action"] == "grant",
        collections=[(role, shelf) for role in roles for shelf in shelves],
        documents=[(role, document) for role in roles for document in there],
    )


def find_named(field: str, rows: QuerySet[Any], names: list[str]) -> list[UUID]:
    """Return the keys of the rows with these names. ValidationError, at the field, for names that none has."""
    found: dict[str, UUID] = dict(rows.values_list("name", "pk"))
    unknown = [name for name in names if name not in found]
    if unknown:
        raise serializers.ValidationError({field: [f"There is none with the name {name}." for name in unknown[:10]]})
    return list(found.values())


def _describe_change(request: Request, change: GrantChange, effect: Effect) -> dict[str, Any]:
    named: dict[UUID, User] = {}
    if caller(request).has_perm("core.view_user"):
        first = sorted(effect.people, key=lambda pk: (-effect.people[pk], pk))[:SHOWN]
        named = User.objects.in_bulk(first)
    return {
        "grants": change.grants,
        "documents": len(effect.documents),
        "people": len(effect.people),
        "affected": [{"email": person.email, "documents": effect.people[pk]} for pk, person in named.items()],
        "channels": [str(channel) for channel in effect.channels],
    }
