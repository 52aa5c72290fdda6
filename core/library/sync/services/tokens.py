"""Secrets of sources, as an administrator entered them."""

from collections.abc import Mapping

from core.errors import SourceRefusedError


def read_secret(secrets: Mapping[str, str], name: str, label: str) -> str:
    """A token that fits into a header. SourceRefusedError when there is none: nothing is said of what there is."""
    token = secrets.get(name, "").strip()
    if not token:
        raise SourceRefusedError(f"There is no {label}. Enter one.")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise SourceRefusedError(f"The {label} has characters that none has. Copy it once more and enter it again.")
    return token
