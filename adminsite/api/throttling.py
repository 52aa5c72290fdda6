"""Limit the calls of one person, counted in the database for all web processes together."""

import datetime as dt
from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle, SimpleRateThrottle, UserRateThrottle

from adminsite.client_address import client_address
from core.models import RequestCount

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which loads this module itself


class DatabaseThrottle(SimpleRateThrottle):
    """A rate that is kept in the database instead of each process's memory."""

    num_requests: int
    duration: int  # seconds

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request, and say whether it is one of the allowed ones."""
        name = self.get_cache_key(request, view)
        if self.rate is None or name is None:
            return True
        period = dt.timedelta(seconds=self.duration)
        is_allowed, self.left = RequestCount.objects.count_one(name, most=self.num_requests, period=period)
        return is_allowed

    def wait(self) -> float:
        """Seconds until the next request is allowed."""
        return self.left.total_seconds()

    def get_ident(self, request: Request) -> str:
        """Whom a request without a person is counted for."""
        return client_address(request._request) or "unknown"


class PersonThrottle(DatabaseThrottle, UserRateThrottle):
    """Requests of any kind."""


class ScopedThrottle(ScopedRateThrottle, DatabaseThrottle):
    """Requests of the kind that the view names as `throttle_scope`."""
