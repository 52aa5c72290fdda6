"""Report a month's use of language models, by person, role, channel and all together."""

import datetime as dt
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import MayViewReports, caller
from adminsite.api.serializers import ErrorJson, ModelUseJson, ModelUseRequest, ModelUseRowJson
from core.asking.spending.figures import NEEDED, list_use, may_see
from core.models import AuthToken
from core.models.budgets import Scope, this_month


class ModelUseView(APIView):
    """Calls, tokens and cost of language models in a month."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)

    @extend_schema(
        operation_id="model_use_report",
        parameters=[ModelUseRequest],
        responses={200: ModelUseJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """The use of a month.

        By role and channel it needs the permission to view such things, by person `view_person_reports`. Without a
        `scope`, what the caller may not see is left out.
        """
        asked = ModelUseRequest(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        given: dict[str, Any] = dict(asked.validated_data)
        month = _read_month(given.get("month"))
        seen = [scope for scope in Scope if may_see(caller(request), scope)]
        if wanted := given.get("scope"):
            if wanted not in seen:
                raise PermissionDenied(f"This needs the permission {NEEDED[Scope(wanted)]}.")
            seen = [Scope(wanted)]
        rows = ModelUseRowJson(list_use(month, seen), many=True).data
        return Response({"month": f"{month:%Y-%m}", "rows": rows})


def _read_month(text: str | None) -> dt.date:
    return dt.date.fromisoformat(f"{text}-01") if text else this_month()
