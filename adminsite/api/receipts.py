"""The signed receipts of the caller's own answers."""

from typing import Any

from django.utils.http import content_disposition_header
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.caller import program
from adminsite.api.fields import GivenSerializer
from adminsite.api.serializers import ErrorJson
from adminsite.api.throttling import ScopedThrottle
from core.models import AuthToken
from core.programs import asking
from core.values.receipts import OPTIONAL


class ReceiptRequest(GivenSerializer):
    """Names what is to be left out of a receipt."""

    left_out = serializers.ListField(
        child=serializers.ChoiceField(choices=list(OPTIONAL.items())), required=False, default=list
    )


class DisclosuresJson(serializers.Serializer[Any]):
    """The parts of a receipt, each with its salt and name in base64url."""

    disclosures = serializers.ListField(child=serializers.CharField())


class ReceiptJson(serializers.Serializer[Any]):
    """A signed receipt: an SD-JWT in JSON, RFC 9901."""

    payload = serializers.CharField()
    protected = serializers.CharField()
    signature = serializers.CharField()
    header = DisclosuresJson()


class ReceiptRowJson(serializers.Serializer[Any]):
    """The receipts that were issued in one month, in figures."""

    month = serializers.CharField()
    issued = serializers.IntegerField()
    own = serializers.IntegerField(help_text="To who had asked.")
    others = serializers.IntegerField(help_text="Of others' questions, by right.")
    shortened = serializers.IntegerField(help_text="Their taker left something out.")
    people = serializers.IntegerField(help_text="Who took any.")
    questions = serializers.IntegerField(help_text="Of which any was taken.")
    keys = serializers.IntegerField(help_text="That signed any.")


class ReceiptsReportJson(serializers.Serializer[Any]):
    """The receipts that were issued in some days, in figures."""

    since = serializers.DateField()
    until = serializers.DateField()
    rows = ReceiptRowJson(many=True, help_text="Months in which any was issued.")


class ReceiptView(APIView):
    """The signed receipt of one of the caller's own answers."""

    token_scope = AuthToken.Scope.ASK
    throttle_classes = (ScopedThrottle,)
    throttle_scope = "search"

    @extend_schema(
        operation_id="issue_receipt",
        request=ReceiptRequest,
        responses={201: ReceiptJson, 400: ErrorJson, 404: ErrorJson, 409: ErrorJson},
    )
    def post(self, request: Request, request_id: str) -> Response:
        """Issue a receipt, which is recorded in the audit trail. The answer is the file to keep."""
        serializer = ReceiptRequest(data=request.data)
        serializer.is_valid(raise_exception=True)
        receipt = asking.issue_receipt(program(request), request_id, left_out=serializer.validated_data["left_out"])
        name = content_disposition_header(True, receipt.file_name) or "attachment"
        return Response(receipt.content, status=201, headers={"Content-Disposition": name})
