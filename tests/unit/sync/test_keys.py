"""Two things at a source never have the same key, and what is loaded by a key is what was listed under it."""

import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import quote, quote_plus, unquote_to_bytes, urlsplit
from xml.sax.saxutils import escape

import pytest
from botocore.compat import unquote_str
from dulwich.object_store import MemoryObjectStore
from dulwich.objects import Blob, Tree
from hypothesis import example, given
from hypothesis import strategies as st
from smbprotocol.file_info import FileIdFullDirectoryInformation

from core.errors import UnsafeUrlError
from core.library.ingestion.markup.parsing import read_markup
from core.library.ingestion.markup.values import Resources
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.addresses import check_url
from core.library.sync.files.store import Entry, StoredFile, as_stored, path_below, walk
from core.library.sync.kinds import git, github, smb, webdav
from core.library.sync.services.answers import identifier
from core.library.sync.services.git_repository import find_object

# What separates names, ends them or means something in addresses, and what is no text, more often than by chance.
_ODD = st.sampled_from(
    ["/", "\\", ".", "..", "%", "%2F", "%FF", "?", "#", " ", "\u00a0", "\ufffd", "\ud800", "\n", "é"]
)
TEXTS = st.lists(_ODD | st.text(max_size=3), max_size=4).map("".join)
BYTES = st.lists(_ODD.map(lambda odd: odd.encode(errors="surrogatepass")) | st.binary(max_size=3), max_size=4).map(
    b"".join
)
NAMES = st.lists(BYTES.filter(lambda name: b"\0" not in name and b"/" not in name and name), max_size=6, unique=True)


def keys(entries: Iterable[Entry]) -> list[str]:
    """The keys of what is in a folder, as `walk` makes them."""
    folders = {"": list(entries)}
    found = walk(lambda path: folders.get(path, []), lambda path: False)
    return [one.path for one in found if isinstance(one, StoredFile)]


def assert_told_apart(found: list[str]) -> None:
    """No key identifies two things."""
    assert {key for key, times in Counter(found).items() if times > 1} == set()


@given(NAMES)
def test_names_of_a_folder(names: list[bytes]) -> None:
    """By its key the very file is opened; what is not in UTF-8 is left out."""
    found = keys(Entry(name=os.fsdecode(name)) for name in names)
    assert_told_apart(found)
    assert {os.fsencode(key) for key in found} <= set(names)


@given(NAMES)
def test_names_on_sftp(names: list[bytes]) -> None:
    """As in a folder."""
    found = keys(Entry(name=name.decode("utf-8", "surrogateescape")) for name in names)
    assert_told_apart(found)
    assert {key.encode() for key in found} <= set(names)


@given(NAMES)
def test_names_in_git(names: list[bytes]) -> None:
    """By its key the very blob is found."""
    objects, tree, blobs = MemoryObjectStore(), Tree(), {}
    for name in names:
        blobs[name] = Blob.from_string(name)
        objects.add_object(blobs[name])
        tree.add(name, 0o100644, blobs[name].id)
    found = keys(
        git._make_entry(name.decode("utf-8", "surrogateescape"), mode, sha) for name, mode, sha in tree.iteritems()
    )
    assert_told_apart(found)
    assert all(find_object(objects, tree, key) == blobs[key.encode()].id for key in found)


@given(NAMES)
@example([b"\xff.md", b"\xfe.md"])
def test_names_on_github(names: list[bytes]) -> None:
    """JSON replaces all that is no text by one character."""
    told = [{"path": name.decode(errors="replace"), "mode": "100644", "type": "blob", "sha": "1"} for name in names]
    found = keys(Entry(name=one["path"], left_out=github._why_left_out(one)) for one in told)
    assert_told_apart(found)
    assert {key.encode() for key in found} <= set(names)


UNITS = st.lists(
    st.integers(1, 0xFFFF) | st.sampled_from([0xD800, 0xDC00, 0x61, 0x41, 0x5C, 0x3A]), min_size=1, max_size=3
)


@given(st.lists(UNITS, max_size=6, unique_by=tuple))
@example([[0x61], [0x41]])
@example([[0x61, 0x5C, 0x62]])
def test_names_on_windows(names: list[list[int]]) -> None:
    """A key opens only the file with this very name, also in capitals, and no stream of another file."""
    written = [b"".join(unit.to_bytes(2, "little") for unit in name) for name in names]
    found = keys(smb._drop_ambiguous(smb._make_entry(_directory_information(name)) for name in written))
    assert_told_apart(found)
    assert {key.encode("utf-16-le") for key in found} <= set(written)
    assert_told_apart([key.upper() for key in found])
    assert not any(set(key) & set('\\/:*?"<>|') for key in found)


def _directory_information(name: bytes) -> FileIdFullDirectoryInformation:
    found = FileIdFullDirectoryInformation()
    found["file_name"] = name
    return found


SAFE = st.sets(st.sampled_from(" !$&'()*+,;=:@-._~%?#[]<>\"\\éabcABC\u00a0\u3000"))


@given(NAMES, SAFE)
@example([b"\xff.md", b"\xfe.md"], set())
@example([b"a.md\xc2\xa0"], {"\u00a0"})
@example([b"a.md "], {" "})
@example([b"a.md?1", b"a.md?2"], {"?"})
def test_names_on_webdav(names: list[bytes], safe: set[str]) -> None:
    """By the address that is made of a key the very file is asked for, however the server writes its own."""
    hrefs = [f"/dav/{_write(name, safe)}" for name in names]
    shown = "".join(f"<response><href>{escape(href)}</href></response>" for href in hrefs)
    answer = f'<multistatus xmlns="DAV:">{shown}</multistatus>'.encode()
    told = Resources.from_json(read_markup("folder", answer, "", "server")).found
    found = keys(webdav._read_entries(told, "/dav/", "http://server/dav/"))
    assert_told_apart(found)
    if "%" not in safe:  # what is written without quoting that may be nothing but a mistake
        assert {unquote_to_bytes(urlsplit(f"http://server/dav/{quote(key)}").path[5:]) for key in found} <= set(names)


def _write(name: bytes, safe: set[str]) -> str:
    """A name in an address, in which a server leaves some characters as they are."""
    try:
        return "".join(one if one in safe else quote(one) for one in name.decode())
    except UnicodeDecodeError:
        return quote(name)


@given(st.lists(BYTES, max_size=6, unique=True), st.sampled_from(["", "all of it/"]))
@example([b"\xff.md", b"\xfe.md"], "")
def test_names_of_objects(names: list[bytes], prefix: str) -> None:
    """By a key below a prefix the very object is asked for; S3 gives names quoted, and its library replaces bytes."""
    told = [unquote_str(quote_plus(name)) for name in names]
    found = [as_stored(path, "") for name in told if (path := path_below(prefix, name))]
    stored = [one.path for one in found if isinstance(one, StoredFile)]
    assert_told_apart(stored)
    assert {(prefix + path).encode() for path in stored} <= set(names)
    assert all(isinstance(one, LeftOut) for one in found if not isinstance(one, StoredFile))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_ids_of_services(one: str, other: str, page: str, other_page: str) -> None:
    """In the forms of Confluence, Jira and Drive; what is no id has no key."""

    def made(an_id: str, page_id: str) -> list[str]:
        first, second = (identifier({"id": each}, "id") for each in (an_id, page_id))
        forms = ("page:{}", "issue:{}", "file:{}", "export:{}.docx", "export:{}.xlsx")
        kinds = [form.format(first) for form in forms] if first else []
        return [*kinds, *([f"attachment:{second}/{first}"] if first and second else [])]

    both = set(made(one, page)) & set(made(other, other_page))
    assert not both if one != other else page == other_page or not any("/" in key for key in both)


HOSTS = st.sampled_from(["a.example", "b.example", "[::1]"])
PORTS = st.sampled_from([None, 80, 443, 8080])
PARTS = st.sampled_from([b"", b"a", b"A", b"%61", b"a/b", b"a ", b"a+", b"a?", b"a;", b"\xff", b"..."]) | BYTES
PLACES = st.tuples(
    st.sampled_from(["http", "https"]),
    HOSTS,
    PORTS,
    st.lists(PARTS.filter(lambda part: part not in {b".", b".."}), min_size=1, max_size=2),
    st.none() | PARTS.filter(bool),
)
Place = tuple[str, str, int | None, list[bytes], bytes | None]


@given(st.lists(PLACES, max_size=8))
def test_addresses_of_different_places(places: list[Place]) -> None:
    """Have different keys, and those of one place have one: nothing but the spelling is made alike."""

    def write(place: Place) -> str:
        scheme, host, port, segments, query = place
        path = "/".join(quote(segment, safe="") for segment in segments)
        asked = f"?{quote(query, safe='')}" if query else ""
        return f"{scheme}://{host}{f':{port}' if port else ''}/{path}{asked}"

    def where(place: Place) -> tuple[object, ...]:
        scheme, host, port, segments, query = place
        return scheme, host, port or {"http": 80, "https": 443}[scheme], tuple(segments), query

    assert len({check_url(write(place)) for place in places}) == len(set(map(where, places)))


@given(TEXTS.map(lambda path: f"https://a.example/{path}"))
@example("https://a.example/%%36%31")
@example("https://a.example/%6%31")
def test_what_is_fetched_is_what_the_key_says(address: str) -> None:
    """A normal form is its own: a key leads to no page that has another one."""
    with suppress(UnsafeUrlError):
        key = check_url(address)
        assert check_url(key) == key


@pytest.mark.parametrize("address", ["https://a.example:0/", "https://a.example/\ud800"])
def test_what_is_no_address_is_not_taken_for_another(address: str) -> None:
    """Neither is the port that goes without saying in the place of one that there is not."""
    with pytest.raises(UnsafeUrlError):
        check_url(address)
