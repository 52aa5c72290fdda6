"""Hostile requests to the admin: each is refused or put right by a form's message, and leaves no row behind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Collection, Document, IngestionJob, Role, User
from core.testing import Cast
from tests.integration.hostile import (
    MARK,
    assert_alive,
    assert_not_logged,
    assert_says_nothing_internal,
    nothing_written,
)

UNKNOWN = "00000000-0000-4000-8000-000000000000"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=frontier"
ROLE, PERSON, SHELF = "/admin/core/role/", "/admin/core/user/", "/admin/core/collection/"
JOBS = "/admin/core/ingestionjob/"
UPLOAD, LOGIN = f"{JOBS}add/", "/admin/login/"
# Of an inline formset: as a browser sends them.
NO_ROWS = {"TOTAL_FORMS": "0", "INITIAL_FORMS": "0", "MIN_NUM_FORMS": "0", "MAX_NUM_FORMS": "1000"}

ADDED = ("core_auditevent", "core_collection", "django_admin_log")  # a collection is added, without the row


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request by an administrator with every permission, unless it says otherwise, and what it has to get."""

    what: str
    path: str
    status: frozenset[int]
    data: Any = None  # a POST of these; None: a GET
    content_type: str = ""
    by: str = "root"
    headers: dict[str, str] = field(default_factory=dict)
    says: str = ""
    besides: tuple[str, ...] = ()  # tables that may change


def got(what: str, path: str, *status: int, **how: Any) -> Sent:
    """A GET."""
    return Sent(what=what, path=path, status=frozenset(status), **how)


def posted(what: str, path: str, data: Any, *status: int, **how: Any) -> Sent:
    """A POST: of fields, or of a body as it is."""
    return Sent(what=what, path=path, data=data, status=frozenset(status), **how)


def rows(prefix: str, **changed: Any) -> dict[str, Any]:
    """The management form of an inline formset."""
    return {f"{prefix}-{name}": value for name, value in (NO_ROWS | changed).items()}


def part(name: str, content: str, more: str = "") -> str:
    """A part of a multipart body."""
    return f'--frontier\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{content}\r\n'


SIGN_IN = (
    posted(
        "a sign-in without a token of the form",
        LOGIN,
        {"username": "a", "password": "b"},
        403,
        by="nobody, with CSRF",
        says="CSRF",
    ),
    posted(
        "a change without a token of the form", ROLE + "add/", {"name": MARK}, 403, by="root, with CSRF", says="CSRF"
    ),
    posted(
        "a change from a foreign page",
        ROLE + "add/",
        {"name": MARK},
        403,
        by="root, with CSRF",
        headers={"Origin": "https://evil.example"},
        says="CSRF",
    ),
    posted("a change by nobody", ROLE + "add/", {"name": MARK}, 302, by="nobody"),
    posted("an upload by nobody", UPLOAD, {"addresses": "2401.00001"}, 302, by="nobody"),
    posted(
        "a deletion by nobody",
        ROLE,
        {"action": "delete_selected", "_selected_action": UNKNOWN, "post": "yes"},
        302,
        by="nobody",
    ),
    posted("a change by who may only look", ROLE + "add/", {"name": MARK}, 403, by="a viewer"),
    posted("an upload by who may only look", UPLOAD, {"addresses": "2401.00001"}, 403, by="a viewer"),
    posted(
        "a deletion by who may only look",
        ROLE,
        {"action": "delete_selected", "_selected_action": UNKNOWN, "post": "yes"},
        200,
        302,
        403,
        by="a viewer",
    ),
    posted("a new person by who may only look", PERSON + "add/", {"email": "x@example.com"}, 403, by="a viewer"),
    got("a page beyond the sign-in on a foreign host", LOGIN + "?next=//evil.example/", 302),
    got("a page beyond the sign-in by another scheme", LOGIN + "?next=javascript:alert(1)", 302),
    got("a sign-in page that leads nowhere", LOGIN + "?next=" + "a" * 5000, 302),
    posted(
        "a sign-out that leads to a foreign host",
        "/admin/logout/?next=https://evil.example/",
        {},
        200,
        302,
        by="nobody",
    ),
)
FORMS = (
    posted("a role without anything", ROLE + "add/", {}, 200, says="required"),
    posted(
        "ids that are no numbers",
        "/admin/auth/group/",
        {"action": "delete_selected", "_selected_action": MARK, "post": "yes"},
        400,
        says="try again",
    ),
    posted(
        "a role's name of 100,000 characters",
        ROLE + "add/",
        {"name": "r" * 100_000} | rows("user_roles"),
        200,
        says="at most",
    ),
    posted(
        "a role's name with NUL",
        ROLE + "add/",
        {"name": f"\x00{MARK}"} | rows("user_roles"),
        200,
        says="Null characters are not allowed",
    ),
    posted(
        "a role's name of white space", ROLE + "add/", {"name": "   \u2003"} | rows("user_roles"), 200, says="required"
    ),
    posted(
        "a person whose address is none", PERSON + "add/", {"email": MARK} | rows("user_roles"), 200, says="valid email"
    ),
    posted(
        "a person whose address has 10,000 characters",
        PERSON + "add/",
        {"email": "a" * 10_000 + "@example.com"} | rows("user_roles"),
        200,
    ),
    posted("a collection without its inline's form", SHELF + "add/", {"name": MARK}, 200, says="ManagementForm"),
    posted(
        "an inline of a million forms",
        SHELF + "add/",
        {"name": ""} | rows("collection_roles", TOTAL_FORMS="1000000"),
        400,
        says="try again",
    ),
    posted(
        "an inline of minus one form", SHELF + "add/", {"name": ""} | rows("collection_roles", TOTAL_FORMS="-1"), 200
    ),
    posted(
        "an inline of as many forms as no number says",
        SHELF + "add/",
        {"name": ""} | rows("collection_roles", TOTAL_FORMS="9" * 5000),
        400,
        says="try again",
    ),
    posted(
        "an inline that had forms before",
        SHELF + "add/",
        {"name": MARK}
        | rows("collection_roles", TOTAL_FORMS="1", INITIAL_FORMS="1")
        | {"collection_roles-0-id": UNKNOWN, "collection_roles-0-collection": ""},
        200,
        302,
        besides=ADDED,
    ),
    posted(
        "an inline with an id that is none",
        SHELF + "add/",
        {"name": MARK}
        | rows("collection_roles", TOTAL_FORMS="1", INITIAL_FORMS="1")
        | {"collection_roles-0-id": "' OR 1=1", "collection_roles-0-collection": ""},
        200,
        302,
        besides=ADDED,
    ),
    posted(
        "an inline with a role that there is not",
        SHELF + "add/",
        {"name": MARK} | rows("collection_roles", TOTAL_FORMS="1") | {"collection_roles-0-role": UNKNOWN},
        200,
    ),
    posted(
        "an inline with a role that is no id",
        SHELF + "add/",
        {"name": MARK} | rows("collection_roles", TOTAL_FORMS="1") | {"collection_roles-0-role": MARK},
        200,
    ),
    posted("1,001 fields", ROLE + "add/", {f"f{n}": "" for n in range(1001)}, 400, says="too many fields"),
    posted(
        "a form of one megabyte and more",
        ROLE + "add/",
        b"name=" + b"a" * 1_100_000,
        413,
        content_type=FORM,
        says="larger than 1 MB",
    ),
    posted("a form that is not UTF-8", ROLE + "add/", b"name=%ff%fe%00", 200, content_type=FORM),
    posted("a form in an unknown charset", ROLE + "add/", b"name=a", 200, 400, content_type=f"{FORM};charset=klingon;"),
    posted("a form that is JSON", ROLE + "add/", b'{"name": "x"}', 200, content_type="application/json"),
    posted(
        "a multipart body without a boundary",
        ROLE + "add/",
        b"--x",
        400,
        content_type="multipart/form-data",
        says="arrived incomplete",
    ),
    posted(
        "a multipart body with a boundary beyond ASCII",
        ROLE + "add/",
        b"--x",
        400,
        content_type="multipart/form-data; boundary=\u00e9",
    ),
    posted(
        "a boundary of 10,000 characters",
        ROLE + "add/",
        b"--x",
        400,
        content_type="multipart/form-data; boundary=" + "b" * 10_000,
    ),
    posted(
        "a multipart body that ends in the middle",
        ROLE + "add/",
        part("name", MARK)[:-20].encode(),
        200,
        400,
        content_type=MULTIPART,
    ),
    posted(
        "40,000 parts without a name",
        ROLE + "add/",
        b"--frontier\r\n\r\n\r\n" * 40_000,
        200,
        400,
        content_type=MULTIPART,
    ),
    posted(
        "a part whose headers have 50,000 characters",
        ROLE + "add/",
        part("a" * 50_000, "x").encode(),
        200,
        400,
        content_type=MULTIPART,
    ),
    posted(
        "a part in an encoding that there is not",
        ROLE + "add/",
        (
            part("name", MARK).replace("\r\n\r\n", "\r\nContent-Transfer-Encoding: base64\r\n\r\n", 1)
            + "--frontier--\r\n"
        ).encode(),
        200,
        400,
        content_type=MULTIPART,
    ),
)
UPLOADS = (
    posted("an upload of nothing", UPLOAD, {"collection": "shelf"}, 200, says="Choose at least one file"),
    posted(
        "an upload to a collection that there is not",
        UPLOAD,
        {"collection": UNKNOWN, "addresses": "2401.00001"},
        200,
        says="valid choice",
    ),
    posted(
        "an upload to a collection that is no id",
        UPLOAD,
        {"collection": "../../", "addresses": "2401.00001"},
        200,
        says="valid",
    ),
    posted(
        "an upload of a type that there is not",
        UPLOAD,
        {"collection": "shelf", "document_type": MARK, "addresses": "2401.00001"},
        200,
        says="valid choice",
    ),
    posted(
        "an upload for a role that there is not",
        UPLOAD,
        {"collection": "shelf", "roles": UNKNOWN, "addresses": "2401.00001"},
        200,
        says="valid choice",
    ),
    posted(
        "an upload for a role that is no id",
        UPLOAD,
        {"collection": "shelf", "roles": MARK, "addresses": "2401.00001"},
        200,
        says="valid",
    ),
    posted("an address of a file", UPLOAD, {"collection": "shelf", "addresses": "file:///etc/passwd"}, 200),
    posted(
        "an address on this machine",
        UPLOAD,
        {"collection": "shelf", "addresses": f"gopher://127.0.0.1:6379/_{MARK}"},
        200,
    ),
    posted(
        "an address of 2,000 characters",
        UPLOAD,
        {"collection": "shelf", "addresses": "https://a.example/" + "a" * 2000},
        200,
        says="too long",
    ),
    posted(
        "an address with NUL",
        UPLOAD,
        {"collection": "shelf", "addresses": "https://a.example/\x00"},
        200,
        says="Null characters",
    ),
    posted("501 files", UPLOAD, "501 files", 400, says="too many files"),
    posted("a file that is text", UPLOAD, {"collection": "shelf", "files": MARK}, 200, says="Choose at least one file"),
    posted(
        "an empty file",
        UPLOAD,
        (part("collection", "shelf") + part("files", "", '; filename="a.md"') + "--frontier--\r\n").encode(),
        200,
        content_type=MULTIPART,
    ),
)
ADDRESSES = (
    got("a page that is negative", f"{ROLE}?p=-1", 200, 302),
    got("page 10^30", f"{ROLE}?p=1" + "0" * 30, 200, 302),
    got("a search of 60,000 characters", f"{ROLE}?q=" + "a" * 60_000, 200),
    got("a search with NUL", f"{ROLE}?q=%00", 200, 302),
    got("a search that is not UTF-8", f"{ROLE}?q=%ff", 200, 302),
    got("a search of 1,000 words", f"{ROLE}?q=" + "a+" * 1_000, 200, 302),
    got("an order by what is not shown", f"{ROLE}?o=99.-99.x", 200, 302),
    got("a filter that there is not", f"{ROLE}?{MARK}__x=1", 302, 400),
    got(
        "a filter with a date of year 99999", f"{JOBS}?created_at_from_0=99999-01-01&created_at_from_1=25:61", 200, 302
    ),
    got("a filter with an id that is none", f"{JOBS}?collection__id__exact=%00", 200, 302, 400),
    got("a state that there is not", f"{JOBS}?state__exact={MARK}", 200, 302),
    got("an id that is no id", f"{ROLE}{MARK}/change/", 302, 404),
    got("an id that is a path", f"{ROLE}..%2f..%2fetc%2fpasswd/change/", 302, 404),
    got("an id with NUL", f"{ROLE}%00/change/", 302, 404),
    got("an id in another coding", f"{ROLE}_5F_00_FF/change/", 302, 404),
    got("an id that is not there", f"{PERSON}{UNKNOWN}/change/", 302, 404),
    got("the history of an id that is none", f"{ROLE}{MARK}/history/", 302, 404),
    got("the deletion of an id that is none", f"{ROLE}{MARK}/delete/", 302, 404),
    posted("the deletion of what is gone", f"{ROLE}{UNKNOWN}/delete/", {"post": "yes"}, 302, 404),
    posted("a change of what is gone", f"{ROLE}{UNKNOWN}/change/", {"name": MARK}, 302, 404),
    posted("another try of a job that is gone", f"{JOBS}{UNKNOWN}/retry/", {}, 404),
    got("another try by looking", f"{JOBS}{UNKNOWN}/retry/", 404, 405),
    got("the progress of a job that is no id", f"{JOBS}{MARK}/progress/", 302, 404),
    got("a foreign field to go back to", f"{ROLE}add/?_to_field=password&_popup=1", 400),
    got("a page to view on a foreign host", "/admin/r/1/1/", 302, 404),
    got("a model that there is not", "/admin/core/quagmire/", 404),
    got("an app that is a path", "/admin/..%2f..%2f/", 302, 404),
    got("an address of 8,000 characters", "/admin/" + "a" * 8_000, 302, 404),
    got("a file of ours outside the static ones", "/static/..%2f..%2fadminsite/settings.py", 404),
    got("a file of ours by a double escape", "/static/%252e%252e/%252e%252e/manage.py", 404),
    got("completion without anything", "/admin/autocomplete/", 403, 404),
    got(
        "completion of a field that there is not",
        "/admin/autocomplete/?term=a&app_label=core&model_name=user&field_name=password",
        403,
    ),
)
ACTIONS = (
    posted("an action that there is not", ROLE, {"action": MARK, "_selected_action": UNKNOWN}, 200, 302),
    posted(
        "an action on ids that are none",
        ROLE,
        {"action": "delete_selected", "_selected_action": MARK, "post": "yes"},
        200,
        302,
        400,
    ),
    posted(
        "an action on ids with NUL",
        ROLE,
        {"action": "delete_selected", "_selected_action": "\x00", "post": "yes"},
        200,
        302,
        400,
    ),
    posted(
        "an action on 900 ids that are not there",
        ROLE,
        {"action": "delete_selected", "_selected_action": [UNKNOWN] * 900, "post": "yes"},
        200,
        302,
    ),
    posted(
        "an action by an index that there is not",
        ROLE,
        {"action": "delete_selected", "index": "99", "_selected_action": UNKNOWN},
        200,
        302,
    ),
    posted(
        "an action by an index that is text",
        ROLE,
        {"action": "delete_selected", "index": MARK, "_selected_action": UNKNOWN},
        200,
        302,
    ),
    posted(
        "an edit in a list that has none",
        ROLE,
        {"form-TOTAL_FORMS": "1000000", "form-INITIAL_FORMS": "x", "_save": "1"},
        400,
    ),
)
CASES = (*SIGN_IN, *FORMS, *UPLOADS, *ADDRESSES, *ACTIONS)

Send = Callable[[Sent], Any]


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """A collection with a document and a job that has come to its end."""
    shelf = Collection.objects.create(name="Shelf")
    Document.objects.create(
        collection=shelf, source="a.md", title="Tides", document_type="page", ingested_at=timezone.now()
    )
    IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.DONE)
    return shelf


@pytest.fixture
def send(administrator: User, root: Client, staff: Callable[..., Client], shelf: Collection) -> Send:
    """Sends a request as the one by whom it is."""
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(administrator)
    browsers = {
        "root": root,
        "root, with CSRF": strict,
        "a viewer": staff("core.view_role", "core.view_user", "core.view_ingestionjob", "core.view_collection"),
        "nobody": Client(),
        "nobody, with CSRF": Client(enforce_csrf_checks=True),
    }
    for browser in browsers.values():
        browser.raise_request_exception = False

    def by_the_case(case: Sent) -> Any:
        client = browsers[case.by]
        if case.data is None:
            return client.get(case.path, headers=case.headers)
        data = case.data
        if data == "501 files":
            data = {"collection": str(shelf.pk), "files": [SimpleUploadedFile(f"{n}.md", b"x") for n in range(501)]}
        if isinstance(data, dict) and data.get("collection") == "shelf":
            data = data | {"collection": str(shelf.pk)}
        how = {"content_type": case.content_type} if case.content_type else {}
        return client.post(case.path, data, headers=case.headers, **how)

    return by_the_case


@pytest.mark.parametrize("case", CASES, ids=[case.what.replace(" ", "-") for case in CASES])
def test_a_hostile_request_to_the_admin_changes_nothing(
    case: Sent, send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    """It has the status of its kind, a message where a person would read one, and nothing of it stays."""
    with nothing_written(*case.besides):
        response = send(case)
    said = response.content.decode()
    assert response.status_code in case.status, said[:300]
    assert "evil.example" not in response.headers.get("Location", "")
    assert case.says in said
    assert_says_nothing_internal(said)
    assert_not_logged(caplog)
    assert_alive()


@pytest.mark.parametrize("field", ["is_superuser", "is_staff", "password", "id", "last_login", "user_permissions"])
def test_a_field_that_a_form_does_not_have_is_not_taken(field: str, send: Send, cast: Cast) -> None:
    """Adding a role changes nothing but the role, whatever other fields the form has."""
    before = User.objects.filter(is_superuser=True).count()
    response = send(
        posted(
            "x",
            ROLE + "add/",
            {"name": "harbour", "review_days": "0", field: "1", "users": str(cast.charlie.pk)} | rows("user_roles"),
            302,
        )
    )
    assert response.status_code == 302
    assert Role.objects.filter(name="harbour").exists()
    assert User.objects.filter(is_superuser=True).count() == before
    assert not cast.charlie.roles.exists()


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd.md", "/etc/passwd.md", "..\\..\\boot.md", "a\u202egpj.md", "con.md\u0000", "é" * 500 + ".md"],
)
def test_a_files_name_is_a_name(name: str, send: Send, shelf: Collection, settings: Settings) -> None:
    """No part of a path stays in it, and no file is written anywhere: the bytes go to the database."""
    files = part("collection", str(shelf.pk)) + part("files", "# Tides", f'; filename="{name}"') + "--frontier--\r\n"
    response = send(posted("x", UPLOAD, files.encode(), 200, 302, content_type=MULTIPART))
    assert response.status_code in (200, 302, 400)
    names = [file.name for job in IngestionJob.objects.all() for file in job.files.all()]
    assert [name for name in names if "/" in name or "\\" in name or "\x00" in name] == []


def test_after_all_of_them_a_page_is_shown_and_a_role_is_added(send: Send) -> None:
    """One process hears them all, and then somebody works."""
    for case in CASES:
        assert send(case).status_code in case.status
    assert (
        send(
            posted("a role", ROLE + "add/", {"name": "harbour", "review_days": "0"} | rows("user_roles"), 302)
        ).status_code
        == 302
    )
    assert send(got("the list", ROLE, 200)).status_code == 200
