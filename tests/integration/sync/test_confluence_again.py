"""Test the second look at a Confluence page after it was loaded: its readers now, and whether it is unchanged."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.errors import ChangedMeanwhileError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed, TellsReaders
from core.library.sync.kinds.confluence import Confluence
from tests.integration.sync.served import Answer, Asked, Server, listing
from tests.integration.sync.test_confluence import confluence, group, permission, restricted, user

PERMISSIONS = [permission(group=group("staff")), permission(user=user("alice"))]


class Wiki:
    """A space with pages, and the answers about them. Its details of the pages above depend on its settings."""

    def __init__(self, server: Server, *, is_cloud: bool, tells_above: bool) -> None:
        self.is_cloud, self.tells_above = is_cloud, tells_above
        self.restrictions: dict[str, Any] = {}
        self.above: dict[str, list[str]] = {"home": [], "plans": ["home"], "pier": ["home", "plans"]}
        self.versions = {page: {"number": 1, "when": "2024-05-01T10:00:00.000Z"} for page in self.above}
        self.permissions: list[dict[str, Any]] = PERMISSIONS
        self.members: dict[str, list[str]] = {"staff": ["alice", "bob"], "board": ["bob"]}
        self.attachments: dict[str, Any] = {"att1": {"number": 7, "when": "2024-05-01T10:00:00.000Z"}}
        self.status: dict[str, str] = {}
        self.before: Callable[[Asked], None] = lambda asked: None  # what happens before an answer is given
        self.server = server
        server.answers = dict.fromkeys(self.paths(), self.answer)  # type: ignore[arg-type]
        self.connector = confluence(server, edition="cloud", email="me@example.org") if is_cloud else confluence(server)

    def paths(self) -> Iterator[str]:
        """All that is answered."""
        base = "/wiki" if self.is_cloud else ""
        yield from (f"{base}/rest/api/{path}" for path in ("user/current", "space", "space/DOCS", "content"))
        yield f"{base}/rest/api/content/search"
        for page in self.above:
            yield f"{base}/rest/api/content/{page}"
            yield f"{base}/rest/api/content/{page}/restriction/byOperation/read"
            yield f"{base}/rest/api/content/{page}/child/attachment"
        for name in self.members:
            yield f"{base}/rest/api/group/{name}/member"
            yield f"{base}/rest/api/group/{name}/membersByGroupId"

    def answer(self, asked: Asked) -> Answer:
        """The answer of this moment."""
        self.before(asked)
        match asked.path.removeprefix("/wiki").removeprefix("/rest/api/").split("/"):
            case ["user", "current"]:
                return Answer(body={"type": "known"})
            case ["space"]:
                return self._list([{"key": "DOCS", "permissions": self.permissions}])
            case ["space", "DOCS"]:
                return Answer(body={"key": "DOCS", "permissions": self.permissions})
            case ["content"]:
                return self._list([self.content(page) for page in self.above])
            case ["content", "search"]:
                return self._search(asked)
            case ["content", page]:
                return self._page(page, asked)
            case ["content", page, "restriction", *_]:
                return Answer(body={"restrictions": self.restrictions.get(page, restricted())})
            case ["content", page, "child", "attachment"]:
                return self._list(self._attachments() if page == "pier" else [])
            case ["group", name, _]:
                return self._list([user(member) | {"accountId": member} for member in self.members[name]])
        return Answer(status=404)

    def content(self, page: str, expand: str = "") -> dict[str, Any]:
        """A page in an answer."""
        above: list[dict[str, Any]] = [{"id": each} for each in self.above[page]]
        space: dict[str, Any] = {"key": "DOCS"}
        if self.tells_above and "ancestors.restrictions" in expand:
            above = [{"id": each, "restrictions": self._told(each)} for each in self.above[page]]
        if self.tells_above and "space.permissions" in expand:
            space["permissions"] = self.permissions
        return {
            "id": page,
            "title": page,
            "status": self.status.get(page, "current"),
            "version": self.versions[page],
            "ancestors": above,
            "space": space,
            "metadata": {"labels": {"results": []}},
            "childTypes": {"attachment": {"value": page == "pier"}},
            "restrictions": self._told(page),
            "_links": {"webui": f"/display/{page}"},
        }

    def _told(self, page: str) -> dict[str, Any]:
        return {"read": {"restrictions": self.restrictions.get(page, restricted())}}

    def _list(self, results: list[Any]) -> Answer:
        return Answer(body={"results": results, "_links": {}})

    def _search(self, asked: Asked) -> Answer:
        wanted = [
            page for page in self.above if f'id = "{page}"' in asked.query["cql"] or "space =" in asked.query["cql"]
        ]
        return self._list([self.content(page, asked.query["expand"]) for page in wanted])

    def _page(self, page: str, asked: Asked) -> Answer:
        is_there = page in self.above
        return Answer(body=self.content(page, asked.query.get("expand", ""))) if is_there else Answer(status=404)

    def _attachments(self) -> list[dict[str, Any]]:
        return [
            {"id": name, "title": "plan.pdf", "version": version, "_links": {"webui": f"/x/{name}"}}
            for name, version in self.attachments.items()
        ]


@pytest.fixture(params=["cloud", "cloud, step by step", "data center", "data center, step by step"])
def wiki(request: pytest.FixtureRequest, server: Server) -> Wiki:
    """The cloud and a server of one's own, each telling of the pages above in one answer or when it is asked."""
    return Wiki(server, is_cloud="cloud" in request.param, tells_above="step" not in request.param)


def listed(wiki: Wiki) -> dict[str, Listed]:
    """Return the listed documents."""
    documents, _, error = listing(wiki.connector)
    assert error is None
    return documents


def look_again(wiki: Wiki, one: Listed) -> Listed | None:
    """Look at a page again."""
    assert isinstance(wiki.connector, TellsReaders)
    return wiki.connector.look_again(one)


PIER, ATTACHMENT = "page:pier", "attachment:pier/att1"


def test_what_stays_is_as_it_was_listed(wiki: Wiki) -> None:
    """Pages and attachments; one request is enough for a page where it has those above."""
    wiki.restrictions["plans"] = restricted(users=("alice",))
    found = listed(wiki)
    assert {key: one.groups for key, one in found.items()} == {
        "page:home": ("staff", "user:alice"),
        "page:plans": ("user:alice",),
        PIER: ("user:alice",),
        ATTACHMENT: ("user:alice",),
    }
    for one in found.values():
        assert look_again(wiki, one) == one
    if wiki.tells_above:
        wiki.server.asked.clear()
        look_again(wiki, found["page:home"])
        assert len(wiki.server.asked) == 1


@pytest.mark.parametrize("key", [PIER, ATTACHMENT])
@pytest.mark.parametrize("page", ["home", "plans", "pier"])
def test_a_restriction_of_now_counts(wiki: Wiki, key: str, page: str) -> None:
    """Of the page and of each one above it, though the version stays."""
    one = listed(wiki)[key]
    wiki.restrictions[page] = restricted(groups=("board",))
    now = look_again(wiki, one)
    assert now is not None
    assert (now.groups, now.fingerprint) == (("board",), one.fingerprint)
    wiki.members["board"].append("charlie")
    now = look_again(wiki, one)
    assert now is not None
    assert now.groups == ()
    wiki.restrictions.clear()
    assert look_again(wiki, one) == one


def test_a_page_that_was_moved_or_shut_out_with_its_space(wiki: Wiki) -> None:
    """Below a page that is restricted; in a space that is for others now."""
    wiki.restrictions["plans"] = restricted(users=("alice",))
    found = listed(wiki)
    wiki.above["pier"] = ["home"]
    now = look_again(wiki, found[PIER])
    assert now is not None
    assert now.groups == ("staff", "user:alice")
    wiki.permissions = [permission(group=group("board"))]
    now = look_again(wiki, found[PIER])
    assert now is not None
    assert now.groups == ("board",)


def test_what_was_rewritten_has_another_fingerprint(wiki: Wiki) -> None:
    """That of the next listing; also when it got a number that was in use before."""
    found = listed(wiki)
    wiki.versions["pier"] = {"number": 1, "when": "2024-06-01T10:00:00.000Z"}
    wiki.attachments["att1"] = {"number": 8, "when": "2024-06-01T10:00:00.000Z"}
    wiki.restrictions["pier"] = restricted(users=("alice",))
    after = listed(wiki)
    for key in (PIER, ATTACHMENT):
        assert look_again(wiki, found[key]) == after[key]
        assert after[key].fingerprint != found[key].fingerprint
        assert look_again(wiki, after[key]) == after[key]


def test_what_is_gone_is_nothing(wiki: Wiki) -> None:
    """Or in the bin, or a draft again; an attachment goes with its page."""
    found = listed(wiki)
    del wiki.attachments["att1"]
    assert look_again(wiki, found[ATTACHMENT]) is None
    wiki.attachments["att1"] = {"number": 1}
    wiki.status["pier"] = "trashed"
    assert look_again(wiki, found[PIER]) is None
    del wiki.status["pier"], wiki.above["pier"]
    assert look_again(wiki, found[PIER]) is None
    assert look_again(wiki, found[ATTACHMENT]) is None


def test_a_page_above_that_cannot_be_told_along_is_asked_for(wiki: Wiki) -> None:
    """Confluence gives no answer at all when such a page is a draft or in the bin."""
    one = listed(wiki)[PIER]
    answer = wiki.answer

    def without_above(asked: Asked) -> Answer:
        return Answer(status=404) if "ancestors.restrictions" in asked.query.get("expand", "") else answer(asked)

    wiki.server.answers = dict.fromkeys(wiki.server.answers, without_above)
    wiki.restrictions["plans"] = restricted(users=("alice",))
    now = look_again(wiki, one)
    assert now is not None
    assert now.groups == ("user:alice",)


def happens(wiki: Wiki, turn: int, what: Callable[[], None]) -> None:
    """Have something happen before an answer is given, by its number."""
    turns = iter([*[lambda: None] * (turn - 1), what])
    wiki.before = lambda asked: next(turns, lambda: None)()


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("is_opened", [True, False])
@pytest.mark.parametrize("key", [PIER, ATTACHMENT])
def test_readers_belong_to_the_content(wiki: Wiki, key: str, turn: int, *, is_opened: bool) -> None:
    """No look finds what was secret with the readers that came after, nor what is secret now with those before."""
    alice = {"plans": restricted(users=("alice",))}
    wiki.restrictions = alice if is_opened else {}
    one = listed(wiki)[key]

    def rewrite() -> None:
        wiki.versions["pier"] = wiki.attachments["att1"] = {"number": 9}
        wiki.restrictions = {} if is_opened else alice

    happens(wiki, turn, rewrite)
    now = look_again(wiki, one)
    assert now is not None
    is_secret = (now.fingerprint == one.fingerprint) == is_opened
    assert now.groups == ("user:alice",) or not is_secret


@pytest.mark.parametrize("turn", range(1, 9))
def test_members_belong_to_the_content(wiki: Wiki, turn: int) -> None:
    """A group that may read what is there now could not read what was there before."""
    wiki.restrictions["pier"] = restricted(groups=("board",))
    wiki.members["board"] = ["bob", "charlie"]  # who is no staff
    one = listed(wiki)[PIER]
    assert one.groups == ()

    def clear() -> None:
        wiki.versions["pier"] = {"number": 9}
        wiki.members["board"] = ["bob"]

    happens(wiki, turn, clear)
    now = look_again(wiki, one)
    assert now is not None
    assert now.groups == () or now.fingerprint != one.fingerprint


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize(("before", "after"), [("home", "plans"), ("plans", "home"), ("pier", "home")])
def test_a_restriction_that_is_moved_meanwhile_is_not_missed(wiki: Wiki, before: str, after: str, turn: int) -> None:
    """It holds at each moment, now at one page and now at another."""
    wiki.restrictions[before] = restricted(users=("alice",))
    one = listed(wiki)[PIER]

    def move() -> None:
        wiki.restrictions = {after: restricted(users=("alice",))}

    happens(wiki, turn, move)
    now = look_again(wiki, one)
    assert now is not None
    assert now.groups == ("user:alice",)


def test_a_page_that_never_stays_is_not_described(server: Server) -> None:
    """It ends after some looks; a page without a version is not described either."""
    wiki = Wiki(server, is_cloud=False, tells_above=False)
    one = listed(wiki)[PIER]

    def edit(asked: Asked) -> None:
        wiki.versions["pier"] = {"number": len(server.asked)}

    wiki.before = edit
    with pytest.raises(ChangedMeanwhileError):
        look_again(wiki, one)
    wiki.before = lambda asked: None
    wiki.versions["pier"] = {}
    with pytest.raises(IngestionError, match="not certain"):
        look_again(wiki, one)


@pytest.mark.parametrize(("status", "error"), [(401, SourceRefusedError), (500, SourceError)])
def test_a_confluence_that_does_not_answer_has_not_lost_the_page(
    wiki: Wiki, status: int, error: type[SourceError]
) -> None:
    """It is asked again."""
    one = listed(wiki)[PIER]
    wiki.server.answers = dict.fromkeys(wiki.server.answers, Answer(status=status))
    with pytest.raises(error):
        look_again(wiki, one)


def test_another_version_is_not_loaded_as_the_one_that_was_listed(server: Server) -> None:
    """Its readers may be others. Of an attachment the cloud is asked for that version."""
    body = {"title": "Pier", "version": {"number": 2}, "body": {"export_view": {"value": "<p>Sold.</p>"}}}
    server.answers = {
        "/rest/api/content/1": Answer(body=body),
        "/rest/api/content/att1": Answer(body={"version": {"number": 2}, "_links": {"download": "/plan.pdf"}}),
        "/wiki/api/v2/pages/1": Answer(body=body),
        "/wiki/rest/api/content/1/child/attachment/att1/download": lambda asked: Answer(body=asked.query["version"]),
    }

    def load(connector: Confluence, key: str) -> bytes:
        loaded = connector.load(Listed(key=key, name="plan.pdf", fingerprint="1 2024-05-01T10:00:00.000Z"), "")
        assert loaded is not None
        return loaded.file.content

    cloud = confluence(server, edition="cloud", email="me@example.org")
    for connector, key in (
        (confluence(server), "page:1"),
        (confluence(server), "attachment:1/att1"),
        (cloud, "page:1"),
    ):
        with pytest.raises(ChangedMeanwhileError):
            load(connector, key)
    assert load(cloud, "attachment:1/att1") == b"1"
