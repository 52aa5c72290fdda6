"""Opening documents: what somebody may not read looks at every address as what is not there."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, erase_texts, stored_result
from core.library.originals.keeping import hash_content
from core.library.originals.storage import build_name
from core.models import Answer, Chunk, Citation, Document, User
from core.models.row_security import bypass_row_security
from core.serialization import as_json
from core.testing import Cast, make_document
from tests.integration.leaks.worlds import logged

VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
QUESTION = "With which code does the vault in the harbour office open?"
FILE = b"%PDF-1.4 the vault: quagmire-7741 " + bytes(range(256)) * 8
SECRETS = ("quagmire", "Vault rules", "vault.pdf", "harbour")
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')  # another one in each page
PLACES = ("citations/{0}/", "citations/{0}/text/", "documents/{1}/", "documents/{1}/text/", "documents/{1}/original")


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = False
    settings.PUBLIC_URL = "https://footnote.example.com/"


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """Alice's alone, with its original."""
    document = make_document("Vault rules", VAULT, roles=[cast.owners])
    storages["originals"].save(build_name(hash_content(FILE)), ContentFile(FILE))
    kept = {"original_hash": hash_content(FILE), "original_name": "vault.pdf", "original_size": len(FILE)}
    Document.objects.filter(pk=document.pk).update(**kept, original_type="application/pdf")
    document.refresh_from_db()
    return document


@pytest.fixture
def cited(cast: Cast, vault: Document) -> Citation:
    """Return Alice's citation of the document."""
    ask(QUESTION, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    return Citation.objects.get()


def _places(cited: Citation) -> list[str]:
    return _addresses(cited.pk, cited.document_id)


def _addresses(citation: UUID, document: UUID | None) -> list[str]:
    return [f"/{place.format(citation, document)}" for place in PLACES]


def _as(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def _shown(client: Client, address: str, method: str = "get", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    """All that comes back, without what names the address itself."""
    response = getattr(client, method)(address, headers=headers)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    told = {name: value for name, value in response.items() if name not in ("Expires", "Date")}
    return response.status_code, body, told


def _assert_is_not_there(client: Client, cited: Citation) -> None:
    """At none of its addresses, however it is asked for."""
    guessed = _addresses(uuid4(), uuid4())
    for method, headers in (("get", {}), ("head", {}), ("get", {"Range": "bytes=0-9"}), ("get", {"If-Range": "x"})):
        asked: Any = {"method": method, **headers}
        for real, invented in zip(_places(cited), guessed, strict=True):
            found = _shown(client, real, **asked)
            assert found == _shown(client, invented, **asked)
            assert found[0] == 404
            assert not any(secret in found[1].decode() + str(found[2]) for secret in SECRETS)


def test_who_may_read_it_opens_it(cast: Cast, cited: Citation) -> None:
    """At the quote, as text, and as it came; the log has no word of it."""
    client = _as(cast.alice)
    with logged() as lines:
        shown = {address: _shown(client, address) for address in _places(cited)}
    assert {status for status, _, _ in shown.values()} == {200}
    text = shown[f"/citations/{cited.pk}/text/"][1].decode()
    assert f'<mark id="quote">{VAULT}</mark>' in text
    assert '<mark id="quote">' not in shown[f"/documents/{cited.document_id}/text/"][1].decode()
    _, body, told = shown[f"/documents/{cited.document_id}/original"]
    assert body == FILE
    assert told["Content-Disposition"] == 'attachment; filename="vault.pdf"'
    assert told["X-Content-Type-Options"] == "nosniff"
    assert told["Content-Security-Policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    assert all({"private", "no-store"} <= set(told["Cache-Control"].split(", ")) for *_, told in shown.values())
    assert not any(secret in " ".join(lines) for secret in SECRETS)


def test_whoever_is_not_signed_in_is_sent_to_sign_in(cited: Citation) -> None:
    """From every address alike, whether or not there is something."""
    for real, invented in zip(_places(cited), _addresses(uuid4(), uuid4()), strict=True):
        found, guessed = _shown(_as(None), real), _shown(_as(None), invented)
        assert found[0] == guessed[0] == 302
        assert found[1] == guessed[1] == b""
        assert found[2]["Location"].startswith("/sign-in/?next=")


def test_of_another_role_it_is_not_there(cast: Cast, cited: Citation) -> None:
    """Nor for who holds none, nor for an administrator without the role."""
    root = User.objects.create_superuser("root@example.com")
    for person in (cast.bob, cast.charlie, root):
        _assert_is_not_there(_as(person), cited)


def test_it_takes_as_many_queries_to_say_no(cast: Cast, cited: Citation) -> None:
    """They are the same queries: the time reveals nothing either."""
    client = _as(cast.bob)
    client.get("/sign-in/")  # after which the session is not stored anew
    for real, invented in zip(_places(cited), _addresses(uuid4(), uuid4()), strict=True):
        asked = []
        for address in (real, invented):
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            asked.append([query["sql"].partition("WHERE")[0] for query in queries.captured_queries])
        assert asked[0] == asked[1]


def test_after_revocation_it_is_not_there(cast: Cast, cited: Citation) -> None:
    """From that moment on, in a session that has just read it."""
    client = _as(cast.alice)
    assert _shown(client, _places(cited)[0])[0] == 200
    assert cited.document is not None
    revoke(cast.owners, [cited.document], by=None)
    _assert_is_not_there(client, cited)


def test_after_deletion_it_is_not_there(
    cast: Cast, cited: Citation, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """Neither at its addresses nor in the storage; the citation's row is left, without a word."""
    client, document = _as(cast.alice), cited.document
    assert document is not None
    with django_capture_on_commit_callbacks(execute=True):
        Document.objects.get(pk=document.pk).delete()
    _assert_is_not_there(client, cited)
    assert not storages["originals"].exists(build_name(hash_content(FILE)))
    with bypass_row_security():
        assert Citation.objects.filter(pk=cited.pk, words=None).exists()


def test_an_erased_question_takes_its_citations_along(cast: Cast, cited: Citation, vault: Document) -> None:
    """The document itself stays where it was."""
    erase_texts(before=cited.answer.created_at.replace(year=2999))
    client = _as(cast.alice)
    assert _shown(client, f"/citations/{cited.pk}/") == _shown(client, f"/citations/{uuid4()}/")
    assert _shown(client, f"/documents/{vault.pk}/")[0] == 200


def test_whoever_has_left_opens_nothing(cast: Cast, cited: Citation) -> None:
    """Though the session is still there."""
    client = _as(cast.alice)
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    assert {_shown(client, address)[0] for address in _places(cited)} == {302}


def test_a_replaced_text_is_not_marked(cast: Cast, cited: Citation, vault: Document) -> None:
    """It is marked if the quote still occurs; the words in its place are ours."""
    client = _as(cast.alice)
    with_others = Document.objects.get(pk=vault.pk)
    _rewrite(with_others, f"First of all. {VAULT} And more.")
    assert b'<mark id="quote">The vault' in client.get(f"/citations/{cited.pk}/text/").content
    _rewrite(with_others, "Nobody opens the safe any more.")
    shown = client.get(f"/citations/{cited.pk}/text/").content
    assert b"This quote no longer stands in it." in shown
    assert b"<mark" not in shown


def _rewrite(document: Document, text: str) -> None:
    with bypass_row_security():
        chunk = Chunk.objects.get(document=document)
        chunk.pk = uuid4()
        Chunk.objects.filter(document=document).delete()
        chunk.content, chunk.end_offset = text, len(text)
        chunk._state.adding = True
        chunk.save(force_insert=True)


def _find_chunk(document: Document) -> UUID:
    with bypass_row_security():
        return Chunk.objects.get(document=document).pk


def test_a_document_is_opened_at_a_place(cast: Cast, vault: Document) -> None:
    """Its pages and its text lead to each other with the place."""
    client = _as(cast.alice)
    at = f"?at={_find_chunk(vault)}.{VAULT.index('the code')}-{VAULT.index(' on weekdays')}"
    text = client.get(f"/documents/{vault.pk}/text/{at}").content.decode()
    assert '<mark id="quote">the code quagmire-7741</mark>' in text
    assert f'href="/documents/{vault.pk}/{at}"' in text
    pages = client.get(f"/documents/{vault.pk}/{at}").content.decode()
    assert 'data-quote="the code quagmire-7741"' in pages
    assert f'href="/documents/{vault.pk}/text/{at}"' in pages


def test_a_place_of_another_document_opens_nothing_of_it(cast: Cast, vault: Document) -> None:
    """Bob reads one document and names a place in another, a place that is none, or nonsense: it opens as without."""
    own = make_document("Canteen", "The canteen opens at noon, every day of the week.", roles=[cast.staff])
    client, chunk = _as(cast.bob), _find_chunk(own)
    address = f"/documents/{own.pk}/text/"
    plain = client.get(address).content.decode()
    assert '<mark id="quote">The canteen</mark>' in client.get(f"{address}?at={chunk}.0-11").content.decode()
    for at in (f"{_find_chunk(vault)}.0-11", f"{uuid4()}.0-11", f"{chunk}.11-11", f"{chunk}.0-999999999", "%00", "x"):
        shown = client.get(f"{address}?at={at}")
        assert shown.status_code == 200
        assert _TOKEN.sub("", shown.content.decode()) == _TOKEN.sub("", plain), at
    assert client.get(f"/documents/{vault.pk}/?at={_find_chunk(vault)}.0-11").status_code == 404


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-9", 206, FILE[:10]),
        ("bytes=10-", 206, FILE[10:]),
        ("bytes=-5", 206, FILE[-5:]),
        ("bytes=0-99999", 206, FILE),
        ("bytes=99999-", 416, b""),
        ("bytes=9-3", 416, b""),
        ("bytes=0-1,4-5", 200, FILE),
        ("lines=0-1", 200, FILE),
    ],
)
def test_a_part_of_a_file(cast: Cast, vault: Document, asked: str, status: int, part: bytes) -> None:
    """Exactly that part comes, with its place; a request without a single range gets all of it."""
    got, body, told = _shown(_as(cast.alice), f"/documents/{vault.pk}/original", Range=asked)
    assert (got, body) == (status, part)
    if status == 206:
        start = FILE.rindex(part)
        assert told["Content-Range"] == f"bytes {start}-{start + len(part) - 1}/{len(FILE)}"


def test_a_head_request_tells_the_size_and_no_word(cast: Cast, vault: Document) -> None:
    """Of the file as it came."""
    status, body, told = _shown(_as(cast.alice), f"/documents/{vault.pk}/original", "head")
    assert (status, body, told["Content-Length"]) == (200, b"", str(len(FILE)))


def test_nothing_but_looking_is_allowed(cast: Cast, cited: Citation) -> None:
    """Whoever may read it and whoever may not hear the same."""
    for person in (cast.alice, cast.bob):
        assert {_as(person).post(address).status_code for address in _places(cited)} == {405}


def test_where_it_opens_is_told_to_who_may_read_it(cast: Cast, cited: Citation) -> None:
    """With the answer, and to nobody else; an answer that quotes a selected text opens nowhere."""
    request_id = Answer.objects.get().query.request_id
    audience = audience_of([cast.alice.pk])
    shown = as_json(stored_result(request_id, audience=audience))["citations"][0]
    assert shown["opens_at"] == f"https://footnote.example.com/citations/{cited.pk}/"
    selected = ask(
        "What lies in the harbour?",
        asker=asker_for(cast.alice),
        audience=audience,
        selected_text="The griffin paste lies in the harbour.",
    )
    assert {citation["opens_at"] for citation in as_json(selected)["citations"]} <= {None}
