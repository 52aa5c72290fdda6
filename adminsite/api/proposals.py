"""Proposed changes of documents, for gaps and contradictions: write, preview, propose, follow, decide.

A token that asks for others has no scope for this: what is written here is its person's.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import audience, caller
from adminsite.api.fields import GivenSerializer
from adminsite.api.pagination import Pages
from adminsite.api.proposal_parts import (
    ChangeDraftJson,
    ChangePreviewJson,
    ChangeTargetJson,
    GoalRequest,
    ProposalsRequest,
    ProposedChangeJson,
    ProposedChangeRequest,
    TargetsRequest,
)
from adminsite.api.serializers import ErrorJson
from adminsite.api.throttling import ScopedThrottle
from core.errors import NotFoundError
from core.models import AuditEvent, AuthToken, User
from core.quality.proposals.drafting import Goal, find_goal, open_form, preview_change
from core.quality.proposals.listing import list_proposals
from core.quality.proposals.proposing import propose_change, say_declined, say_merged, send_again, withdraw
from core.quality.proposals.rights import Reason, find_reason, may_propose
from core.quality.proposals.targets import list_targets
from core.types import Audience
from core.values.proposals import ChangeTarget, ListedProposal, Occasion, WrittenChange

_ERRORS = {400: ErrorJson, 403: ErrorJson, 404: ErrorJson}
_CONFLICT = {**_ERRORS, 409: ErrorJson}
_EXAMPLE = OpenApiExample(
    "For a gap",
    value={
        "gap": "7d1f4a4e-6b1c-4a53-9d27-0c8e0e5f2d6c",
        "document_id": "0b0c8e0e-5f2d-4c1a-9d1f-4a4e3c1b9a52",
        "version": 4,
        "title": "Say when the canteen opens",
        "question": "When does the canteen open?",
        "text": "# Canteen\n\nThe canteen opens at 11:30.\n",
    },
    request_only=True,
)


class MayPropose(BasePermission):
    """Lets in those who may propose changes."""

    message = "Proposed changes need a permission. An administrator can give it: propose_changes."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True if the caller may propose changes."""
        return may_propose(caller(request))


class _Proposals(Sequence[Any]):
    """Pages of proposals as the paginator takes them: their number, and a slice."""

    def __init__(self, request: Request, narrowed: dict[str, Any]) -> None:
        self._viewer, self._audience, self._narrowed = caller(request), audience(request), narrowed

    def __len__(self) -> int:
        return list_proposals(self._viewer, self._audience, limit=0, **self._narrowed).total

    def __getitem__(self, place: Any) -> Any:
        found = list_proposals(
            self._viewer,
            self._audience,
            offset=place.start,
            limit=place.stop - place.start,
            **self._narrowed,
        )
        return [_write_proposal(row) for row in found.rows]


class _ProposalView(APIView):
    """The rights of all that is told and done about proposed changes."""

    token_scope = AuthToken.Scope.INGEST  # what is proposed here is to become a document
    permission_classes: Any = (IsAuthenticated, MayPropose, InScope)

    def _page(self, request: Request, rows: Sequence[Any]) -> Response:
        pages = Pages()
        return pages.get_paginated_response(pages.paginate_queryset(rows, request, view=self) or [])  # type: ignore[arg-type]


class ProposedChangeListView(_ProposalView):
    """Proposed changes of documents."""

    throttle_scope = "ask"  # of proposing

    def get_throttles(self) -> list[BaseThrottle]:
        """Return what counts a request: proposing counts as asking does."""
        return [ScopedThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="list_proposed_changes",
        parameters=[ProposalsRequest],
        responses={200: ProposedChangeJson(many=True), **_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """A page of the proposed changes that the caller may see, the last made first.

        Those of documents of which they may read all, their own mails, and those of new documents that they wrote
        themselves or see at sources anyway.
        """
        asked = _read(ProposalsRequest, request.query_params.dict())
        narrowed = {
            "states": [asked["state"]] if asked.get("state") else [],
            "gap": asked.get("gap"),
            "contradiction": asked.get("contradiction"),
        }
        return self._page(request, _Proposals(request, narrowed))

    @extend_schema(
        operation_id="propose_change",
        request=ProposedChangeRequest,
        responses={201: ProposedChangeJson, **_CONFLICT, 429: ErrorJson},
        examples=[_EXAMPLE],
    )
    def post(self, request: Request) -> Response:
        """Propose a change of a document, or a new one. The worker sends it to where the document lives.

        409 where the document has a new edition since the text was written.
        """
        given = _read(ProposedChangeRequest, request.data)
        viewer, readers = caller(request), audience(request)
        reason, goal = _find_reason(given, viewer, readers), _find_goal(given, viewer, readers)
        proposal_id = propose_change(reason, goal, _read_written(given), viewer, readers)
        return Response(_find_proposal(request, proposal_id), status=201)


class ChangePreviewView(_ProposalView):
    """A change before it is proposed."""

    throttle_classes = (ScopedThrottle,)
    throttle_scope = "ask"  # its text is read for the questions

    @extend_schema(
        operation_id="preview_change",
        request=ProposedChangeRequest,
        responses={200: ChangePreviewJson, **_CONFLICT, 429: ErrorJson},
    )
    def post(self, request: Request) -> Response:
        """Show a change as it would be sent: its description, what it changes, and which questions it would answer.

        It shows words of others who asked, so each look for a gap is recorded.
        """
        given = _read(ProposedChangeRequest, request.data)
        viewer, readers = caller(request), audience(request)
        reason, goal = _find_reason(given, viewer, readers), _find_goal(given, viewer, readers)
        found = preview_change(reason, goal, _read_written(given), viewer, readers)
        _record_look(reason, viewer)
        return Response(asdict(found))


class ProposedChangeView(_ProposalView):
    """One proposed change."""

    @extend_schema(operation_id="get_proposed_change", responses={200: ProposedChangeJson, **_ERRORS})
    def get(self, request: Request, proposal_id: UUID) -> Response:
        """Return it as the caller may see it now."""
        return Response(_find_proposal(request, proposal_id))


class _DecisionView(_ProposalView):
    """Something that is done with a proposed change."""

    def _decide(self, request: Request, proposal_id: UUID, act: Callable[[UUID, User, Audience], None]) -> Response:
        """Do it, and return the proposal as it is then. NotFoundError where its state does not allow that."""
        _find_proposal(request, proposal_id)
        act(proposal_id, caller(request), audience(request))
        return Response(_find_proposal(request, proposal_id))


class WithdrawView(_DecisionView):
    """The withdrawal of a proposed change."""

    @extend_schema(
        operation_id="withdraw_proposed_change", request=None, responses={200: ProposedChangeJson, **_ERRORS}
    )
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Take it back while it is not merged. What is at its source stays there. 404 where it is over."""
        return self._decide(request, proposal_id, withdraw)


class MergedChangeView(_DecisionView):
    """The word of a person that a change was accepted."""

    @extend_schema(operation_id="say_change_merged", request=None, responses={200: ProposedChangeJson, **_ERRORS})
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Say that it was accepted where nobody but people can tell. Those who asked wait for the library."""
        return self._decide(request, proposal_id, say_merged)


class DeclinedChangeView(_DecisionView):
    """The word of a person that a change was declined."""

    @extend_schema(operation_id="say_change_declined", request=None, responses={200: ProposedChangeJson, **_ERRORS})
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Say that it was declined."""
        return self._decide(request, proposal_id, say_declined)


class SendAgainView(_DecisionView):
    """Another attempt at sending a change."""

    @extend_schema(
        operation_id="send_proposed_change_again", request=None, responses={200: ProposedChangeJson, **_ERRORS}
    )
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Let the worker try again to send a change of one's own that failed, while its text is kept."""
        return self._decide(request, proposal_id, send_again)


class _TargetsView(_ProposalView):
    throttle_classes = (ScopedThrottle,)
    throttle_scope = "search"

    def _list(self, request: Request, occasion: Occasion) -> Response:
        asked = _read(TargetsRequest, request.query_params.dict())
        viewer, readers = caller(request), audience(request)
        reason = find_reason(occasion, viewer, readers)
        targets = list_targets(reason, viewer, readers, search=asked["search"])
        return self._page(request, [_write_target(target) for target in targets])


class GapTargetsView(_TargetsView):
    """The documents and sources that can be changed for a gap."""

    @extend_schema(
        operation_id="list_gap_targets",
        parameters=[TargetsRequest],
        responses={200: ChangeTargetJson(many=True), **_ERRORS},
    )
    def get(self, request: Request, gap_id: UUID) -> Response:
        """Return documents that can be changed, the nearest first, and sources that take new ones."""
        return self._list(request, Occasion(gap=gap_id))


class ContradictionTargetsView(_TargetsView):
    """The documents and sources that can be changed for a contradiction."""

    @extend_schema(
        operation_id="list_contradiction_targets",
        parameters=[TargetsRequest],
        responses={200: ChangeTargetJson(many=True), **_ERRORS},
    )
    def get(self, request: Request, contradiction_id: UUID) -> Response:
        """Return both documents first, then others that can be changed, and sources that take new ones."""
        return self._list(request, Occasion(contradiction=contradiction_id))


class _DraftView(_ProposalView):
    throttle_classes = (ScopedThrottle,)
    throttle_scope = "search"

    def _open(self, request: Request, occasion: Occasion) -> Response:
        given = _read(GoalRequest, request.query_params.dict())
        viewer, readers = caller(request), audience(request)
        reason = find_reason(occasion, viewer, readers)
        form = open_form(reason, _find_goal(given, viewer, readers), readers)
        _record_look(reason, viewer)
        return Response({**asdict(form), "target": _write_target(form.target)})


class GapDraftView(_DraftView):
    """The beginning of a change for a gap."""

    @extend_schema(operation_id="get_gap_draft", parameters=[GoalRequest], responses={200: ChangeDraftJson, **_ERRORS})
    def get(self, request: Request, gap_id: UUID) -> Response:
        """Return a title, the question, the nearest passage, and of a file its text, to begin from.

        It shows words of others who asked, so each look is recorded.
        """
        return self._open(request, Occasion(gap=gap_id))


class ContradictionDraftView(_DraftView):
    """The beginning of a change for a contradiction."""

    @extend_schema(
        operation_id="get_contradiction_draft", parameters=[GoalRequest], responses={200: ChangeDraftJson, **_ERRORS}
    )
    def get(self, request: Request, contradiction_id: UUID) -> Response:
        """Return a title, the question, what the document says, and of a file its text, to begin from."""
        return self._open(request, Occasion(contradiction=contradiction_id))


def _find_reason(given: dict[str, Any], viewer: User, readers: Audience) -> Reason:
    return find_reason(Occasion(gap=given["gap"], contradiction=given["contradiction"]), viewer, readers)


def _find_goal(given: dict[str, Any], viewer: User, readers: Audience) -> Goal:
    return find_goal(given["document_id"], given["source_id"], viewer, readers)


def _find_proposal(request: Request, proposal_id: UUID) -> dict[str, Any]:
    """Return a proposal as JSON. NotFoundError for one that is not shown to everyone who is shown it."""
    found = list_proposals(caller(request), audience(request), ids=[proposal_id], limit=1)
    if not found.rows:
        raise NotFoundError
    return _write_proposal(found.rows[0])


def _read_written(given: dict[str, Any]) -> WrittenChange:
    return WrittenChange(**{name: value for name, value in given.items() if name not in ("gap", "contradiction")})


def _record_look(reason: Reason, viewer: User) -> None:
    """Record that somebody was shown words of others who asked."""
    if reason.gap is not None:
        AuditEvent.objects.create(
            actor=viewer, action=AuditEvent.Action.READ_TEXT, object_type="contentgap", details={"gaps": 1}
        )


def _write_proposal(row: ListedProposal) -> dict[str, Any]:
    written = _write_empty_as_null(asdict(row))
    return {"id": written.pop("proposal_id"), "may_send_again": written.pop("may_write_again"), **written}


def _write_target(target: ChangeTarget) -> dict[str, Any]:
    return _write_empty_as_null(asdict(target))


def _write_empty_as_null(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value == "" else value for name, value in fields.items()}


def _read(form: type[GivenSerializer], given: Any) -> dict[str, Any]:
    read = form(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
