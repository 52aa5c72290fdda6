"""Risks that more people read something than anybody expects: listed, shown, narrowed, and found right.

MCP has no tool for them: they are an administrator's, and words of documents are shown to their readers alone.
"""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, audience, caller, rights_of
from adminsite.api.fields import GivenSerializer
from adminsite.api.files import find_format, read_query, record_rows
from adminsite.api.grants import find_named
from adminsite.api.oversharing_parts import (
    NarrowRequest,
    RiskDetailsJson,
    RiskJson,
    RiskReasonRequest,
    RisksRequest,
    ShownSecretJson,
    ShowSecretsRequest,
)
from adminsite.api.pagination import Pages
from adminsite.api.renderers import RisksCsvRenderer, RisksXlsxRenderer
from adminsite.api.sections import PagesRequest
from adminsite.api.serializers import ErrorJson
from core.access.audiences import DECIDE_WHO_READS
from core.errors import NotFoundError
from core.models import AuthToken, Collection, OversharingRisk, User
from core.quality.oversharing.deciding import NEEDED, accept, hide_secret, may_decide, reopen, show_secrets
from core.quality.oversharing.listing import (
    RELATED,
    ShownPlace,
    Wanted,
    find_places,
    list_places,
    name_subject,
    narrow_to,
    select_risks,
)
from core.quality.oversharing.narrowing import Narrowing, narrow, plan_narrowing
from core.quality.oversharing.shown import ShownView, find_shown, list_shown
from core.quality.oversharing.tables import build_row
from core.values.oversharing import RiskState, find_level

_DECIDE = (*NEEDED, DECIDE_WHO_READS)
_ERRORS = {400: ErrorJson, 403: ErrorJson, 404: ErrorJson}
_DECIDING = {200: RiskDetailsJson, **_ERRORS, 409: ErrorJson}
_OVER = (RiskState.NARROWED, RiskState.GONE)


class _OversharingView(APIView):
    """Needs the rights to see risks and who reads what, and of a token the scope of reports."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=NEEDED, post=_DECIDE, delete=_DECIDE)

    def _page(self, request: Request, rows: Any) -> tuple[Pages, Any]:
        """Return a page of rows, and what its response is made with."""
        pages = Pages()
        return pages, pages.paginate_queryset(rows, request, view=self) or []


class _DecidingView(_OversharingView):
    """Needs the right to say who reads what besides, and of a token the scope to change it in place of the other."""

    token_scope = AuthToken.Scope.GRANT


class RiskListView(_OversharingView):
    """Risks that too many read something, the highest first."""

    renderer_classes = (JSONRenderer, RisksCsvRenderer, RisksXlsxRenderer)

    @extend_schema(
        operation_id="list_oversharing",
        parameters=[RisksRequest],
        responses={200: RiskJson(many=True), 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Return a page of the risks in any state, or of those that the filters leave.

        They are figures with titles of documents, also of such as the caller may not read; no words of them. All of
        them as a file with `?format=csv` or `?format=xlsx`, which is recorded.
        """
        asked = read_query(RisksRequest, request)
        rows = narrow_to(select_risks(caller(request)), _read_wanted(asked)).select_related(*RELATED)
        rows = rows.order_by("-score", "-people", "pk")
        kind = find_format(request)
        if kind != JSONRenderer.format:
            table = [build_row(risk) for risk in rows]
            record_rows(request, "oversharingrisk", {"rows": len(table), "format": kind})
            return Response({"rows": [asdict(row) for row in table], "report": table})
        pages, page = self._page(request, rows)
        return pages.get_paginated_response([_write_risk(risk, caller(request)) for risk in page])


class RiskView(_OversharingView):
    """One risk."""

    @extend_schema(operation_id="get_oversharing", responses={200: RiskDetailsJson, **_ERRORS})
    def get(self, request: Request, risk_id: UUID) -> Response:
        """Return it with the places that tell, and the roles that could be taken away.

        Words, sections and pages are there where the caller may read the document.
        """
        return _show(request, risk_id)


class NarrowView(_DecidingView):
    """The narrowing of a risk."""

    @extend_schema(
        operation_id="narrow_oversharing",
        request=NarrowRequest,
        responses=_DECIDING,
        examples=[OpenApiExample("What is suggested", value={}, request_only=True)],
    )
    def post(self, request: Request, risk_id: UUID) -> Response:
        """Take roles away from what the risk is of, at once; of a usergroup, end its mapping to the role.

        409 where the risk is over, the roles are others by now, or it cannot be narrowed here.
        """
        given, risk = _read(NarrowRequest, request.data), _find(request, risk_id)
        roles = given["roles"] if "roles" in given else plan_narrowing(risk).suggested
        narrow(risk, roles, by=caller(request))
        return _show(request, risk_id)


class AcceptView(_DecidingView):
    """Somebody's word that a risk is right so."""

    @extend_schema(operation_id="accept_oversharing", request=RiskReasonRequest, responses=_DECIDING)
    def post(self, request: Request, risk_id: UUID) -> Response:
        """Say that it is right so, until it grows. 409 where the risk is gone."""
        given = _read(RiskReasonRequest, request.data)
        accept(_find(request, risk_id), by=caller(request), reason=given["reason"])
        return _show(request, risk_id)


class ReopenView(_DecidingView):
    """The way back from that."""

    @extend_schema(operation_id="reopen_oversharing", request=None, responses=_DECIDING)
    def post(self, request: Request, risk_id: UUID) -> Response:
        """Open a risk again that was found right. 409 for another one."""
        reopen(_find(request, risk_id), by=caller(request))
        return _show(request, risk_id)


class ShowSecretsView(_DecidingView):
    """Somebody's word that secrets are meant to be read."""

    @extend_schema(operation_id="show_secrets", request=ShowSecretsRequest, responses=_DECIDING)
    def post(self, request: Request, risk_id: UUID) -> Response:
        """Mask these passwords or keys no more, wherever the same words are.

        404 for a place that the document does not have. 409 where the caller may not read the document, or where it
        has changed since.
        """
        given, risk = _read(ShowSecretsRequest, request.data), _find(request, risk_id)
        places = find_places(risk, given["places"])
        if len(places) != len(set(given["places"])):
            raise NotFoundError("There is no such place in the document.")
        show_secrets(risk, places, by=caller(request), reason=given["reason"])
        return _show(request, risk_id)


class ShownSecretsView(_OversharingView):
    """Secrets that are meant to be read."""

    @extend_schema(
        operation_id="list_shown_secrets",
        parameters=[PagesRequest],
        responses={200: ShownSecretJson(many=True), 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Return who said so of which, why, and in which documents they are; nothing of the secrets themselves."""
        _read(PagesRequest, request.query_params.dict())
        pages, page = self._page(request, list_shown(caller(request)))
        return pages.get_paginated_response([_write_shown(one, caller(request)) for one in page])


class ShownSecretView(_DecidingView):
    """One of them."""

    @extend_schema(
        operation_id="mask_secret_again", request=None, responses={204: None, 403: ErrorJson, 404: ErrorJson}
    )
    def delete(self, request: Request, secret_id: str) -> Response:
        """Mask it again, everywhere."""
        hide_secret(find_shown(secret_id), by=caller(request))
        return Response(status=204)


def _read(form: type[GivenSerializer], given: Any) -> dict[str, Any]:
    read = form(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def _read_wanted(asked: dict[str, Any]) -> Wanted:
    """Return what the list is narrowed to. ValidationError for a collection that there is not."""
    name = asked.get("collection")
    return Wanted(
        states=_list_given(asked, "state"),
        kinds=_list_given(asked, "kind"),
        levels=_list_given(asked, "level"),
        subjects=_list_given(asked, "subject"),
        collection=find_named("collection", Collection.objects.filter(name=name), [name])[0] if name else None,
        words=asked.get("search", ""),
    )


def _list_given(asked: dict[str, Any], name: str) -> tuple[str, ...]:
    return (asked[name],) if asked.get(name) else ()


def _find(request: Request, risk_id: UUID) -> OversharingRisk:
    """Return a risk that the caller may see. NotFoundError where there is none."""
    risk = select_risks(caller(request)).select_related(*RELATED).filter(pk=risk_id).first()
    if risk is None:
        raise NotFoundError("There is no such risk.")
    return risk


def _show(request: Request, risk_id: UUID) -> Response:
    """Answer with a risk as it is now."""
    risk, viewer = _find(request, risk_id), caller(request)
    details = {
        "may_decide": may_decide(viewer),
        "places": [_write_place(one) for one in list_places(risk, audience(request))],
        "narrowing": None if risk.state in _OVER else _write_narrowing(plan_narrowing(risk)),
    }
    return Response({**_write_risk(risk, viewer), **details})


def _write_risk(risk: OversharingRisk, viewer: User) -> dict[str, Any]:
    collection = risk.collection if risk.document is None else risk.document.collection
    return {
        "id": risk.pk,
        "kind": risk.kind,
        "level": find_level(risk.score).value,
        "score": risk.score,
        "sensitivity": risk.sensitivity,
        "reach": risk.reach,
        "state": risk.state,
        "of": name_subject(risk),
        "document": _write_document(risk),
        "restricted_sections": risk.document is not None and risk.document.part_of_id is not None,
        "role": _write_named(risk.role),
        "usergroup": str(risk.usergroup) if risk.usergroup else None,
        "source": _write_named(risk.data_source),
        "collection": _write_named(collection),
        "subjects": risk.subjects,
        "people": risk.people,
        "people_before": risk.people_before,
        "documents": risk.documents,
        "since": risk.since,
        "reason": risk.reason or None,
        "decided_by": _write_person(risk.decided_by, viewer),
        "decided_at": risk.decided_at,
        "found_at": risk.found_at,
        "opened_at": risk.opened_at,
        "gone_at": risk.gone_at,
    }


def _write_document(risk: OversharingRisk) -> dict[str, Any] | None:
    """Write the document of a risk. Sections of one go by the whole document."""
    whole = (risk.document.part_of or risk.document) if risk.document is not None else None
    return None if whole is None else {"id": whole.pk, "title": whole.title}


def _write_named(row: Any) -> dict[str, Any] | None:
    return None if row is None else {"id": row.pk, "name": row.name}


def _write_person(person: User | None, viewer: User) -> dict[str, Any] | None:
    """Write a person, for those who may see people and for themselves."""
    if person is None or (person != viewer and not viewer.has_perm("core.view_user")):
        return None
    return {"id": person.pk, "name": str(person)}


def _write_place(place: ShownPlace) -> dict[str, Any]:
    return {
        "id": place.place_id,
        "subject": place.subject,
        "readable": place.is_readable,
        "quote": place.quote or None,
        "marked": place.marked if place.is_readable else None,
        "section": place.section or None,
        "page": place.page_number,
        "opens_at": place.opens_at or None,
        "secret": place.is_secret,
        "shown": place.is_shown,
    }


def _write_narrowing(plan: Narrowing) -> dict[str, Any]:
    return {
        "roles": [
            {
                "id": option.role_id,
                "name": option.name,
                "people": option.people,
                "documents": option.documents,
                "suggested": option.is_suggested,
            }
            for option in plan.options
        ],
        "people": plan.people,
        "people_after": plan.people_after,
        "obstacle": plan.reason or None,
    }


def _write_shown(one: ShownView, viewer: User) -> dict[str, Any]:
    return {
        "id": one.secret_id,
        "reason": one.reason,
        "shown_by": _write_person(one.shown_by, viewer),
        "shown_at": one.shown_at,
        "documents": [{"id": pk, "title": title} for pk, title in one.documents],
    }
