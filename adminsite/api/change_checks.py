"""Checks of changes before they are live, the limits that let such a change wait, and the thresholds of answers.

MCP has no tool for them: they are an administrator's, and a program that asks for people has no use for them.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any
from uuid import UUID

import django_filters
from django.db import transaction
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, audience, caller, rights_of
from adminsite.api.change_check_parts import (
    ChangeCheckDetailsJson,
    ChangeCheckJson,
    ChangeLimitJson,
    ChangeLimitRequest,
    CheckDetailsRequest,
    CheckRequest,
    NewThresholdsRequest,
    ThresholdsJson,
)
from adminsite.api.fields import GivenSerializer, choice_error
from adminsite.api.grants import CHANGE_GRANTS, read_change, read_until
from adminsite.api.serializers import ErrorJson
from core.errors import NotFoundError
from core.models import AuditEvent, AuthToken, ChangeCheck, ChangeLimit, User
from core.quality.change_checks.deciding import DECIDE, VIEW, approve, decline, may_decide, stop
from core.quality.change_checks.describing import ChangeView, describe_change
from core.quality.change_checks.kinds.thresholds import CHANGE_THRESHOLDS
from core.quality.change_checks.listing import LineView, PersonView, Viewer, list_lines, list_people
from core.quality.change_checks.submitting import change_thresholds, check_again, check_grants, check_thresholds
from core.quality.reports.promises import Thresholds, answer_from, read_thresholds
from core.values.change_checks import ChangeKind, CheckState

_ERRORS = {400: ErrorJson, 403: ErrorJson, 404: ErrorJson}
_DECIDING = {200: ChangeCheckDetailsJson, 403: ErrorJson, 404: ErrorJson, 409: ErrorJson}
_KINDS = [(kind.value, kind.value) for kind in ChangeKind]
_STATES = [(state.value, state.value) for state in CheckState]
_EXAMPLES = [
    OpenApiExample(
        "Look at a grant",
        value={"grants": {"action": "grant", "roles": ["staff"], "collections": ["Handbook"]}},
        request_only=True,
    ),
    OpenApiExample(
        "Change thresholds where no limit is crossed",
        value={"thresholds": {"answer_from": 0.6, "closest_from": 0.3}, "gate": True},
        request_only=True,
    ),
]


class ChangeCheckFilter(django_filters.FilterSet):
    """Checks by state and kind."""

    state = django_filters.ChoiceFilter(choices=_STATES, error_messages=choice_error(_STATES))
    kind = django_filters.ChoiceFilter(choices=_KINDS, error_messages=choice_error(_KINDS))

    class Meta:
        model = ChangeCheck
        fields = ("state", "kind")


@extend_schema_view(
    get=extend_schema(
        operation_id="list_change_checks", responses={200: ChangeCheckJson(many=True), 400: ErrorJson, 403: ErrorJson}
    )
)
class ChangeCheckListView(ListAPIView[ChangeCheck]):
    """Checks of changes before they are live, the last one first."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=(VIEW,), post=(VIEW, DECIDE))
    serializer_class = ChangeCheckJson
    filterset_class = ChangeCheckFilter
    queryset = ChangeCheck.objects.select_related("asked_by", "decided_by")

    @extend_schema(
        operation_id="check_change",
        request=CheckRequest,
        responses={202: ChangeCheckJson, 400: ErrorJson, 403: ErrorJson},
        examples=_EXAMPLES,
    )
    def post(self, request: Request) -> Response:
        """Have a change checked: the worker asks last month's questions and the library's own without it and with it.

        It needs the right to make the change besides. With `gate` the change is made where it crosses no limit.
        """
        given = _read(CheckRequest, request.data)
        by, is_gate = caller(request), given["gate"]
        if "grants" in given:
            _need(by, *CHANGE_GRANTS)
            change = read_change(given["grants"])
            if not change.documents:
                raise ValidationError({"grants": ["It changes nothing: all of it is so already."]})
            check = check_grants(change, by=by, until=read_until(given["grants"]), is_gate=is_gate)
        else:
            _need(by, CHANGE_THRESHOLDS)
            check = check_thresholds(_read_thresholds(given["thresholds"]), by=by, is_gate=is_gate)
        return Response(self.get_serializer(check).data, status=202)


class _CheckView(APIView):
    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)


class ChangeCheckView(_CheckView):
    """One check of a change."""

    rights = rights_of(get=(VIEW,))

    @extend_schema(
        operation_id="get_change_check",
        parameters=[CheckDetailsRequest],
        responses={200: ChangeCheckDetailsJson, **_ERRORS},
    )
    def get(self, request: Request, check_id: UUID) -> Response:
        """Return it with what the caller may see now of people, questions and documents.

        Questions of others need the right to view these, and showing them is recorded; words of the library's own
        questions are shown to who may read every document behind them.
        """
        asked = _read(CheckDetailsRequest, request.query_params.dict())
        return Response(_show(request, _find(check_id), with_all=asked["all"]))


class _DecisionView(_CheckView):
    """Something that is done with a check."""

    rights = rights_of(post=(VIEW, DECIDE))

    def _find_decidable(self, request: Request, check_id: UUID) -> ChangeCheck:
        """Return a check. PermissionDenied without the right that its change needs."""
        check = _find(check_id)
        if not may_decide(caller(request), check):
            raise PermissionDenied("To decide about this change you need the right to make it.")
        return check

    def _decide(self, request: Request, check_id: UUID, act: Callable[..., None]) -> Response:
        """Do it, and return the check as it is then. Errors as of `_find_decidable`."""
        act(self._find_decidable(request, check_id), by=caller(request))
        return Response(_show(request, _find(check_id)))


class ApproveView(_DecisionView):
    """The yes to a change."""

    @extend_schema(operation_id="approve_change", request=None, responses=_DECIDING)
    def post(self, request: Request, check_id: UUID) -> Response:
        """Make the change. 409 where it waits for no decision, or cannot be made any more."""
        return self._decide(request, check_id, approve)


class DeclineView(_DecisionView):
    """The no to a change."""

    @extend_schema(operation_id="decline_change", request=None, responses=_DECIDING)
    def post(self, request: Request, check_id: UUID) -> Response:
        """Decline the change. 409 where it waits for no decision."""
        return self._decide(request, check_id, decline)


class CheckAgainView(_DecisionView):
    """Another check of the same change."""

    @extend_schema(
        operation_id="check_change_again",
        request=None,
        responses={202: ChangeCheckDetailsJson, 403: ErrorJson, 404: ErrorJson, 409: ErrorJson},
    )
    def post(self, request: Request, check_id: UUID) -> Response:
        """Check the change as the library is now, and return the new check. 409 where it waits for no decision."""
        again = check_again(self._find_decidable(request, check_id), by=caller(request))
        return Response(_show(request, _find(again.pk)), status=202)


class StopView(_CheckView):
    """The end of a check that runs."""

    rights = rights_of(post=(VIEW,))

    @extend_schema(operation_id="stop_change_check", request=None, responses=_DECIDING)
    def post(self, request: Request, check_id: UUID) -> Response:
        """Stop it: for who asked for it, or may decide about it. Its change is not made. 409 where it has ended."""
        check, by = _find(check_id), caller(request)
        if check.asked_by_id != by.pk and not may_decide(by, check):
            raise PermissionDenied("A check is stopped by who asked for it, or may decide about its change.")
        stop(check, by=by)
        return Response(_show(request, _find(check_id)))


class ChangeLimitsView(APIView):
    """The limits of changes."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=("core.view_changelimit",), put=("core.view_changelimit", "core.change_changelimit"))

    @extend_schema(operation_id="list_change_limits", responses={200: ChangeLimitJson(many=True), 403: ErrorJson})
    def get(self, request: Request) -> Response:
        """Return the limit of each kind; one that nobody has set is switched off."""
        return Response(_list_limits())

    @extend_schema(
        operation_id="set_change_limit",
        request=ChangeLimitRequest,
        responses={200: ChangeLimitJson(many=True), 400: ErrorJson, 403: ErrorJson},
    )
    def put(self, request: Request) -> Response:
        """Set the limit of one kind, and return all. Checks that were asked for before keep theirs."""
        given = _read(ChangeLimitRequest, request.data)
        with transaction.atomic():
            row, _ = ChangeLimit.objects.update_or_create(kind=given["kind"], defaults=given)
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.CHANGE,
                object_type=str(row._meta.model_name),
                object_id=str(row.pk),
                details=given,
            )
        return Response(_list_limits())


class AnswerThresholdsView(APIView):
    """The thresholds of answers."""

    token_scope = AuthToken.Scope.GRANT
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(**dict.fromkeys(("get", "put", "delete"), (CHANGE_THRESHOLDS,)))

    @extend_schema(operation_id="get_answer_thresholds", responses={200: ThresholdsJson, 403: ErrorJson})
    def get(self, request: Request) -> Response:
        """Return those that hold now."""
        return _show_thresholds(None)

    @extend_schema(
        operation_id="set_answer_thresholds",
        request=NewThresholdsRequest,
        responses={200: ThresholdsJson, 202: ThresholdsJson, 400: ErrorJson, 403: ErrorJson},
    )
    def put(self, request: Request) -> Response:
        """Put thresholds live. Every process goes by them within some seconds.

        202 with the `check` where the limit of thresholds is on: they are checked before they are live.
        """
        given = _read(NewThresholdsRequest, request.data)
        return _show_thresholds(change_thresholds(_read_thresholds(given), by=caller(request)))

    @extend_schema(
        operation_id="forget_answer_thresholds",
        responses={200: ThresholdsJson, 202: ThresholdsJson, 403: ErrorJson},
    )
    def delete(self, request: Request) -> Response:
        """Go by those of the settings again. 202 as of PUT."""
        return _show_thresholds(change_thresholds(None, by=caller(request)))


def _need(person: User, *rights: str) -> None:
    """PermissionDenied for a person who lacks one of the rights that the change itself needs."""
    lacking = [right for right in rights if not person.has_perm(right)]
    if lacking:
        raise PermissionDenied(f"This needs rights that you lack: {', '.join(lacking)}. A superuser can give them.")


def _find(check_id: UUID) -> ChangeCheck:
    """Return a check. NotFoundError where there is none."""
    rows = ChangeCheck.objects.select_related("asked_by", "decided_by", "examination", "run__source", "job")
    check = rows.filter(pk=check_id).first()
    if check is None:
        raise NotFoundError("There is no such check.")
    return check


def _show(request: Request, check: ChangeCheck, *, with_all: bool = False) -> dict[str, Any]:
    """Return a check as its JSON. That it shows questions of others is recorded."""
    person = caller(request)
    viewer = Viewer.of(person, audience(request))
    with transaction.atomic():
        lines = list_lines(check, viewer, only_different=not with_all)
        of_others = sum(line.query is not None for line in lines)
        if of_others:
            AuditEvent.objects.create(
                actor=person,
                action=AuditEvent.Action.READ_TEXT,
                object_type="changecheck",
                object_id=str(check.pk),
                details={"questions": of_others},
            )
    parts = {
        "may_decide": may_decide(person, check),
        "change": _write_change(describe_change(check, viewer)),
        "people": [_write_person(one) for one in list_people(check, viewer)],
        "lines": [_write_line(line) for line in lines],
    }
    return {**ChangeCheckJson(check, context={"request": request}).data, **parts}


def _write_change(change: ChangeView) -> dict[str, Any]:
    return {
        "action": None if change.gives is None else "grant" if change.gives else "revoke",
        "until": change.until,
        "roles": [
            {"id": role.role, "name": role.name or None, "documents": _write_documents(role.documents)}
            for role in change.roles
        ],
        "answer_from": change.answer_from,
        "closest_from": change.closest_from,
        "model": change.model or None,
        "source": change.source,
        "job": change.job,
    }


def _write_person(one: PersonView) -> dict[str, Any]:
    fields = asdict(one)
    return {"id": fields.pop("person"), **fields}


def _write_line(line: LineView) -> dict[str, Any]:
    return {
        "number": line.number,
        "asked_for": line.asked_for,
        "outcome": line.outcome,
        "worse": line.is_worse,
        "gains": line.gains,
        "person": {"id": line.person, "name": line.person_name} if line.person else None,
        "role": line.role_name or None,
        "question": line.question or None,
        "before_text": line.before_text or None,
        "after_text": line.after_text or None,
        "before": _write_documents(line.before),
        "after": _write_documents(line.after),
    }


def _write_documents(documents: tuple[tuple[UUID, str], ...]) -> list[dict[str, Any]]:
    return [{"id": pk, "title": title} for pk, title in documents]


def _list_limits() -> list[Any]:
    stored = {row.kind: row for row in ChangeLimit.objects.all()}
    rows = [stored.get(kind.value) or ChangeLimit(kind=kind.value) for kind in ChangeKind]
    return list(ChangeLimitJson(rows, many=True).data)


def _read_thresholds(given: dict[str, Any]) -> Thresholds | None:
    if given.get("settings"):
        return None
    return Thresholds(answer_from=given["answer_from"], closest_from=given["closest_from"])


def _show_thresholds(check: ChangeCheck | None) -> Response:
    held = read_thresholds()
    shown = {
        "answer_from": answer_from(),
        "closest_from": held.closest_from,
        "is_put_live": held.is_put_live,
        "check": check.pk if check else None,
    }
    return Response(shown, status=202 if check else 200)


def _read(form: type[GivenSerializer], given: Any) -> dict[str, Any]:
    read = form(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
