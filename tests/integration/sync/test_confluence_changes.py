"""Test proposed changes at Confluence: draft pages, made once, and what became of them."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from pydantic import ValidationError

from core.errors import ChangedMeanwhileError, GoneError, SourceError, SourceRefusedError
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.confluence import Confluence, Settings
from core.library.sync.proposing import Change, ChangeOutcome, ChangeWay, SentChange, TakesChanges
from tests.integration.sync.served import Answer, Asked, Server, access, listing
from tests.integration.sync.test_confluence import content, group, permission

READING, WRITING = "a-token-that-reads", "a-token-that-adds-pages"
WHEN = "2024-05-01T10:00:00.000Z"
ID = "0123456789abcdef0123456789abcdef"
TITLE = "Change to Safety & more: Helmets (01234567)"
CHANGE = Change(
    proposal_id=ID,
    key="page:7",
    is_new=False,
    fingerprint=f"3 {WHEN}",
    title="Helmets",
    description="Asked by **three** people.",
    text="Wear a *helmet*.",
)
NEW = replace(CHANGE, key="DOCS", is_new=True, fingerprint="")
TAKEN = Answer(
    status=400,
    body={"errors": [{"title": "A page with this title already exists: with the same TITLE in this space"}]},
)


class Wiki:
    """One space with a page, in which drafts can be made. It answers as the cloud does, or as a Data Center."""

    def __init__(self, server: Server, *, is_cloud: bool) -> None:
        self.is_cloud, self.base = is_cloud, "/wiki" if is_cloud else ""
        self.pages: dict[str, dict[str, Any]] = {}
        self.add("7", "Safety & more", version={"number": 3, "when": WHEN})
        self.made: list[dict[str, Any]] = []  # the bodies of the requests that made drafts
        self.refused: dict[str, Answer] = {}  # answers to such requests, by the title that was asked for
        self.instead: dict[str, Answer] = {}  # answers to other requests, by method and path
        self.operations: list[dict[str, str]] = [{"operation": "create", "targetType": "page"}]  # in the cloud
        self.server = server
        paths = ["user/current", "space", "space/DOCS", "space/OTHER", "content", "content/search"]
        paths = [f"/rest/api/{path}" for path in paths] + [
            f"/api/v2/{path}" for path in ("spaces", "spaces/55/operations", "pages")
        ]
        for page in ("7", "99", "1001", "1002"):
            paths += [f"/rest/api/content/{page}", f"/api/v2/pages/{page}"]
        server.answers = dict.fromkeys((self.base + path for path in paths), self.answer)  # type: ignore[arg-type]

    def add(self, number: str, title: str, *, status: str = "current", **more: Any) -> dict[str, Any]:
        """Put a page into the space."""
        self.pages[number] = content(int(number)) | {"title": title, "status": status, "space": self.space()} | more
        self.pages[number]["_links"] = {"webui": f"/display/DOCS/{number}"}
        return self.pages[number]

    def space(self) -> dict[str, Any]:
        """Describe the space."""
        return {"key": "DOCS", "id": 55, "permissions": [permission(group=group("staff"))]}

    def answer(self, asked: Asked) -> Answer:
        """Answer as of this moment."""
        path = asked.path.removeprefix(self.base)
        if f"{asked.method} {path}" in self.instead:
            return self.instead[f"{asked.method} {path}"]
        if asked.method == "POST":
            return self._make(json.loads(asked.body))
        match path.removeprefix("/rest").removeprefix("/api").removeprefix("/v2").strip("/").split("/"):
            case ["user", "current"]:
                return Answer(body={"type": "known"})
            case ["space"] | ["spaces"]:
                is_asked = asked.query.get("keys", "DOCS") == "DOCS"
                return _list([self.space()] if is_asked else [])
            case ["spaces", "55", "operations"]:
                return Answer(body={"operations": self.operations})
            case ["space", "DOCS"]:
                return Answer(body=self.space())
            case ["content" | "pages"]:
                return self._find(asked)
            case ["content", "search"]:
                number = asked.query["cql"].partition('id = "')[2].partition('"')[0]
                shown = [page for page in self.pages.values() if page["status"] == "current"]
                return _list([page for page in shown if number in {"", page["id"]}])
            case ["content" | "pages", number]:
                return self._show(number, asked)
        return Answer(status=404)

    def _find(self, asked: Asked) -> Answer:
        status = asked.query.get("status", "current")
        if path_is_v2(asked) and status == "draft":
            return Answer(status=400)  # its second interface lists no drafts
        found = [page for page in self.pages.values() if page["status"] == status]
        return _list([page for page in found if asked.query.get("title", page["title"]) == page["title"]])

    def _show(self, number: str, asked: Asked) -> Answer:
        page = self.pages.get(number, {"status": "gone"})
        shown = {"current", "archived", "draft"} if "get-draft" in asked.query else {"current", "archived"}
        if not path_is_v2(asked):
            shown = {asked.query.get("status", "current")}
        return Answer(body=page) if page["status"] in shown else Answer(status=404)

    def _make(self, body: dict[str, Any]) -> Answer:
        if body["title"] in self.refused:
            return self.refused[body["title"]]
        self.made.append(body)
        page = self.add(str(1000 + len(self.made)), body["title"], status=body["status"])
        link = f"/pages/resumedraft.action?draftId={page['id']}&draftShareId=1-2"
        page["_links"] |= {"editui" if self.is_cloud else "edit": link}
        return Answer(body=page)


def _list(pages: list[dict[str, Any]]) -> Answer:
    return Answer(body={"results": pages, "_links": {}})


def path_is_v2(asked: Asked) -> bool:
    """Return True for a request to the second interface of the cloud."""
    return "/api/v2/" in asked.path


@pytest.fixture(params=["cloud", "data_center"])
def wiki(request: pytest.FixtureRequest, server: Server) -> Wiki:
    """One of each edition."""
    return Wiki(server, is_cloud=request.param == "cloud")


def settings_of(wiki: Wiki, **more: Any) -> Settings:
    """Settings of a source that takes changes."""
    given = {"address": wiki.server.base, "edition": "data_center", "spaces": ("DOCS",), "changes": True}
    given |= {"edition": "cloud", "email": "reader@example.org"} if wiki.is_cloud else {}
    return Settings(**(given | more))


def drafts(wiki: Wiki, **more: Any) -> TakesChanges:
    """Connect for changes as the worker does."""
    connect = kind_of("confluence").connect_for_changes
    assert connect is not None
    return connect(settings_of(wiki, **more), {"token": READING, "change_token": WRITING}, access())


def body_of(made: dict[str, Any]) -> str:
    """Return the text of a draft as it was sent, in the storage format."""
    body = made["body"] if "value" in made["body"] else made["body"]["storage"]
    assert body["representation"] == "storage"
    return str(body["value"])


def elements(storage: str) -> Iterator[ElementTree.Element]:
    """Parse a text in the storage format as XML; ParseError for what is not well-formed."""
    return ElementTree.fromstring(f'<page xmlns:ac="urn:ac">{storage}</page>').iter()  # noqa: S314 - of our own making


def test_a_draft_is_made_below_its_page(wiki: Wiki) -> None:
    """In the page's space, with the text first and what it is about folded away, by the account that may add pages."""
    sent = drafts(wiki).propose(CHANGE)
    (made,) = wiki.made
    body = made.pop("body")
    place: dict[str, Any] = {"type": "page", "space": {"key": "DOCS"}, "ancestors": [{"id": "7"}]}
    place = {"spaceId": "55", "parentId": "7"} if wiki.is_cloud else place
    assert made == {"title": TITLE, "status": "draft"} | place
    assert body_of({"body": body}) == (
        "<p>Wear a <em>helmet</em>.</p>\n<hr />"
        '<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">'
        "About this change (remove this part before you publish the page)</ac:parameter>"
        "<ac:rich-text-body><p>Asked by <strong>three</strong> people.</p>\n</ac:rich-text-body></ac:structured-macro>"
    )
    url = f"{wiki.server.base}{wiki.base}/pages/resumedraft.action?draftId=1001&draftShareId=1-2"
    assert sent == SentChange(item_key="page:1001", number="1001", url=url)
    basic = base64.b64encode(f"reader@example.org:{WRITING}".encode()).decode()
    expected = f"Basic {basic}" if wiki.is_cloud else f"Bearer {WRITING}"
    assert {asked.headers["authorization"] for asked in wiki.server.asked} == {expected}


def test_a_new_page_is_made_at_the_top_of_its_space(wiki: Wiki) -> None:
    """Under its own title, with no page above."""
    assert drafts(wiki).propose(NEW).item_key == "page:1001"
    (made,) = wiki.made
    del made["body"]
    place = {"spaceId": "55"} if wiki.is_cloud else {"type": "page", "space": {"key": "DOCS"}}
    assert made == {"title": "Helmets (01234567)", "status": "draft"} | place


@pytest.mark.parametrize("change", [CHANGE, NEW], ids=["page", "new"])
@pytest.mark.parametrize("status", ["draft", "current"])
def test_a_second_attempt_makes_nothing_twice(wiki: Wiki, change: Change, status: str) -> None:
    """It finds the page of the first one, whether an editor has published it by then or not."""
    first = drafts(wiki).propose(change)
    wiki.pages["1001"]["status"] = status
    assert drafts(wiki).propose(change) == first
    assert len(wiki.made) == 1
    other = drafts(wiki).propose(replace(change, proposal_id="f" * 32))
    assert (other.number, len(wiki.made)) == ("1002", 2)


def test_a_draft_of_before_is_found_although_its_page_was_changed_since(wiki: Wiki) -> None:
    """The first attempt was in time, and nothing would tell of its draft any more."""
    first = drafts(wiki).propose(CHANGE)
    wiki.pages["7"]["version"]["number"] = 4
    assert drafts(wiki).propose(CHANGE) == first


def test_a_cloud_that_lists_no_drafts_gets_one_all_the_same(server: Server) -> None:
    """The first interface may be taken back."""
    wiki = Wiki(server, is_cloud=True)
    wiki.instead["GET /rest/api/content"] = Answer(status=410)
    assert drafts(wiki).propose(CHANGE).number == "1001"


def test_a_taken_title_gets_another_ending(wiki: Wiki) -> None:
    """As of a page in the archive, which no listing shows; a second attempt finds what was made then."""
    wiki.refused[TITLE] = TAKEN
    sent = drafts(wiki).propose(CHANGE)
    assert [made["title"] for made in wiki.made] == [TITLE.replace("(01234567)", "(01234567-2)")]
    assert drafts(wiki).propose(CHANGE) == sent
    assert len(wiki.made) == 1


def test_titles_that_are_all_taken_are_an_error(wiki: Wiki) -> None:
    """After three of them."""
    for ending in ("", "-2", "-3"):
        wiki.refused[TITLE.replace(")", f"{ending})")] = TAKEN
    with pytest.raises(SourceError, match="other pages with each of the titles"):
        drafts(wiki).propose(CHANGE)


def test_a_long_title_is_cut(wiki: Wiki) -> None:
    """To what Confluence takes, with the ending by which it is found, on one line."""
    wiki.pages["7"]["title"] = "Safety\n" * 60
    drafts(wiki).propose(CHANGE)
    (made,) = wiki.made
    assert len(made["title"]) == 255
    assert made["title"].startswith("Change to Safety Safety")
    assert made["title"].endswith("… (01234567)")
    assert drafts(wiki).propose(CHANGE).number == "1001"
    assert len(wiki.made) == 1


HOSTILE = """<script>alert(1)</script> and <ac:structured-macro ac:name="html" />

<div onclick="x()">block</div>

[run](javascript:alert(1)) [data](data:text/html,x) [other](//evil.example) [here](/admin) [odd](https:evil)
[site](https://example.org/?a=1&b="2" "a \\" title") [mail](mailto:a@example.org) <https://example.org/auto>
![picture](https://evil.example/pixel.png) &lt;script&gt; \x0b\x1b\ufffe &#27; ]]> "quoted" & plain

```html" onload="x
</code></pre><script>alert(2)</script>
```

| a | b |
|---|--:|
| <b>1</b> | 2 |

</ac:rich-text-body></ac:structured-macro>
"""


def test_no_markup_but_markdowns_gets_into_a_page(wiki: Wiki) -> None:
    """In the text and in the description: tags are text, links lead to the web or to a mailbox, nothing is loaded."""
    drafts(wiki).propose(replace(CHANGE, text=HOSTILE, description=HOSTILE))
    storage = body_of(wiki.made[0])
    found = list(elements(storage))
    allowed = {*("page", "p", "a", "hr", "pre", "code", "table", "thead", "tbody", "tr", "th", "td")}
    macro = {"{urn:ac}structured-macro", "{urn:ac}parameter", "{urn:ac}rich-text-body"}
    assert {element.tag for element in found} == allowed | macro
    assert sum(element.tag in macro for element in found) == 3
    links = {"https://example.org/?a=1&b=%222%22", "mailto:a@example.org", "https://example.org/auto"}
    assert {element.get("href") for element in found if element.tag == "a"} == links | {
        "https://evil.example/pixel.png"  # a link, and no picture
    }
    kinds = {name for element in found for name in element.keys()}  # noqa: SIM118 - an element is no mapping
    assert kinds == {"href", "title", "class", "style", "{urn:ac}name"}
    words = "".join(next(elements(storage)).itertext())
    assert words.count("<script>alert(1)</script>") == words.count("<script>alert(2)</script>") == 2


def test_a_page_that_was_changed_meanwhile_gets_no_draft(wiki: Wiki) -> None:
    """By its number, or by its time: versions are numbered anew when one is deleted."""
    for fingerprint in (f"2 {WHEN}", "3 2024-05-01T09:00:00.000Z", "3", ""):
        with pytest.raises(ChangedMeanwhileError):
            drafts(wiki).propose(replace(CHANGE, fingerprint=fingerprint))
    assert wiki.made == []


@pytest.mark.parametrize("key", ["page:99", "page:", 'page:7" or id = "7', "attachment:7/7", "page:../7"])
def test_a_page_that_is_not_there_gets_no_draft(wiki: Wiki, key: str) -> None:
    """Nor does what is no key of a page."""
    with pytest.raises(GoneError):
        drafts(wiki).propose(replace(CHANGE, key=key))
    assert wiki.made == []


def test_a_page_in_the_bin_or_in_another_space_gets_no_draft(wiki: Wiki) -> None:
    """Its pages are not read, so that the change would never arrive."""
    wiki.pages["7"]["status"] = "trashed"
    with pytest.raises(GoneError):
        drafts(wiki).propose(CHANGE)
    wiki.pages["7"] |= {"status": "current", "space": {"key": "OTHER", "id": 56}}
    with pytest.raises(GoneError):
        drafts(wiki).propose(CHANGE)
    assert drafts(wiki, spaces=()).propose(CHANGE).number == "1001"


def test_a_space_that_is_not_read_gets_no_page(wiki: Wiki) -> None:
    """One that the source leaves out, and one that Confluence does not show."""
    for spaces in (("DOCS",), ()):
        with pytest.raises(GoneError, match="OTHER"):
            drafts(wiki, spaces=spaces).propose(replace(NEW, key="OTHER"))
    assert wiki.made == []


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("draft", ChangeOutcome.OPEN),
        ("current", ChangeOutcome.MERGED),
        ("trashed", ChangeOutcome.DECLINED),
        ("archived", ChangeOutcome.DECLINED),
    ],
)
def test_what_became_of_a_draft(wiki: Wiki, status: str, outcome: ChangeOutcome) -> None:
    """Published, open, or in the bin."""
    sent = drafts(wiki).propose(CHANGE)
    wiki.pages[sent.number]["status"] = status
    assert drafts(wiki).find_outcome(sent) == outcome


def test_a_draft_that_was_deleted_is_declined(wiki: Wiki) -> None:
    """A deleted draft is in no bin."""
    sent = drafts(wiki).propose(CHANGE)
    del wiki.pages[sent.number]
    assert drafts(wiki).find_outcome(sent) == ChangeOutcome.DECLINED


def test_a_published_draft_is_listed_under_its_key(wiki: Wiki) -> None:
    """A draft is not."""
    sent = drafts(wiki).propose(CHANGE)
    connector = Confluence(settings_of(wiki), READING, access())
    documents, _, error = listing(connector)
    assert (set(documents), error) == ({"page:7"}, None)
    wiki.pages[sent.number]["status"] = "current"
    documents, _, _ = listing(connector)
    assert set(documents) == {"page:7", sent.item_key}


@pytest.mark.parametrize("status", [403, 404])
def test_an_account_that_may_not_add_pages_is_told_what_to_do(wiki: Wiki, status: int) -> None:
    """The cloud says 404 for that."""
    wiki.refused[TITLE] = Answer(status=status)
    with pytest.raises(SourceRefusedError, match=r"may not add pages to the space DOCS\. Give it that") as no:
        drafts(wiki).propose(CHANGE)
    assert WRITING not in str(no.value) + repr(no.value)


def test_a_refused_token_is_named_and_not_shown(wiki: Wiki) -> None:
    """It is that for proposed changes which has to be renewed, be it refused or taken for nobody's."""
    search = "/rest/api/content/search" if wiki.is_cloud else "/rest/api/content/7"
    for instead in (
        {f"GET {search}": Answer(status=401)},
        {f"GET {search}": Answer(status=404), "GET /rest/api/user/current": Answer(body={"type": "anonymous"})},
        {f"GET {search}": Answer(status=404), "GET /rest/api/user/current": Answer(status=403)},
    ):
        wiki.instead = instead
        with pytest.raises(SourceRefusedError, match="the token for proposed changes") as no:
            drafts(wiki).propose(CHANGE)
        assert WRITING not in str(no.value) + repr(no.value)
        assert no.value.__cause__ is None


def test_nothing_is_taken_for_declined_by_an_account_that_nobody_knows(wiki: Wiki) -> None:
    """Nor while Confluence does not answer."""
    sent = drafts(wiki).propose(CHANGE)
    del wiki.pages[sent.number]
    wiki.instead = {"GET /rest/api/user/current": Answer(body={"type": "anonymous"})}
    with pytest.raises(SourceRefusedError):
        drafts(wiki).find_outcome(sent)
    first = f"GET /api/v2/pages/{sent.number}" if wiki.is_cloud else f"GET /rest/api/content/{sent.number}"
    wiki.instead = {first: Answer(status=500)}
    with pytest.raises(SourceError, match="status 500"):
        drafts(wiki).find_outcome(sent)


def test_looking_for_drafts_without_leave_is_refused(wiki: Wiki) -> None:
    """Nothing is made that could not be found again."""
    wiki.instead = {"GET /api/v2/pages" if wiki.is_cloud else "GET /rest/api/content": Answer(status=403)}
    with pytest.raises(SourceRefusedError, match="Give it the permissions"):
        drafts(wiki).propose(CHANGE)
    assert wiki.made == []


def test_a_page_that_may_have_been_made_is_not_asked_for_again_at_once(wiki: Wiki) -> None:
    """After 503 the next attempt looks for it first."""
    wiki.refused[TITLE] = Answer(status=503)
    with pytest.raises(SourceError, match="status 503"):
        drafts(wiki).propose(CHANGE)
    assert [asked.method for asked in wiki.server.asked].count("POST") == 1


@pytest.mark.parametrize("link", ["https://evil.example/", "//evil.example/", '/x"><script>', "/a b", ""])
def test_the_address_of_a_draft_is_below_confluence(wiki: Wiki, link: str) -> None:
    """Whatever the answer says."""
    drafts(wiki).propose(CHANGE)
    wiki.pages["1001"]["_links"] = {"webui": link, "edit": link, "editui": link}
    url = f"{wiki.server.base}{wiki.base}/pages/resumedraft.action?draftId=1001"
    assert drafts(wiki).propose(CHANGE).url == url


def test_a_draft_without_an_id_is_an_error(wiki: Wiki) -> None:
    """Nobody could say what became of it."""
    wiki.refused[TITLE] = Answer(body={"title": TITLE, "id": "a/b"})
    with pytest.raises(SourceError, match="did not name it"):
        drafts(wiki).propose(CHANGE)


def test_another_account_may_add_the_pages(server: Server) -> None:
    """In the cloud it has an address of its own."""
    wiki = Wiki(server, is_cloud=True)
    drafts(wiki, change_email="editor@example.org").propose(CHANGE)
    basic = base64.b64encode(f"editor@example.org:{WRITING}".encode()).decode()
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Basic {basic}"}


def test_changes_are_taken_where_the_settings_say_so(server: Server) -> None:
    """And with a token of their own, never with that which reads."""
    kind, wiki = kind_of("confluence"), Wiki(server, is_cloud=False)
    assert kind.find_way(settings_of(wiki, changes=False)) is None
    assert kind.find_way(settings_of(wiki)) == ChangeWay.DRAFT_PAGE
    assert kind.connect_for_changes is not None
    with pytest.raises(SourceRefusedError, match="There is no token for proposed changes"):
        kind.connect_for_changes(settings_of(wiki), {"token": READING}, access())
    with pytest.raises(ValidationError, match="the account that may add pages"):
        settings_of(Wiki(server, is_cloud=True), change_email="nobody")


def test_a_check_asks_for_the_account_and_its_permissions(wiki: Wiki) -> None:
    """With the token for proposed changes alone, and makes nothing."""
    drafts(wiki).check()
    paths = ["/rest/api/user/current", "/rest/api/space/DOCS"]
    if wiki.is_cloud:
        paths = ["/rest/api/user/current", "/api/v2/spaces", "/api/v2/spaces/55/operations"]
    assert [(asked.method, asked.path) for asked in wiki.server.asked] == [("GET", wiki.base + path) for path in paths]
    basic = base64.b64encode(f"reader@example.org:{WRITING}".encode()).decode()
    expected = f"Basic {basic}" if wiki.is_cloud else f"Bearer {WRITING}"
    assert {asked.headers["authorization"] for asked in wiki.server.asked} == {expected}


def test_a_check_of_all_spaces_asks_for_the_account_alone(wiki: Wiki) -> None:
    """The settings name none of which it could ask."""
    drafts(wiki, spaces=()).check()
    assert wiki.server.paths() == [f"{wiki.base}/rest/api/user/current"]


def test_a_check_looks_at_three_spaces_at_most(wiki: Wiki) -> None:
    """Somebody waits for it."""
    spaces = [{"key": key, "id": 55} for key in ("A", "B", "C", "D")]
    wiki.instead["GET /api/v2/spaces"] = Answer(body={"results": spaces})
    for space in spaces:
        wiki.server.answers[f"{wiki.base}/rest/api/space/{space['key']}"] = Answer(body=space)
    drafts(wiki, spaces=("D", "C", "B", "A")).check()
    assert len(wiki.server.asked) == 1 + 3 * (2 if wiki.is_cloud else 1)
    asked = {asked.query.get("keys", asked.path.rpartition("/")[2]) for asked in wiki.server.asked}
    assert {"A", "B", "C"} < asked
    assert "D" not in asked


def test_a_check_names_the_token_that_is_refused(wiki: Wiki) -> None:
    """Be it unknown to Confluence, or taken for nobody's."""
    for answer in (Answer(status=401), Answer(status=403), Answer(body={"type": "anonymous"})):
        wiki.instead = {"GET /rest/api/user/current": answer}
        with pytest.raises(SourceRefusedError, match="refuses the token for proposed changes") as no:
            drafts(wiki).check()
        assert WRITING not in str(no.value) + repr(no.value)


def test_a_check_finds_an_account_that_only_reads(server: Server) -> None:
    """In the cloud, which tells what who asks may do; what it does not tell is not held against the account."""
    wiki = Wiki(server, is_cloud=True)
    wiki.operations = [{"operation": "read", "targetType": "space"}, {"operation": "create", "targetType": "comment"}]
    with pytest.raises(SourceRefusedError, match=r"may not add pages to the space DOCS\. Give it that permission"):
        drafts(wiki).check()
    wiki.instead["GET /api/v2/spaces/55/operations"] = Answer(status=410)
    drafts(wiki).check()


def test_a_check_finds_a_space_that_is_not_shown(wiki: Wiki) -> None:
    """The account for proposed changes may be another than the one that reads."""
    with pytest.raises(SourceRefusedError, match=r"no space OTHER, or the account .* Give the account the permissions"):
        drafts(wiki, spaces=("OTHER",)).check()
