"""Show what a receipt would hold and issue it, publish its keys, and hand out the two ways to verify it.

The verifying page is one file, which works without Footnote and without a network: its policy, in a header and in the
file itself, lets it load and send nothing.
"""

import base64
import hashlib
import logging
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from adminsite.browser_guard import write_policy
from adminsite.sign_in.readers import for_readers
from core import api
from core.access.audiences import audience_of
from core.asking.receipts import verify_receipt
from core.errors import ReceiptError
from core.models import User
from core.values.receipts import OPTIONAL

logger = logging.getLogger(__name__)

_VERIFIER = Path(__file__).with_name("verify.html")
_PROGRAM = Path(verify_receipt.__file__)
_HOUR_S = 3600
_POLICY_HERE = "<!-- policy -->"


@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def show_receipt(request: HttpRequest, reader: User, request_id: str) -> HttpResponseBase:
    """Show what the receipt of an answer would hold; POST issues it, as a download."""
    audience, fault, chosen = audience_of([reader.pk]), "", [name for name in OPTIONAL if name in request.POST]
    by_right = request.user == reader  # who came by Slack has no rights
    if request.method == "POST":
        try:
            receipt = api.issue_receipt(
                request_id, audience=audience, viewer=reader, left_out=chosen, by_right=by_right
            )
        except ReceiptError as error:
            fault = error.message
        else:
            headers = {"Content-Disposition": content_disposition_header(True, receipt.file_name) or "attachment"}
            return HttpResponse(receipt.write(), content_type="application/json", headers=headers)
    context: dict[str, Any] = {"reader": reader, "fault": fault, "chosen": chosen}
    try:
        context["preview"] = api.preview_receipt(request_id, audience=audience, viewer=reader, by_right=by_right)
    except ReceiptError as error:
        context["fault"] = error.message
    status = 409 if context["fault"] else 200
    return render(request, "adminsite/receipts/receipt.html", context, status=status)


@require_safe
@cache_control(public=True, max_age=_HOUR_S)
def list_keys(request: HttpRequest) -> HttpResponse:
    """Publish the keys that receipts are or were signed with, as a JSON Web Key Set."""
    try:
        keys = api.published_keys()
    except ReceiptError:
        logger.exception("receipt_keys_wrong")
        return HttpResponse("The keys of receipts are not configured rightly.", content_type="text/plain", status=503)
    return JsonResponse({"keys": keys}, headers={"Access-Control-Allow-Origin": "*"})


@require_safe
@cache_control(public=True, max_age=_HOUR_S)
def show_verifier(request: HttpRequest) -> HttpResponse:
    """Show the page that verifies receipts in the browser alone."""
    page, policy = _read_verifier()
    return HttpResponse(page, headers={"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"})


@cache
def _read_verifier() -> tuple[str, str]:
    """Return the page, with its policy in it, and that policy: nothing but the page's own script and style."""
    page = _VERIFIER.read_text(encoding="utf-8")
    script, style = (_hash_inline(page, kind) for kind in ("script", "style"))
    policy = write_policy(
        {
            "default-src": "'none'",
            "script-src": script,
            "style-src": style,
            "img-src": "data:",
            "connect-src": "'none'",
            "form-action": "'none'",
            "base-uri": "'none'",
        }
    )
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return page.replace(_POLICY_HERE, tag), policy


def _hash_inline(page: str, kind: str) -> str:
    """Return the source of a policy for the one script or style of a page."""
    code = page.partition(f"<{kind}>")[2].partition(f"</{kind}>")[0]
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


@require_safe
@cache_control(public=True, max_age=_HOUR_S)
def download_verifier(request: HttpRequest) -> HttpResponse:
    """Hand out the program that verifies receipts."""
    headers = {"Content-Disposition": f'attachment; filename="{_PROGRAM.name}"'}
    return HttpResponse(_PROGRAM.read_bytes(), content_type="text/x-python; charset=utf-8", headers=headers)
