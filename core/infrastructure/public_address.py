"""Build and read addresses below PUBLIC_URL, at which people reach Footnote."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PLACE = re.compile(rf"(citation|document)s/({_UUID})(?:/(?:text/?)?)?")
_PLACE_IN_CHUNK = re.compile(rf"({_UUID})\.([0-9]{{1,9}})-([0-9]{{1,9}})")
_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenedPlace:
    """A document, or a citation in one, as an address names it. Whether there is one is not known."""

    kind: Literal["citation", "document"]
    id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceInChunk:
    """Words of a document, by the chunk that has them."""

    chunk_id: UUID
    start: int  # offsets into its content, in characters
    end: int


def build_citation_address(citation_id: UUID) -> str:
    """Return the address of a citation in its document; empty where PUBLIC_URL is not set."""
    return _build_address(f"citations/{citation_id}/")


def build_document_address(document_id: UUID, *, at: PlaceInChunk | None = None) -> str:
    """Return the address of a document, opened at a place in it if one is given; empty where PUBLIC_URL is not set."""
    return _build_address(f"documents/{document_id}/{f'?at={write_place(at)}' if at else ''}")


def build_research_address(research_id: UUID) -> str:
    """Return the address of a research's page; empty where PUBLIC_URL is not set."""
    return _build_address(f"research/{research_id}/")


def build_receipt_address(request_id: str) -> str:
    """Return the address of the receipt of a question's answer; empty where PUBLIC_URL is not set."""
    return _build_address(f"receipts/{request_id}/")


def build_risk_address(risk_id: UUID) -> str:
    """Return the address of a risk's page in the admin; empty where PUBLIC_URL is not set."""
    return _build_address(f"admin/core/oversharingrisk/{risk_id}/change/")


def build_risk_digest_address() -> str:
    """Return the address at which people turn their digest of risks off and on; empty where PUBLIC_URL is not set."""
    return _build_address("admin/risk-digest/")


def write_place(place: PlaceInChunk) -> str:
    """Write a place in a document as its address has it."""
    return f"{place.chunk_id}.{place.start}-{place.end}"


def read_place(written: str) -> PlaceInChunk | None:
    """Read a place as `write_place` writes it; None for anything else. Whether there is such a place is not known."""
    found = _PLACE_IN_CHUNK.fullmatch(written)
    return PlaceInChunk(chunk_id=UUID(found[1]), start=int(found[2]), end=int(found[3])) if found else None


def read_address(address: str) -> OpenedPlace | None:
    """Return what an address of this installation opens; None for every other address.

    Scheme, host, port and leading path must be those of PUBLIC_URL. An address with a user's name or a password in it
    is nobody's: such are made to look like another one.
    """
    own = _split_address(settings.PUBLIC_URL.rstrip("/") + "/") if settings.PUBLIC_URL else None
    given = _split_address(address)
    if own is None or given is None or own[:3] != given[:3] or not given[3].startswith(own[3]):
        return None
    found = _PLACE.fullmatch(given[3].removeprefix(own[3]))
    if found is None:
        return None
    return OpenedPlace(kind="citation" if found[1] == "citation" else "document", id=UUID(found[2]))


def _split_address(address: str) -> tuple[str, str, int, str] | None:
    """Scheme, host, port and path of an address of the web; None for anything else."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme], parts.path


def _build_address(path: str) -> str:
    return f"{settings.PUBLIC_URL.rstrip('/')}/{path}" if settings.PUBLIC_URL else ""
