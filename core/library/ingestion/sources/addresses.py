"""Sources in one form each: a page of the web is one, however its address is written. Pure."""

import re
from urllib.parse import quote, urlsplit, urlunsplit

from core.errors import UnsafeUrlError
from core.library.ingestion.document import MAX_URL

ARXIV = "arxiv:"  # before the id of a paper on arXiv
HASHED = "sha256:"  # before the hash of a source that is too long for its column
_ADDRESSES = ("http://", "https://", ARXIV)
_PORTS = {"http": 80, "https": 443}  # the schemes that are fetched, with the port that goes without saying
# Not after a "%" that escapes nothing: it would escape what is unescaped here.
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")  # RFC 3986, 2.3: the same, escaped or not


def check_url(url: str, *, longest: int = MAX_URL) -> str:
    """The address in its normal form, without fragment. UnsafeUrlError when it is of a kind that is never fetched.

    longest: in characters. More than what is stored only for addresses that a service makes for one request.

    Only what cannot change where it leads is made alike: the case of scheme and host, the port of the scheme, dots in
    the path, needless escapes. "/a" and "/a/", http and https may be different pages, and stay so.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").removesuffix("."), parts.port
        ascii_host = host.encode("idna").decode("ascii").lower()
        path, query = _without_dots(_quote_part(parts.path)), _quote_part(parts.query)
    except (ValueError, UnicodeError) as error:
        raise UnsafeUrlError(f"{url[:200]} is not an address. Expected https://host/path.") from error
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not ascii_host or port == 0:
        raise UnsafeUrlError(f"{url[:200]} cannot be fetched. Only http and https addresses can.")
    if parts.username is not None or parts.password is not None:
        raise UnsafeUrlError("Addresses with a user name or password are not fetched. Remove them.")
    if len(url) > longest:
        raise UnsafeUrlError(f"{url[:100]}... is longer than {longest} characters, the limit for an address.")
    shown = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    place = f"{shown}:{port}" if port and port != _PORTS[scheme] else shown
    return urlunsplit((scheme, place, path, query, ""))


def same_address(one: str, other: str) -> bool:
    """Return True if two addresses are the same. False when either is not one that may be fetched."""
    try:
        return check_url(one) == check_url(other)
    except UnsafeUrlError:
        return False


def is_address(source: str) -> bool:
    """Return True if a source is an address or an arXiv id, and False if it is a path."""
    return source.startswith(_ADDRESSES)


def path_as_source(path: str) -> str:
    """Return a path, so written that it is no address and no part of another file, whatever the file is called."""
    plain = path.replace("#", "%23")
    return f"./{plain}" if plain.startswith((*_ADDRESSES, HASHED)) else plain


def _without_dots(path: str) -> str:
    """Return a path from the root, with "." and ".." followed (RFC 3986, 5.2.4)."""
    followed: list[str] = []
    parts = path.removeprefix("/").split("/")
    for part in parts:
        if part == "..":
            del followed[-1:]
        elif part != ".":
            followed.append(part)
    if parts[-1] in {".", ".."}:
        followed.append("")
    return "/" + "/".join(followed)


def _quote_part(part: str) -> str:
    """Return a path or query in ASCII; what is quoted stays so, unless it need not be."""
    return _ESCAPE.sub(_unescape, quote(part, safe="%/:=&?~#+!$,;'@()*[]"))


def _unescape(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()
