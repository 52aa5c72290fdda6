"""Roles and who is in them."""

from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, caller, rights_of
from adminsite.api.fields import GivenSerializer, TextField
from adminsite.api.filters import RoleFilter
from adminsite.api.serializers import ErrorJson
from core.access.audiences import DECIDE_WHO_READS
from core.access.grants import change_members
from core.errors import NotFoundError
from core.models import AuditEvent, AuthToken, Role, User
from core.values.addresses import fold_address

MOST_MEMBERS = 1000  # of one request


class RoleJson(serializers.ModelSerializer[Role]):
    """A role with how many people are in it and how many documents it may read."""

    members = serializers.IntegerField(read_only=True, help_text="Active people who have it.")
    documents = serializers.IntegerField(read_only=True, source="documents_granted")

    class Meta:
        model = Role
        fields = ("id", "name", "description", "members", "documents")


class NewRole(GivenSerializer):
    """A role that is to be made."""

    name = TextField(max_length=100)
    description = TextField(max_length=300, required=False, default="", allow_blank=True)

    def validate_name(self, name: str) -> str:
        """Return a name that no role has."""
        if Role.objects.filter(name=name).exists():
            raise serializers.ValidationError("There is a role of this name already.")
        return name


class MemberChange(GivenSerializer):
    """The people who gain a role, and those who lose it."""

    give = serializers.ListField(child=serializers.EmailField(), max_length=MOST_MEMBERS, required=False, default=list)
    take = serializers.ListField(child=serializers.EmailField(), max_length=MOST_MEMBERS, required=False, default=list)


class MembersChanged(serializers.Serializer[Any]):
    """The numbers of people who gained and lost the role."""

    given = serializers.IntegerField()
    taken = serializers.IntegerField()


def count_roles() -> QuerySet[Role]:
    """Return roles by name with their counts."""
    active = Q(user_roles__user__is_active=True)
    return Role.objects.annotate(
        members=Count("user_roles__user", filter=active, distinct=True),
        documents_granted=Count("document_access", filter=Q(document_access__document__part_of=None), distinct=True),
    ).order_by("name", "pk")


@extend_schema_view(get=extend_schema(operation_id="list_roles", responses={200: RoleJson(many=True), 403: ErrorJson}))
class RolesView(ListAPIView[Role]):
    """Roles: who may read the same documents."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=("core.view_role",), post=("core.add_role", DECIDE_WHO_READS))
    serializer_class = RoleJson
    filterset_class = RoleFilter
    queryset = Role.objects.none()

    def get_queryset(self) -> QuerySet[Role]:
        """Return all of them."""
        return count_roles()

    @extend_schema(
        operation_id="add_role",
        request=NewRole,
        responses={201: RoleJson, 400: ErrorJson, 403: ErrorJson},
        examples=[OpenApiExample("A role", value={"name": "divers", "description": "Who dives."}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        """Make a role. It may read nothing until it is granted something."""
        given = NewRole(data=request.data)
        given.is_valid(raise_exception=True)
        with transaction.atomic():
            role = Role.objects.create(**given.validated_data)
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.CREATE,
                object_type="role",
                object_id=str(role.pk),
                details={"fields": sorted(given.validated_data)},
            )
        return Response(RoleJson(count_roles().get(pk=role.pk)).data, status=201)


class RoleMembersView(APIView):
    """The members of a role."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(post=("core.change_role", "core.view_user", DECIDE_WHO_READS))

    @extend_schema(
        operation_id="change_members",
        request=MemberChange,
        responses={200: MembersChanged, 400: ErrorJson, 403: ErrorJson, 404: ErrorJson},
        examples=[
            OpenApiExample("Bob instead of Alice", value={"give": ["bob@example.com"], "take": ["alice@example.com"]})
        ],
    )
    def post(self, request: Request, role_id: Any) -> Response:
        """Give people the role, or take it from them; all of it or nothing. Usergroups of Slack's are apart."""
        role = Role.objects.filter(pk=role_id).first()
        if role is None:
            raise NotFoundError("There is no such role.")
        given = MemberChange(data=request.data)
        given.is_valid(raise_exception=True)
        give, take = (_find_people(name, given.validated_data[name]) for name in ("give", "take"))
        with transaction.atomic():
            counts = {
                "given": change_members(role, give, give=True, by=caller(request)),
                "taken": change_members(role, take, give=False, by=caller(request)),
            }
        return Response(counts)


def _find_people(field: str, addresses: list[str]) -> list[User]:
    wanted = {fold_address(address) for address in addresses}
    people = list(User.objects.filter(email__in=wanted))
    unknown = sorted(wanted - {person.email for person in people})
    if unknown:
        raise serializers.ValidationError({field: [f"Nobody has the address {address}." for address in unknown[:10]]})
    return people
