"""Confluence as a data source, against a server that answers as its REST interface does."""

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import GoneError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.confluence import Confluence, Settings
from tests.integration.sync.served import Answer, Asked, Server, access, listing, page

TOKEN = "a-token-of-nobody"
NO_RESTRICTION: dict[str, Any] = {"user": {"results": [], "size": 0}, "group": {"results": [], "size": 0}}


def user(name: str) -> dict[str, str]:
    """A user, as Data Center names one."""
    return {"type": "known", "username": name}


def group(name: str) -> dict[str, str]:
    """A group."""
    return {"type": "group", "name": name}


def restricted(*, users: tuple[str, ...] = (), groups: tuple[str, ...] = ()) -> dict[str, Any]:
    """A restriction of reading."""
    return {
        "user": {"results": [user(each) for each in users], "size": len(users)},
        "group": {"results": [group(each) for each in groups], "size": len(groups)},
    }


def content(number: int, restriction: dict[str, Any] | None = None, *, below: tuple[int, ...] = (), **more: Any) -> Any:
    """A page in a listing."""
    return {
        "id": str(number),
        "type": "page",
        "title": f"Page {number}",
        "version": {"number": 3},
        "ancestors": [{"id": str(each)} for each in below],
        "metadata": {"labels": {"results": [{"name": each} for each in more.get("labels", ())]}},
        "childTypes": {"attachment": {"value": more.get("attached", False)}},
        "restrictions": {"read": {"restrictions": NO_RESTRICTION if restriction is None else restriction}},
        "_links": {"webui": f"/display/DOCS/{number}"},
    }


def permission(**subjects: Any) -> dict[str, Any]:
    """That somebody may read a space."""
    return {
        "operation": {"operation": "read", "targetType": "space"},
        "subjects": {kind: {"results": [found]} for kind, found in subjects.items()},
    }


STAFF = [permission(group=group("staff")), permission(user=user("alice"))]


def serve(server: Server, *pages: Any, permissions: Any = STAFF, members: dict[str, list[str]] | None = None) -> None:
    """A Data Center with one space, two pages of its listing at a time."""

    def listed(asked: Asked) -> Answer:
        start = int(asked.query.get("start", 0))
        more = {"next": f"/rest/api/content?spaceKey=DOCS&start={start + 2}"} if start + 2 < len(pages) else {}
        return Answer(body={"results": list(pages[start : start + 2]), "_links": more})

    server.answers = {
        "/rest/api/user/current": Answer(body={"type": "known", "username": "reader"}),
        "/rest/api/space": Answer(body={"results": [{"key": "DOCS", "permissions": permissions}], "_links": {}}),
        "/rest/api/content": listed,
    }
    for name, users in (members or {}).items():
        body = {"results": [user(each) for each in users], "_links": {}}
        server.answers[f"/rest/api/group/{name}/member"] = Answer(body=body)


def confluence(server: Server, **settings: Any) -> Confluence:
    """A connector to a Data Center."""
    made = Settings(**({"address": server.base, "edition": "data_center", "spaces": ("DOCS",)} | settings))
    return Confluence(made, TOKEN, access())


def groups(server: Server) -> dict[str, tuple[str, ...] | None]:
    """Return the readers of each page of the served space."""
    documents, _, error = listing(confluence(server))
    assert error is None
    return {key.removeprefix("page:"): each.groups for key, each in documents.items()}


def test_pages_are_listed_with_version_and_readers(server: Server) -> None:
    """From page to page of the listing, with the token for each request."""
    serve(server, *[content(number) for number in range(5)])
    documents, left_out, error = listing(confluence(server))
    assert (error, left_out) == (None, {})
    assert set(documents) == {f"page:{number}" for number in range(5)}
    assert documents["page:4"] == Listed(
        key="page:4",
        name="DOCS: Page 4",
        fingerprint="3",
        groups=("staff", "user:alice"),
        source_url=f"{server.base}/display/DOCS/4",
    )
    assert {asked.headers.get("authorization") for asked in server.asked} == {f"Bearer {TOKEN}"}


def test_who_reads_a_page_passes_its_space_and_all_restrictions_above(server: Server) -> None:
    """A group counts where it is named, or where all of its members pass; whom nothing lets pass is not there."""
    serve(
        server,
        content(1),
        content(2, restricted(groups=("board", "guests"))),  # all of the board are staff; guests are not
        content(3, below=(2,)),
        content(4, restricted(users=("bob", "charlie")), below=(1, 2)),  # bob is on the board, charlie is no staff
        content(5, restricted(users=("alice",))),
        content(6, restricted(groups=("guests",))),
        content(7, restricted(users=("dora",), groups=("board",))),  # all of staff, as long as nobody joins
        members={"staff": ["bob", "dora"], "board": ["bob"], "guests": ["charlie"]},
    )
    assert groups(server) == {
        "1": ("staff", "user:alice"),
        "2": ("board",),
        "3": ("board",),
        "4": ("user:bob",),
        "5": ("user:alice",),
        "6": (),
        "7": ("board", "user:dora"),
    }


@pytest.mark.parametrize(
    "unknown",
    [
        content(1) | {"restrictions": {}},
        content(1) | {"ancestors": None},
        content(1, below=(99,)),  # a page above that the account is not shown
        content(1, {"user": {"results": [], "size": 2}, "group": {"results": []}}),
        content(1, {"user": {"results": [{"type": "known"}], "size": 1}, "group": {"results": []}}),
        content(1, restricted(groups=("hidden",))),  # of which nobody tells the members
    ],
)
def test_a_page_whose_readers_are_not_told_is_read_by_nobody(server: Server, unknown: Any) -> None:
    """Never by everybody."""
    serve(server, unknown)
    assert groups(server) == {"1": ()}


def test_a_space_whose_permissions_are_not_told_is_read_by_nobody(server: Server) -> None:
    """And one that anybody may read without signing in by anyone."""
    serve(server, content(1), permissions=None)
    assert groups(server) == {"1": ()}
    serve(
        server,
        content(1),
        content(2, restricted(users=("bob",))),
        permissions=[permission() | {"anonymousAccess": True}],
    )
    assert groups(server) == {"1": ("anyone",), "2": ("user:bob",)}


def test_a_page_above_that_is_not_listed_is_asked_for(server: Server) -> None:
    """Its restriction counts for those below."""
    serve(server, content(1, below=(99,)))
    answer = Answer(body={"operation": "read", "restrictions": restricted(users=("alice",))})
    server.answers["/rest/api/content/99/restriction/byOperation/read"] = answer
    assert groups(server) == {"1": ("user:alice",)}


def test_labels_leave_pages_out_and_attachments_are_read_by_the_readers_of_their_page(server: Server) -> None:
    """Of the kinds that are read."""
    serve(server, content(1, restricted(users=("alice",)), attached=True), content(2, labels=("draft",)))
    files = [
        {"id": f"att{number}", "title": name, "version": {"number": 1}, "_links": {"webui": f"/x/{number}"}}
        for number, name in enumerate(("plan.pdf", "logo.svg"))
    ]
    server.answers["/rest/api/content/1/child/attachment"] = Answer(body={"results": files, "_links": {}})
    documents, left_out, _ = listing(confluence(server, without_labels=("draft",)))
    assert {key: each.groups for key, each in documents.items()} == {
        "page:1": ("user:alice",),
        "attachment:1/att0": ("user:alice",),
    }
    assert set(left_out) == {"DOCS: Page 2", "logo.svg"}
    without, _, _ = listing(confluence(server, attachments=False))
    assert set(without) == {"page:1", "page:2"}


def test_what_has_no_id_of_its_own_is_left_out(server: Server) -> None:
    """Two pages, or an attachment and another page's, would be one; and no group is everybody by its name."""
    serve(
        server,
        *[content(1) | {"id": odd} for odd in ("", "7/att1", "../space")],
        content(8, restricted(groups=("anyone",)), attached=True),
        members={"staff": ["bob"], "anyone": ["bob"]},
    )
    files = [{"id": odd, "title": "plan.pdf", "version": {"number": 1}} for odd in ("", "1/2", "att9")]
    server.answers["/rest/api/content/8/child/attachment"] = Answer(body={"results": files, "_links": {}})
    documents, left_out, _ = listing(confluence(server))
    assert {key: one.groups for key, one in documents.items()} == {"page:8": (), "attachment:8/att9": ()}
    assert set(left_out) == {"DOCS: Page 1", "plan.pdf"}


def test_pages_and_attachments_are_loaded(server: Server, elsewhere: Server) -> None:
    """A page as HTML with its title; a file from where it lies, to which the token is not sent."""
    body = {"title": "Safety & more", "body": {"export_view": {"value": "<p>Wear a helmet.</p>"}}}
    elsewhere.answers = {"/media": Answer(body=b"%PDF-1.4")}
    server.answers = {
        "/rest/api/content/7": Answer(body=body),
        "/rest/api/content/att1": Answer(body={"_links": {"download": "/download/plan.pdf?version=1"}}),
        "/download/plan.pdf": Answer(status=302, headers={"Location": f"{elsewhere.base}/media"}),
        "/rest/api/content/8": Answer(status=403),
    }
    connector = confluence(server)
    loaded = connector.load(Listed(key="page:7", name="Safety"), "")
    assert loaded is not None
    assert b"<title>Safety &amp; more</title>" in loaded.file.content
    assert b"Wear a helmet." in loaded.file.content
    loaded = connector.load(Listed(key="attachment:7/att1", name="plan.pdf"), "")
    assert loaded is not None
    assert (loaded.file.name, loaded.file.content) == ("plan.pdf", b"%PDF-1.4")
    assert [asked.headers.get("authorization") for asked in elsewhere.asked] == [None]
    for key, error in (("page:9", GoneError), ("page:8", IngestionError)):
        with pytest.raises(error):
            connector.load(Listed(key=key, name="A page"), "")


def test_an_answer_that_names_another_host_gets_no_token(server: Server, elsewhere: Server) -> None:
    """Whoever can write into an answer does not learn who asks."""
    elsewhere.answers = {"/plan.pdf": Answer(body=b"%PDF-1.4")}
    server.answers = {
        "/rest/api/content/att1": Answer(body={"_links": {"download": f"{elsewhere.base}/plan.pdf"}}),
    }
    assert confluence(server).load(Listed(key="attachment:7/att1", name="plan.pdf"), "") is not None
    assert [asked.headers.get("authorization") for asked in elsewhere.asked] == [None]


def test_the_cloud_is_asked_in_its_own_way(server: Server) -> None:
    """Below /wiki, by its query language, with the account's address."""
    members = {"results": [{"accountId": "5:bob"}], "_links": {}}
    seen = {"type": "known", "accountId": "5:bob", "email": "bob@example.org"}
    found = content(1, {"user": {"results": [seen], "size": 1}, "group": {"results": []}})
    space = {"key": "DOCS", "permissions": [permission(group={"name": "staff", "id": "g-1"})]}
    server.answers = {
        "/wiki/rest/api/user/current": Answer(body={"type": "known"}),
        "/wiki/rest/api/space": Answer(body={"results": [space], "_links": {}}),
        "/wiki/rest/api/content/search": Answer(body={"results": [found], "_links": {}}),
        "/wiki/rest/api/group/g-1/membersByGroupId": Answer(body=members),
        "/wiki/api/v2/pages/1": Answer(
            body={"title": "T", "version": {"number": 3}, "body": {"export_view": {"value": "<p>Text.</p>"}}}
        ),
        "/wiki/rest/api/content/1/child/attachment/att1/download": Answer(body=b"a,b"),
    }
    connector = confluence(server, edition="cloud", email="me@example.org")
    documents, _, error = listing(connector)
    assert error is None
    assert {key: each.groups for key, each in documents.items()} == {"page:1": ("bob@example.org",)}
    search = next(asked for asked in server.asked if asked.path.endswith("/search"))
    assert search.query["cql"] == 'space = "DOCS" and type = page'
    basic = base64.b64encode(f"me@example.org:{TOKEN}".encode()).decode()
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Basic {basic}"}
    assert connector.load(documents["page:1"], "") is not None
    assert connector.load(Listed(key="attachment:1/att1", name="a.csv"), "") is not None


@pytest.mark.parametrize(
    ("path", "answer", "error", "message"),
    [
        ("/rest/api/user/current", Answer(status=401), SourceRefusedError, "Renew them"),
        ("/rest/api/user/current", Answer(body={"type": "anonymous"}), SourceRefusedError, "Renew them"),
        ("/rest/api/space", Answer(status=403), SourceRefusedError, "does not let"),
        ("/rest/api/space", Answer(body={"results": [], "_links": {}}), SourceError, "do not show spaces: DOCS"),
        ("/rest/api/space", page("Sign in"), SourceError, "Check its address"),
        ("/rest/api/content", Answer(status=500), SourceError, "status 500"),
        (
            "/rest/api/content",
            Answer(body={"results": [], "_links": {"next": "/rest/api/content?a=1"}}),
            SourceError,
            "end",
        ),
    ],
)
def test_what_is_wrong_with_the_source_is_said_without_its_token(
    server: Server, path: str, answer: Answer, error: type[SourceError], message: str
) -> None:
    """A listing that could not be read is an error, and never an empty one."""
    serve(server)
    server.answers[path] = answer
    connector = confluence(server)
    documents, _, caught = listing(connector)
    assert (documents, type(caught)) == ({}, error)
    assert message in str(caught)
    assert TOKEN not in repr(vars(connector)) + str(caught) + repr(caught)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "naïve"])
def test_a_token_that_is_none_is_refused_without_being_shown(token: str) -> None:
    """Before anything is asked."""
    kind = kind_of("confluence")
    settings = kind.settings(address="https://wiki.example.org", edition="data_center")
    with pytest.raises(SourceRefusedError) as caught:
        kind.connect(settings, {"token": token}, access())
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"address": "https://a.atlassian.net"}, "e-mail address of the account"),
        ({"address": "https://a.example", "edition": "data_center", "spaces": ["A B"]}, "the key of a space"),
    ],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], message: str) -> None:
    """The message says what to write."""
    with pytest.raises(ValidationError, match=message):
        Settings.model_validate(settings)


def test_a_user_who_is_called_as_a_group_is_not_taken_for_it(server: Server) -> None:
    """The role that stands for the group must not read what is for the user alone."""
    serve(server, content(1, restricted(users=("staff",))), content(2, restricted(groups=("staff",))))
    assert groups(server) == {"1": (), "2": ("staff",)}
    serve(server, content(1, restricted(users=("alice",))), content(2, restricted(groups=("alice",))))
    assert groups(server)["1"] == ("user:alice",)
    serve(server, content(1, restricted(groups=("user:alice",))), content(2, restricted(users=("alice",))))
    assert groups(server) == {"1": (), "2": ("user:alice",)}
