"""Rates hold for all web processes together, for they are counted in the database."""

import datetime as dt
import threading

import pytest
from django.core.cache import cache
from django.db import connection, connections
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from core.models import RequestCount
from core.tasks import forget_request_counts
from core.testing import Cast
from tests.integration.rest.conftest import Caller, Callers

MINUTE = dt.timedelta(minutes=1)


@pytest.fixture
def two_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person may search twice in an hour."""
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {**SimpleRateThrottle.THROTTLE_RATES, "search": "2/hour"})


@pytest.mark.usefixtures("fast", "two_searches")
def test_another_process_does_not_begin_anew(callers: Callers) -> None:
    """Another process's cache is empty; the count goes on."""
    statuses = []
    for _ in range(4):
        statuses.append(callers.bob.post("search", query="canteen").status_code)
        cache.clear()
    assert statuses == [200, 200, 429, 429]
    assert callers.alice.post("search", query="canteen").status_code == 200


@pytest.mark.usefixtures("fast", "two_searches")
def test_another_token_of_the_same_person_is_no_way_round(callers: Callers) -> None:
    """The person is counted, not the token."""
    statuses = [Caller(callers.bob.user).post("search", query="canteen").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_exactly_the_allowed_ones_pass() -> None:
    """Eight connections ask twenty times each at the same moment; thirty are allowed."""
    allowed: list[bool] = []

    def ask() -> None:
        counts = [RequestCount.objects.count_one("person", most=30, period=dt.timedelta(hours=1)) for _ in range(20)]
        allowed.extend(is_allowed for is_allowed, _left in counts)
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert (len(allowed), sum(allowed)) == (160, 30)


def test_a_period_ends(db: None) -> None:
    """After it counting begins anew, and until then it is said how long it takes."""
    assert [RequestCount.objects.count_one("x", most=1, period=MINUTE)[0] for _ in range(3)] == [True, False, False]
    _allowed, left = RequestCount.objects.count_one("x", most=1, period=MINUTE)
    assert dt.timedelta() < left <= MINUTE
    RequestCount.objects.update(began_at=timezone.now() - MINUTE)
    assert [RequestCount.objects.count_one("x", most=1, period=MINUTE)[0] for _ in range(2)] == [True, False]


def test_refused_requests_do_not_count_up(db: None) -> None:
    """Asking on makes nobody wait longer, and no number grows without bound."""
    for _ in range(20):
        RequestCount.objects.count_one("x", most=3, period=MINUTE)
    assert RequestCount.objects.get().requests == 4


def test_the_count_waits_for_no_disk(db: None) -> None:
    """It is one statement on a table that is not logged."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE oid = 'core_requestcount'::regclass")
        assert cursor.fetchone() == ("u",)


def test_who_gives_no_name_is_counted_by_address(client: Client, cast: Cast) -> None:
    """Not by a header that says anything at all, and with a name that fits."""
    for number in range(3):
        client.get("/api/v1/nowhere", HTTP_X_FORWARDED_FOR=f"{number}" * 3000)
    assert [row.name for row in RequestCount.objects.all()] == ["throttle_user_127.0.0.1"]


def test_counts_of_long_ago_are_forgotten(db: None) -> None:
    """Those of which the period may still last are kept."""
    RequestCount.objects.create(name="old", began_at=timezone.now() - dt.timedelta(days=3), requests=1)
    RequestCount.objects.create(name="new", began_at=timezone.now() - dt.timedelta(hours=23), requests=1)
    forget_request_counts(timestamp=0)
    assert [row.name for row in RequestCount.objects.all()] == ["new"]
