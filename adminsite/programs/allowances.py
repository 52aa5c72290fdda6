"""Limits on how often the addresses of tokens may be asked. What a program asks at MCP counts as its person's."""

import datetime as dt

from django.http import HttpRequest, JsonResponse

from adminsite.client_address import client_address
from core.models import RequestCount, User

_MINUTE = dt.timedelta(minutes=1)
TOKENS_A_MINUTE = 120  # from one address: an office behind one has many programs, each refreshing once an hour
CONSENTS_A_MINUTE = 30  # of one person: each may fetch a document from somebody's server
REGISTRATIONS_AN_HOUR = 20  # from one address


def may_ask_for_tokens(request: HttpRequest) -> bool:
    """Count a request for tokens, or to revoke one, and return True if it is within the limit."""
    return _count_request(f"programs.tokens:{_find_address(request)}", TOKENS_A_MINUTE, _MINUTE)


def may_ask_consent(person: User) -> bool:
    """Count a look at the page of consent, and return True if it is within the limit."""
    return _count_request(f"programs.consent:{person.pk}", CONSENTS_A_MINUTE, _MINUTE)


def may_register(request: HttpRequest) -> bool:
    """Count a registration, and return True if it is within the limit."""
    return _count_request(f"programs.registration:{_find_address(request)}", REGISTRATIONS_AN_HOUR, 60 * _MINUTE)


def refuse_too_many() -> JsonResponse:
    """Return the answer to a program that asks too often."""
    told = {"error": "temporarily_unavailable", "error_description": "Too many requests. Try again in a minute."}
    return JsonResponse(told, status=429, headers={"Retry-After": "60", "Cache-Control": "no-store"})


def _find_address(request: HttpRequest) -> str:
    return client_address(request) or "unknown"


def _count_request(name: str, most: int, period: dt.timedelta) -> bool:
    is_allowed, _left = RequestCount.objects.count_one(name, most=most, period=period)
    return is_allowed
