"""The document in which a program says who it is: JSON at the address that is its client_id.

draft-ietf-oauth-client-id-metadata-document; the Model Context Protocol of 2026-07-28 makes it the way in. The address
is a stranger's, so that it is fetched by the rule for all addresses that somebody names: public ones alone.
"""

import ipaddress
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from core.errors import FetchError, FileTooLargeError, ProgramDocumentError, UnsafeUrlError
from core.library.ingestion.sources.addresses import check_url
from core.library.ingestion.sources.policy import REDIRECTS, Policy
from core.library.ingestion.sources.web import Request, Response, send
from core.values.sizes import KILOBYTE

SECONDS = 5.0  # for the whole fetch: somebody waits for the page
LONGEST_ADDRESS = 255  # characters, as the database keeps it
MOST_REDIRECT_URIS = 50
_OK = 200
_LOOPBACK = "localhost"


def fetch_document(client_id: str, *, most_bytes: int, policy: Policy) -> tuple[dict[str, Any], str]:
    """Return what a program says of itself, of the parts that are used here, and the answer's Cache-Control.

    ProgramDocumentError, in words for whoever connects it, where the document cannot be had or used.
    """
    _check_address(client_id)
    try:
        response = send(Request(url=client_id, follows_redirects=False), max_mb=1, policy=policy)
    except UnsafeUrlError:
        raise ProgramDocumentError(
            "Its address is not on the public Internet. Only public addresses are asked."
        ) from None
    except FileTooLargeError:
        raise _make_size_error(most_bytes) from None
    except FetchError:
        raise ProgramDocumentError("Its address does not answer, or not as it should.") from None
    return _read_document(client_id, response, most_bytes), response.headers.get("cache-control", "")


def is_loopback(uri: str) -> bool:
    """Tell whether an address is on the machine of whoever opens it (RFC 8252, sections 7.3 and 8.3)."""
    host = urlsplit(uri).hostname or ""
    if host == _LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def may_be_redirected_to(uri: str) -> bool:
    """Tell whether a code may be sent there: over https, or to the person's own machine, as the protocol has it."""
    try:
        parts = urlsplit(uri)
        has_user = parts.username is not None or parts.password is not None
    except ValueError:
        return False
    if "#" in uri or has_user or not parts.hostname or any(character.isspace() for character in uri):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(uri))


def _check_address(client_id: str) -> None:
    try:
        is_plain = check_url(client_id) == client_id
    except UnsafeUrlError:
        is_plain = False
    if not is_plain or not client_id.startswith("https://") or urlsplit(client_id).path in ("", "/"):
        raise ProgramDocumentError("Its client_id is not an address such as https://example.com/client.json.")
    if len(client_id) > LONGEST_ADDRESS:
        raise ProgramDocumentError(f"Its address is longer than {LONGEST_ADDRESS} characters.")


def _make_size_error(most_bytes: int) -> ProgramDocumentError:
    return ProgramDocumentError(f"Its document is larger than {most_bytes / KILOBYTE:g} KB.")


def _read_document(client_id: str, response: Response, most_bytes: int) -> dict[str, Any]:
    if response.status in REDIRECTS:
        raise ProgramDocumentError("Its address redirects to another. The document must be at the address itself.")
    if response.status != _OK:
        raise ProgramDocumentError(f"Its address answers with status {response.status}.")
    if len(response.content) > most_bytes:
        raise _make_size_error(most_bytes)
    try:
        told = json.loads(response.content)
    except ValueError:
        raise ProgramDocumentError("Its document is not JSON.") from None
    if not isinstance(told, dict):
        raise ProgramDocumentError("Its document is not a JSON object.")
    if told.get("client_id") != client_id:
        raise ProgramDocumentError("The client_id in its document is not the document's own address.")
    return _take_used(told)


def _take_used(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts that are used here: a document may name other ways and addresses, which other servers know."""
    if told.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in told:
        raise ProgramDocumentError("Its document asks for a secret or a key. Only public clients can connect.")
    grants = told.get("grant_types", ["authorization_code"])
    if not isinstance(grants, list) or "authorization_code" not in grants:
        raise ProgramDocumentError("Its document does not name the grant type authorization_code.")
    named = told.get("redirect_uris")
    named = [uri for uri in named if isinstance(uri, str)] if isinstance(named, list) else []
    usable = [uri for uri in named[:MOST_REDIRECT_URIS] if may_be_redirected_to(uri)]
    if not usable:
        raise ProgramDocumentError(
            "Its document has no redirect_uris that can be used: addresses with https, or on the person's own machine."
        )
    name = told.get("client_name", "")
    return {
        "client_id": told["client_id"],
        "client_name": "".join(filter(str.isprintable, name))[:100] if isinstance(name, str) else "",
        "redirect_uris": usable,
        "grant_types": ["authorization_code"],
    }
