"""A body is refused by its length, before any of it is read: no address reads more than it needs."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from pytest_django.fixtures import Settings

from adminsite.body_limits import LIMITS, WholeBody, whole_bodies
from adminsite.body_limits import UPLOAD as UPLOAD_PAGE
from core.models import Collection, IngestionJob
from core.testing import Cast

MEGABYTE = 1024 * 1024
UPLOAD = "/admin/core/ingestionjob/add/"
FORM = "multipart/form-data; boundary=frontier"


class Unread:
    """A body of which nothing may be read."""

    def read(self, *_: int) -> bytes:
        """Fail: somebody wanted to."""
        raise AssertionError("the body was read")

    readline = read


def sent(client: Client, path: str, size: int, content_type: str = FORM, **headers: str) -> Any:
    """The response to a body of so many bytes, of which none may be read."""
    announced = {"CONTENT_LENGTH": str(size), "wsgi.input": Unread()}
    return client.post(path, b"-", content_type=content_type, headers=headers, **announced)


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/admin/login/", "64 KB"),
        (UPLOAD, "64 KB"),
        ("/admin/core/user/add/", "64 KB"),
        ("/", "64 KB"),
        ("/livez", "64 KB"),
        ("/slack/install", "64 KB"),
        ("/slack/events", "1 MB"),
        ("/mcp", "512 KB"),
        ("/mcp/", "512 KB"),
        ("/api/v1/ask", "1 MB"),
        ("/api/v1/nowhere", "1 MB"),
        ("/api/v1/documents/", "1 MB"),
    ],
)
def test_nobody_makes_us_read_much_before_they_have_signed_in(path: str, most: str, client: Client, db: None) -> None:
    """150 MB are refused at every address by their length alone, in words that name the limit."""
    response = sent(client, path, 150 * MEGABYTE)
    assert (response.status_code, f"larger than {most}. Send less." in response.content.decode()) == (413, True)


def test_the_form_of_rest_is_kept(client: Client, db: None) -> None:
    """A refusal below /api/ is JSON, as every other there."""
    response = sent(client, "/api/v1/ask", 2 * MEGABYTE, "application/json")
    assert response.json() == {"detail": "The body is larger than 1 MB. Send less.", "code": "too_large"}


def test_who_is_signed_in_sends_files_only_where_they_may_upload(
    root: Client, staff: Callable[..., Client], settings: Settings
) -> None:
    """The upload page takes INGEST_JOB_MAX_MB and a form from whoever may add jobs; every other page a form."""
    settings.INGEST_JOB_MAX_MB = 6
    without = staff("core.view_ingestionjob", "core.view_user")
    for client, path, most in (
        (root, UPLOAD, "7 MB"),
        (root, "/admin/core/user/add/", "1 MB"),
        (without, UPLOAD, "1 MB"),
        (without, "/admin/login/", "1 MB"),
    ):
        response = sent(client, path, 8 * MEGABYTE)
        assert (response.status_code, response.content.decode()) == (413, f"The body is larger than {most}. Send less.")


def test_the_right_to_upload_is_of_no_use_without_the_admin(cast: Cast) -> None:
    """A person who is no member of staff gets no further than the sign-in page."""
    cast.alice.is_superuser = True
    cast.alice.save()
    client = Client()
    client.force_login(cast.alice)
    assert sent(client, UPLOAD, 8 * MEGABYTE).status_code == 413


@pytest.mark.parametrize("path", ["/api/v1/ask", "/admin/login/", "/slack/events", "/mcp"])
def test_a_body_says_how_long_it_is(path: str, client: Client, db: None) -> None:
    """A body in chunks would be taken for empty: the response says that a length is required."""
    response = client.post(path, b"-", content_type=FORM, headers={"Transfer-Encoding": "chunked"})
    assert (response.status_code, "Content-Length" in response.content.decode()) == (411, True)


@pytest.mark.parametrize("length", ["", "many", "-1", "1e9", "0x10"])
def test_a_length_that_is_none_counts_as_no_body(length: str, client: Client, db: None) -> None:
    """Nothing is read then, and nothing fails."""
    given = {"CONTENT_LENGTH": length, "wsgi.input": Unread()}
    assert client.post("/admin/login/", b"-", content_type=FORM, **given).status_code in (200, 400)


def test_the_limits_are_those_of_addresses_that_there_are() -> None:
    """A name that leads nowhere would leave its address without the limit that it needs."""
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert {name for name in LIMITS if not name.startswith("local-")} <= names
    assert reverse(UPLOAD_PAGE) == UPLOAD


@pytest.mark.parametrize("sent_bytes", [0, 200, 3_000_000, 5_999_000])
def test_an_upload_that_breaks_off_leaves_no_job_and_no_file(
    sent_bytes: int, root: Client, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    """Half a file is not ingested as if it were the whole, and what came of it is gone from the disk."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    shelf = Collection.objects.create(name="Shelf")
    fields = f'--frontier\r\nContent-Disposition: form-data; name="collection"\r\n\r\n{shelf.pk}\r\n'
    files = [
        f'--frontier\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n{"tide " * 600_000}\r\n'
        for name in ("whole.md", "half.md")
    ]
    body = "".join([fields, *files, "--frontier--\r\n"]).encode()
    given = {"CONTENT_LENGTH": str(len(body)), "wsgi.input": WholeBody(io.BytesIO(body[:sent_bytes]), len(body))}
    response = root.post(UPLOAD, b"-", content_type=FORM, **given)
    assert (response.status_code, "Send it again" in response.content.decode()) == (400, True)
    assert not IngestionJob.objects.exists()
    del response  # which holds the request
    assert list(tmp_path.iterdir()) == []


def test_the_web_process_gets_whole_bodies() -> None:
    """The wrapper counts what came by the length that was announced."""
    seen: list[Any] = []
    application = whole_bodies(lambda environ, start: seen.append(environ["wsgi.input"]) or [])
    for length, body in (("3", b"abc"), ("", b""), ("none", b"")):
        application({"CONTENT_LENGTH": length, "wsgi.input": io.BytesIO(body)}, lambda *_: None)
    assert [body.read(10) for body in seen] == [b"abc", b"", b""]
    assert [body.readline() for body in seen] == [b"", b"", b""]
