"""Programs by the documents in which they say who they are: when one is fetched, and why one could not be used."""

import hashlib
import re
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.core.cache import cache
from django.urls import reverse
from oauth2_provider.cimd import CIMDError
from oauth2_provider.models import Application
from oauthlib.common import Request

from adminsite.programs.provider import BACKOFF_S, KEPT_S, MOST_BYTES
from core.errors import ProgramDocumentError
from core.library.ingestion.sources.policy import Policy
from core.programs.documents import SECONDS, fetch_document

_MAX_AGE = re.compile(r"max-age=(\d{1,9})")


class Fetcher:
    """Fetches documents for django-oauth-toolkit, in the place of its own fetcher: one rule says what is fetched."""

    policy: ClassVar[Policy] = Policy(seconds=SECONDS)

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """Return a document and for how many seconds it may be kept. CIMDError where there is none that can be used."""
        try:
            document, cache_control = fetch_document(client_id, most_bytes=MOST_BYTES, policy=self.policy)
        except ProgramDocumentError as error:
            cache.set(_name_key(client_id), error.message, 2 * BACKOFF_S)
            raise CIMDError(type(error).__name__) from error
        cache.delete(_name_key(client_id))
        return document, _find_age(cache_control.lower())


class OnlyWhereSomebodyConsents:
    """A program that nobody has met is asked for only from the page of consent, where somebody is signed in.

    The addresses of tokens are open to all: there a document is fetched anew, of a program that is known.
    """

    def has_permission(self, request: Request, client_id: str) -> bool:
        """Tell whether a document may be fetched for this request."""
        return is_consent(request) or Application.objects.filter(client_id=client_id).exists()


def is_consent(request: Request) -> bool:
    """Tell whether a request is to the page of consent, which lets nobody on who is not signed in."""
    return bool(urlsplit(request.uri).path == reverse("oauth2_provider:authorize"))


def find_fault(client_id: str) -> str:
    """Return why the document of a program could not be used a moment ago, in words; empty where it could."""
    return str(cache.get(_name_key(client_id), ""))


def _find_age(cache_control: str) -> int:
    """Return the seconds for which a document may be kept, as its server says, within our own bounds."""
    least, most = KEPT_S
    if "no-store" in cache_control or "no-cache" in cache_control:
        return least
    told = _MAX_AGE.search(cache_control)
    return max(least, min(int(told[1]), most)) if told else most


def _name_key(client_id: str) -> str:
    return f"program-document:{hashlib.sha256(client_id.encode()).hexdigest()}"
