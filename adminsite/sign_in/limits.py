"""Limit attempts to sign in, before a password is hashed, which takes most of a second of processor time.

Each attempt is stored as a failure first and taken back when it succeeds, so that many at once count as many.
"""

import datetime as dt
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from django.db import connection, transaction
from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from adminsite.client_address import client_address
from core.errors import TooManyRequestsError
from core.models import SignInAttempt
from core.values.addresses import fold_address

WINDOW = dt.timedelta(minutes=15)  # in which failures count; a lock lasts no longer
REMEMBERED = dt.timedelta(days=30)  # an address from which somebody signed in is known as theirs
PER_ACCOUNT_AND_ADDRESS = 5
PER_ADDRESS = 50  # an office behind one address has many people
PER_ACCOUNT = 100  # from addresses that are not known as theirs, so that strangers lock nobody out


class TooManySignInsError(TooManyRequestsError):
    """Too many attempts to sign in. Try again in 15 minutes."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, which counts as failed until it has succeeded."""

    row: SignInAttempt

    def succeed(self) -> None:
        """Forget what this account failed from here: it was the right one."""
        self.row.succeeded = True
        self.row.save(update_fields=["succeeded"])
        SignInAttempt.objects.filter(account=self.row.account, address=self.row.address, succeeded=False).delete()


def begin(account: str, request: HttpRequest | None) -> Attempt:
    """Count an attempt to sign in as `account`. TooManySignInsError when there were too many."""
    row = SignInAttempt(account=_digest_name(fold_address(account)), address=_digest_name(client_network(request)))
    with transaction.atomic():
        with connection.cursor() as cursor:  # one after the other, or each of many would count none of the others
            for key in sorted((row.account, row.address)):
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int(key[:15], 16)])
        SignInAttempt.objects.filter(created_at__lt=timezone.now() - REMEMBERED).delete()
        if _is_too_much(row):
            raise TooManySignInsError
        row.save()
    return Attempt(row)


def _is_too_much(row: SignInAttempt) -> bool:
    here, theirs = Q(address=row.address), Q(account=row.account)
    recent = SignInAttempt.objects.filter(here | theirs, succeeded=False, created_at__gt=timezone.now() - WINDOW)
    failed = recent.aggregate(
        both=Count("pk", filter=here & theirs), here=Count("pk", filter=here), theirs=Count("pk", filter=theirs)
    )
    if failed["both"] >= PER_ACCOUNT_AND_ADDRESS or failed["here"] >= PER_ADDRESS:
        return True
    return failed["theirs"] >= PER_ACCOUNT and not SignInAttempt.objects.filter(here, theirs, succeeded=True).exists()


def client_network(request: HttpRequest | None) -> str:
    """Return a request's IPv4 address, or the network that one IPv6 customer has; empty when unknown."""
    told = client_address(request) if request else None
    address = ip_address(told) if told else None
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address or "")


def _digest_name(value: str) -> str:
    return salted_hmac("footnote.sign_in", value, algorithm="sha256").hexdigest()
