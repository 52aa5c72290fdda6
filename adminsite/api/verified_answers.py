"""Verified answers, for who looks after them: under the same rights as on their pages in the admin."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import audience, caller
from adminsite.api.fields import GivenSerializer, TextField
from adminsite.api.filters import VerifiedAnswerFilter
from adminsite.api.serializers import ErrorJson
from core.asking.verified_answers.editing import (
    Content,
    NotVerifiableError,
    may_manage,
    may_read,
    read_content,
    read_quotes,
    retire,
    save_draft,
    verify_answer,
)
from core.asking.verified_answers.matching import MOST_PHRASINGS
from core.asking.verified_answers.quoting import SourceQuote
from core.asking.verified_answers.staleness import list_outdated
from core.errors import NotFoundError
from core.models import AuditEvent, AuthToken, Role, User, VerifiedAnswer
from core.models.verified_answers import LONGEST_ANSWER, LONGEST_QUESTION


class SourceQuoteJson(GivenSerializer):
    """Words of a document."""

    document = TextField(max_length=500, help_text="Its id, its title or its address.")
    quote = TextField(max_length=4000, help_text="Word for word.")


class VerifiedAnswerRequest(GivenSerializer):
    """A verified answer as it is written."""

    question = TextField(min_length=3, max_length=LONGEST_QUESTION, help_text="In words that stand alone.")
    text = TextField(max_length=LONGEST_ANSWER, allow_blank=True, required=False, help_text="Without citation numbers.")
    sources = SourceQuoteJson(many=True, required=False)
    phrasings = serializers.ListField(
        child=TextField(min_length=3, max_length=LONGEST_QUESTION),
        max_length=MOST_PHRASINGS,
        required=False,
        help_text="Other ways to ask.",
    )
    owner = serializers.SlugRelatedField(
        slug_field="email", queryset=User.objects.filter(is_active=True), required=False, allow_null=True
    )
    review_on = serializers.DateField(required=False, allow_null=True, help_text="Null: in half a year.")
    roles = serializers.SlugRelatedField(
        slug_field="name", queryset=Role.objects.all(), many=True, required=False, help_text="None: for everyone."
    )
    state = serializers.ChoiceField(
        VerifiedAnswer.State.choices, required=False, help_text="active verifies it; draft is what it is without."
    )

    def content(self, before: Content | None) -> Content:
        """Return the sent content, with the earlier values of fields that were not sent."""
        given = dict(self.validated_data)
        given.pop("state", None)
        if "sources" in given:
            given["quotes"] = tuple(SourceQuote(**one) for one in given.pop("sources"))
        for name in ("phrasings", "roles"):
            if name in given:
                given[name] = tuple(given[name])
        return replace(before or Content(question="", text=""), **given)


class VerifiedAnswerJson(serializers.ModelSerializer[VerifiedAnswer]):
    """A verified answer, for who looks after it."""

    sources = serializers.SerializerMethodField()
    phrasings = serializers.SlugRelatedField(slug_field="text", many=True, read_only=True)  # type: ignore[var-annotated]
    roles = serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)  # type: ignore[var-annotated]
    owner = serializers.SlugRelatedField(slug_field="email", read_only=True)  # type: ignore[var-annotated]
    verified_by = serializers.SlugRelatedField(slug_field="email", read_only=True)  # type: ignore[var-annotated]
    outdated = serializers.SerializerMethodField(help_text="sources_changed, review_due or null.")

    class Meta:
        model = VerifiedAnswer
        fields = (
            "id",
            "question",
            "phrasings",
            "text",
            "sources",
            "state",
            "owner",
            "verified_by",
            "verified_at",
            "review_on",
            "outdated",
            "roles",
        )

    @extend_schema_field(SourceQuoteJson(many=True))
    def get_sources(self, row: VerifiedAnswer) -> list[dict[str, str]]:
        """Return the words that carry it, as far as the caller may read them."""
        known = self.context.get("quotes")
        if known is None:
            known = read_quotes([row], reader=audience(self.context["request"]))
        return [{"document": one.document, "quote": one.quote} for one in known.get(row.pk, ())]

    def get_outdated(self, row: VerifiedAnswer) -> str | None:
        """Return the reason why the answer is not given first."""
        known = self.context.get("outdated")
        if known is None:
            known = list_outdated([row], today=timezone.localdate())
        why = known.get(row.pk) if row.verified_at else None
        return why.value if why else None


class MayManageAnswers(BasePermission):
    """Lets in those who may write verified answers."""

    message = "Verified answers need a permission. An administrator can give it: manage_verified_answers."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True if the caller may manage verified answers."""
        return may_manage(request.user)


def _store_content(request: Request, row: VerifiedAnswer | None, given: VerifiedAnswerRequest) -> VerifiedAnswer:
    """Store what was sent; what was not sent stays as it was."""
    state = given.validated_data.get("state", row.state if row else VerifiedAnswer.State.DRAFT)
    before = read_content(row, reader=audience(request)) if row else None
    try:
        if state == VerifiedAnswer.State.RETIRED and row:
            retire(row, by=caller(request))
            return row
        save = verify_answer if state == VerifiedAnswer.State.ACTIVE else save_draft
        return save(given.content(before), by=caller(request), row=row)
    except NotVerifiableError as error:
        raise ValidationError({"non_field_errors": list(error.problems)}) from error


def _show_answer(request: Request, row: VerifiedAnswer) -> Any:
    return VerifiedAnswerJson(row, context={"request": request}).data


class VerifiedAnswerListView(ListAPIView[VerifiedAnswer]):
    """Verified answers of which the caller may read every source, the last changed first; and writing one."""

    token_scope = AuthToken.Scope.INGEST  # what is written here is given as the library is
    permission_classes = (IsAuthenticated, MayManageAnswers, InScope)
    serializer_class = VerifiedAnswerJson
    filterset_class = VerifiedAnswerFilter
    queryset = VerifiedAnswer.objects.none()

    def get_queryset(self) -> QuerySet[VerifiedAnswer]:
        """Return those that the caller may read, and drafts of their own that quote nothing yet."""
        readable = VerifiedAnswer.objects.quoting_only_readable(audience(self.request)).values("pk")
        own = VerifiedAnswer.objects.filter(sources=None, owner=caller(self.request)).values("pk")
        rows = VerifiedAnswer.objects.filter(pk__in=readable.union(own))
        return (
            rows.select_related("owner", "verified_by")
            .prefetch_related("phrasings", "roles")
            .order_by("-updated_at", "pk")
        )

    def paginate_queryset(self, queryset: Any) -> Any:
        """Return a page, with its quotes and what is outdated of it looked up at once."""
        page = super().paginate_queryset(queryset)
        self._outdated = list_outdated(page or (), today=timezone.localdate())
        self._quotes = read_quotes(page or (), reader=audience(self.request))
        return page

    def get_serializer_context(self) -> dict[str, Any]:
        """Add the quotes, and what is outdated."""
        found = {"outdated": getattr(self, "_outdated", None), "quotes": getattr(self, "_quotes", None)}
        return {**super().get_serializer_context(), **found}

    @extend_schema(operation_id="list_verified_answers", responses={200: VerifiedAnswerJson(many=True), 403: ErrorJson})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A page of them; each look is recorded."""
        with transaction.atomic():
            response = self.list(request, *args, **kwargs)
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.READ_TEXT,
                object_type="verifiedanswer",
                details={"answers": len(response.data["results"])},
            )
        return response

    @extend_schema(
        operation_id="write_verified_answer",
        request=VerifiedAnswerRequest,
        responses={201: VerifiedAnswerJson, 400: ErrorJson, 403: ErrorJson},
    )
    def post(self, request: Request) -> Response:
        """Write one: a draft, or with `state` active one that is verified and given from now on."""
        given = VerifiedAnswerRequest(data=request.data)
        given.is_valid(raise_exception=True)
        return Response(_show_answer(request, _store_content(request, None, given)), status=201)


class VerifiedAnswerView(APIView):
    """One verified answer."""

    token_scope = AuthToken.Scope.INGEST  # what is written here is given as the library is
    permission_classes = (IsAuthenticated, MayManageAnswers, InScope)

    @extend_schema(
        operation_id="change_verified_answer",
        request=VerifiedAnswerRequest,
        responses={200: VerifiedAnswerJson, 400: ErrorJson, 403: ErrorJson, 404: ErrorJson},
    )
    def patch(self, request: Request, answer_id: UUID) -> Response:
        """Change what is sent of it, verify it, or retire it. 404 for one whose sources the caller may not all read."""
        row = VerifiedAnswer.objects.filter(pk=answer_id).first()
        if row is None or not may_read(row, caller(request)):
            raise NotFoundError
        given = VerifiedAnswerRequest(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        return Response(_show_answer(request, _store_content(request, row, given)))
