"""Test that no address reveals a forbidden document: neither by a byte nor by a statement.

Addresses are those of the URL resolver, the admin's registered pages and the tools of MCP. One that is new has to be
given its values here first: until somebody has decided which, the tests fail.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from pytest_django.fixtures import Settings

import adminsite.admin  # noqa: F401 - registers the pages
from adminsite.api.urls import VIEWS
from core.mcp.tools import TOOLS
from core.models import AuthToken, Document, Research, User
from core.testing import Cast
from tests.integration.leaks.addresses import Request, Said, differences, fill, marks_in, routes, say
from tests.integration.leaks.hidden import (
    CANTEEN_QUESTION,
    DOCUMENT,
    FILE_NAMES,
    NAMES,
    NOWHERE,
    SECRETS,
    SECTION,
    WORDS,
    Hidden,
    Secret,
    reword,
    stock,
    with_all_hidden,
    with_hidden,
)

pytestmark = pytest.mark.usefixtures("fast")
API, ADMIN = "api/v1/", "admin/"
LOOKING = ("core", "bot", "auth", "procrastinate")
DOCUMENTS = {"view_document", "view_chunk"}  # what shows titles, and texts to who may read them
PAGES_OF_DOCUMENTS = ("/admin/core/document/", "/admin/core/chunk/", "/admin/core/role/")
LISTING_FILES = {"ingestionjob", "syncitem", "syncrun"}
ADDRESS = "https://www.example.com/a"
# What names a row in the routes of the admin that are no model's own, and of the other pages: the model it is of.
MODEL_OF = {
    "citations/": "core.citation",
    "contradictions/": "core.sourcecontradiction",
    "documents/": "core.document",
    "research/": "core.research",
    "api/v1/research/": "core.research",
    "api/v1/documents/": "core.document",
    "api/v1/conversations/": "core.conversation",
    "api/v1/ingestion/": "core.ingestionjob",
    "api/v1/roles/": "core.role",
    "api/v1/verified-answers/": "core.verifiedanswer",
    "api/v1/proposed-changes/": "core.proposedchange",
    "api/v1/change-checks/": "core.changecheck",
    "admin/core/role/undo/": "core.auditevent",
    "admin/r/": "core.document",
}
# Filters of lists, with what the hidden document alone has.
FILTERS = {
    "title": "Zanzibar",
    "name": "Zanzibar",
    "collection": "Vault shelf",
    "document_type": "page",
    "date_from": "2000-01-01",
    "date_to": "2100-01-01",
    "since": "2000-01-01",
    "until": "2100-01-01",
    "state": "",
    "kind": "grants",
    "mine": "true",
    "format": "json",
}


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http; addresses that there are on somebody's own machine alone are not asked."""
    settings.SECURE_SSL_REDIRECT = False


def ids_in(route: str, hidden: Hidden) -> dict[str, Any]:
    """Return values for the parameters of a route, always those of the hidden document."""
    named = next((model for start, model in MODEL_OF.items() if route.startswith(start)), "")
    if not named and route.startswith(ADMIN):
        named = ".".join(route.split("/")[1:3])
    key = hidden.first(named)
    values: dict[str, Any] = dict.fromkeys(("pk", "object_id", "id"), key)
    values |= {f"{named.split('.')[-1]}_id": key for _ in named and (1,)}
    return values | {
        "request_id": hidden.query.request_id,
        "job_id": hidden.first("core.ingestionjob"),
        "run_id": hidden.first("core.syncrun"),
        "source_id": hidden.first("core.datasource"),
        "event_id": hidden.first("core.auditevent"),
        "part_id": hidden.document.pk,
        "document_id": hidden.document.pk,
        "gap": hidden.first("core.contentgap"),
        "contradiction": hidden.first("core.sourcecontradiction"),
        "rule_id": hidden.first("core.sectionrule"),
        "answer_id": hidden.first("core.verifiedanswer"),
        "gap_id": hidden.first("core.contentgap"),
        "contradiction_id": hidden.first("core.sourcecontradiction"),
        "proposal_id": hidden.first("core.proposedchange"),
        "check_id": hidden.first("core.changecheck"),
        "risk_id": hidden.first("core.oversharingrisk"),
        "secret_id": str(hidden.first("core.shownsecret"))[:12],
        "role_id": NOWHERE,
        "content_type_id": ContentType.objects.get_for_model(Document).pk,
        "provider_id": "oidc",
        "client_id": "nowhere",
        "app_label": "core",
        "url": "nowhere/",
        "rest": "nowhere",
        "side": "newer",
    }


def bodies_for(route: str, hidden: Hidden) -> list[dict[str, Any]]:
    """Return the bodies for an address of REST, with ids of the hidden document."""
    ids = [str(hidden.document.pk)]
    grants = {"roles": ["owners"], "documents": ids, "dry_run": True}
    bodies: dict[str, list[dict[str, Any]]] = {
        "ask": [
            {"question": hidden.secret.question},
            {"question": CANTEEN_QUESTION},
            {"question": hidden.secret.question, "filters": {"collection": "Vault shelf"}},
            {"question": hidden.secret.question, "conversation_id": str(hidden.query.conversation_id)},
        ],
        "search": [{"query": hidden.secret.question}, {"query": "harbour", "filters": {"source": hidden.secret.title}}],
        "feedback": [{"request_id": hidden.query.request_id, "verdict": "up"}],
        "ingestion": [{"collection": "Vault shelf", "addresses": [ADDRESS], "roles": ["owners"]}],
        "research": [
            {"topic": hidden.secret.question},
            {"topic": "the vault", "filters": {"source": hidden.secret.title}},
        ],
        "research/<uuid:research_id>/plan": [{"questions": [{"text": hidden.secret.question}]}],
        "roles": [{"name": "owners"}],
        "grants": [{"action": "grant", **grants}, {"action": "revoke", **grants}],
        "change-checks": [
            {"grants": {"action": "grant", "roles": ["owners"], "documents": ids}},
            {"thresholds": {"settings": True}},
        ],
        "change-limits": [{"kind": "grants", "is_on": True}],
        "answer-thresholds": [{"answer_from": 0.9, "closest_from": 0.1}],
        "oversharing/<uuid:risk_id>/narrow": [{"roles": [str(hidden.first("core.role"))]}],
        "oversharing/<uuid:risk_id>/accept": [{"reason": "It is right"}],
        "oversharing/<uuid:risk_id>/show-secrets": [
            {"places": [str(hidden.first("core.sensitiveplace"))], "reason": "It is for visitors"}
        ],
        **dict.fromkeys(("proposed-changes", "proposed-changes/preview"), _changes(hidden)),
        "verified-answers": [
            {
                "question": "Which code?",
                "text": "A code.",
                "sources": [{"document": hidden.secret.title, "quote": "the code"}],
            }
        ],
    }
    return [*bodies.get(route, []), {}]


def _changes(hidden: Hidden) -> list[dict[str, Any]]:
    """Return changes of the hidden document, for its gap and for its contradiction."""
    written = {"document_id": str(hidden.document.pk), "version": 1, "title": "Say more", "text": "The vault opens."}
    occasions = {"gap": "core.contentgap", "contradiction": "core.sourcecontradiction"}
    return [{name: str(hidden.first(model)), **written} for name, model in occasions.items()]


def asked_of_rest(hidden: Hidden) -> Iterator[Request]:
    """Each address of REST by each method that it has, with its filters, orders and pages."""
    given = FILTERS | {"request_id": hidden.query.request_id, "document": str(hidden.document.pk)}
    for route, view in VIEWS.items():
        path = fill(API + route, ids_in(API + route, hidden))
        cls: Any = view.view_class  # type: ignore[attr-defined]
        for method in (
            name.upper() for name in ("options", "get", "post", "put", "patch", "delete") if hasattr(cls, name)
        ):
            bodies = bodies_for(route, hidden) if method in ("POST", "PUT", "PATCH") else [None]
            yield from (Request(path=path, method=method, body=body) for body in bodies)
        if hasattr(cls, "get"):
            filters = getattr(getattr(cls, "filterset_class", None), "base_filters", {})
            yield Request(path=path, method="HEAD")
            for name in (*filters, "page", "ordering", "search"):
                yield Request(path=path, query={name: given.get(name, "1")})
    own = Research.objects.get(user__email="bob@example.com").pk  # whose plan has a question about it
    for end in ("", "/document"):
        yield Request(path=f"/api/v1/research/{own}{end}")


def asked_of_mcp(hidden: Hidden, token: str) -> Iterator[Request]:
    """Each tool, with what is of the hidden document."""
    research = {"research_id": str(hidden.first("core.research"))}
    arguments: dict[str, list[dict[str, Any]]] = {
        "ask": [
            {"question": hidden.secret.question},
            {"question": CANTEEN_QUESTION, "conversation_id": str(hidden.query.conversation_id)},
        ],
        "search": [{"query": hidden.secret.question}, {"query": "harbour", "collection": "Vault shelf"}],
        "read_passage": [{"chunk_id": str(hidden.chunk.pk)}],
        "end_conversation": [{"conversation_id": str(hidden.query.conversation_id)}],
        "list_contradictions": [{}, {"state": "gone"}],
        "issue_receipt": [{"request_id": hidden.query.request_id}],
        "plan_research": [{"topic": hidden.secret.question}, {"topic": "the vault", "source": hidden.secret.title}],
        **{tool: [research] for tool in ("start_research", "read_research", "stop_research")},
    }
    for method in ("tools/list", "resources/list", "prompts/list", "resources/read"):
        params = {"uri": f"footnote://{hidden.document.pk}"} if method == "resources/read" else {}
        yield _message(token, method, params)
    for tool in TOOLS:
        for given in arguments[tool]:
            yield _message(token, "tools/call", {"name": tool, "arguments": given})


def _message(token: str, method: str, params: dict[str, Any]) -> Request:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"accept": "application/json, text/event-stream", "authorization": f"Bearer {token}"}
    return Request(path="/mcp", method="POST", body=body, headers=headers)


def asked_of_pages(hidden: Hidden) -> Iterator[Request]:
    """Each other address of a browser's, with the hidden document's ids where it takes any."""
    for route in routes():
        if route.startswith((API, "mcp", "slack/", "livez", "readyz", "metrics")):
            continue
        path = fill(route, ids_in(route, hidden))
        yield Request(path=path)
        if not route.startswith(ADMIN):
            yield from (Request(path=path, method=method) for method in ("HEAD", "OPTIONS", "POST"))


def asked_of_admin(hidden: Hidden) -> Iterator[Request]:
    """Each address of the admin."""
    return (one for one in asked_of_pages(hidden) if one.path.startswith("/admin/"))


def asked_of_lists(word: str) -> Iterator[Request]:
    """Each list that can be searched, for a word."""
    for model, page in admin.site._registry.items():
        if page.search_fields:
            path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            yield Request(path=path, query={"q": word})


def asked_of_suggestions() -> Iterator[Request]:
    """List the requests for suggestions of each relation and for both searches."""
    for model in admin.site._registry:
        named = {"app_label": model._meta.app_label, "model_name": model._meta.model_name or ""}
        for field in model._meta.concrete_fields:
            if field.is_relation and field.related_model in admin.site._registry:
                yield Request(
                    path="/admin/autocomplete/", query={**named, "field_name": field.name, "term": "zanzibar"}
                )
    for words in ("zanzibar", "quagmire"):
        for extended in ({}, {"extended": "1"}):
            yield Request(path="/admin/search/", query={"s": words, **extended})


def asked(way: Callable[[Hidden], Iterable[Request]], hidden: Iterable[Hidden]) -> list[Request]:
    """Return the requests about each of what is hidden, those that name none of it once."""
    return list({str(request): request for one in hidden for request in way(one)}.values())


def told(client: Client, requests: list[Request]) -> dict[str, Said]:
    """Return the response to each request."""
    return {str(request): say(client, request) for request in requests}


@pytest.fixture
def library(cast: Cast) -> Cast:
    """The cast in the library that Bob may read; what this process keeps of tables that never change is there."""
    ContentType.objects.get_for_models(*apps.get_models())
    stock(cast)
    return cast


def assert_nothing_told(find: Callable[[Sequence[Secret]], list[str]]) -> None:
    """Hide everything at once, so that each address is asked once for all; a failure says what tells of which.

    find: lists what tells of these when they are hidden.
    """
    assert find(SECRETS) == [], {str(secret): find([secret]) for secret in SECRETS}


def test_no_address_tells_a_reader_of_it(library: Cast) -> None:
    """Bob, by browser, REST and MCP: every byte and every statement is as if neither had ever been there."""
    _row, token = AuthToken.objects.create(library.bob, scopes=AuthToken.Scope.values)
    reader, stranger, program = Client(), Client(), Client(headers={"authorization": f"Token {token}"})
    reader.force_login(library.bob)
    search = Request(path="/api/v1/search", method="POST", body={"query": "harbour"})

    def find(secrets: Sequence[Secret]) -> list[str]:
        with with_all_hidden(library, secrets) as hidden:
            say(program, search)  # which documents Bob may read is kept for as long as nothing changes in the library
            pages = asked(asked_of_pages, hidden)
            outside = [page for page in pages if not page.path.startswith("/admin/")]
            programs = [*asked(asked_of_rest, hidden), *asked(lambda one: asked_of_mcp(one, token), hidden)]
            there = [told(reader, pages), told(stranger, outside), told(program, programs)]
        assert {200, 404} <= {one.status for one in there[2].values()}
        say(program, search)
        absent = [told(reader, pages), told(stranger, outside), told(program, programs)]
        return [one for pair in zip(there, absent, strict=True) for one in differences(*pair)]

    assert_nothing_told(find)


def staff(*without: str, holding: bool = True, deciding: bool = False) -> Client:
    """The browser of an administrator without a role, who may look at everything but for some kinds of things.

    deciding: may say who reads documents, too.
    """
    person = User.objects.create_user("desk@example.com", is_staff=True)
    if holding:
        looks = Permission.objects.filter(content_type__app_label__in=LOOKING, codename__startswith="view_")
        person.user_permissions.set(looks.exclude(codename__in=without))
    if deciding:
        person.user_permissions.add(Permission.objects.get(codename="decide_who_reads"))
    browser = Client()
    browser.force_login(person)
    return browser


def test_no_address_of_the_admin_tells_staff_without_rights_that_it_is_there(library: Cast) -> None:
    """It holds for each id: a forbidden object looks like a missing one."""
    desk = staff(holding=False)

    def find(secrets: Sequence[Secret]) -> list[str]:
        with with_all_hidden(library, secrets) as hidden:
            requests = [*asked(asked_of_admin, hidden), *asked_of_suggestions()]
            there = told(desk, requests)
        return differences(there, told(desk, requests))

    assert_nothing_told(find)


def test_no_page_tells_who_may_not_see_documents_what_one_is_called_or_says(library: Cast) -> None:
    """Every other permission to look shows the same, however they are called and whatever they say.

    Only names of files are where files are listed: what was handed in, and what was found at a source.
    """
    desk = staff(*DOCUMENTS)

    def find(secrets: Sequence[Secret]) -> list[str]:
        with with_all_hidden(library, secrets) as hidden:
            requests = [*asked(asked_of_admin, hidden), *asked_of_suggestions(), *asked_of_lists("zanzibar")]
            there = told(desk, requests)
            listing = {one.split("/")[3] for one in marks_in(there, FILE_NAMES)}
            assert listing == (LISTING_FILES if DOCUMENT in secrets else set())  # only a document comes from a file
            reword(WORDS | NAMES)
            return differences(there, told(desk, requests))

    assert_nothing_told(find)


@pytest.mark.parametrize("secret", SECRETS, ids=str)
def test_no_page_tells_who_may_see_documents_what_one_says(library: Cast, secret: Secret) -> None:
    """Its title is shown to viewers of documents and chunks; a word of its text by no byte and no statement.

    The name of a restricted section is such a word: only who decides who reads is shown it.
    """
    desk, is_section = staff(), secret is SECTION
    with with_hidden(library, secret) as hidden:
        pages = ("/admin/",) if is_section else PAGES_OF_DOCUMENTS
        everything = (*asked_of_admin(hidden), *asked_of_lists("quagmire"), *asked_of_suggestions())
        requests = [request for request in everything if request.path.startswith(pages)]
        requests += [Request(path="/admin/"), Request(path="/admin/search/", query={"s": "quagmire"})]
        there = told(desk, requests)
        assert is_section or marks_in(there, NAMES)
        reword(WORDS | NAMES if is_section else WORDS)
        assert differences(there, told(desk, requests)) == []


def test_no_page_tells_who_decides_who_reads_what_a_section_says(library: Cast) -> None:
    """They are shown what it is called, as titles of documents; no word of its text, by no byte and no statement."""
    desk = staff(deciding=True)
    with with_hidden(library, SECTION) as hidden:
        requests = [*asked_of_admin(hidden), *asked_of_lists("quagmire")]
        there = told(desk, requests)
        assert marks_in(there, ["Keysmith"])
        reword({SECTION.code: "lavender-3358"})
        assert differences(there, told(desk, requests)) == []


def test_who_may_hand_in_and_not_decide_learns_no_role(library: Cast) -> None:
    """A name that a role has is refused in the same words, and by the same statements, as one that none has."""
    library.bob.user_permissions.add(Permission.objects.get(codename="add_ingestionjob"))
    _row, token = AuthToken.objects.create(library.bob, scopes=AuthToken.Scope.values)
    program, given = Client(headers={"authorization": f"Token {token}"}), {"collection": "Test library"}
    said = [
        say(
            program,
            Request(path="/api/v1/ingestion", method="POST", body={**given, "addresses": [ADDRESS], "roles": [name]}),
        )
        for name in ("owners", "no such role")
    ]
    assert (said[0].status, said[0]) == (403, said[1])
