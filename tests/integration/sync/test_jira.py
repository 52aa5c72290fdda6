"""Jira as a data source, in both editions, against a server that answers as its REST interface does."""

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import SourceError, SourceRefusedError
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.jira import Settings
from core.library.sync.services.client import LISTING_MB
from core.values.sizes import MEGABYTE
from tests.integration.sync.jira import listed
from tests.integration.sync.served import Answer, Asked, access, listing, page
from tests.integration.sync.servers.jira import OTHER, PROJECT, TOKEN, Tracker


def test_issues_are_listed_with_version_and_readers(tracker: Tracker) -> None:
    """From page to page of the search of each project, with the token for each request."""
    for number in range(1, 6):
        tracker.put(str(number), f"DOCS-{number}")
    tracker.put("9", "BOARD-1", "A plan", project=OTHER)
    documents, left_out, error = listing(tracker.connect())
    assert (error, left_out) == (None, {})
    assert {key: one.groups for key, one in documents.items()} == {
        **{f"issue:{number}": ("staff",) for number in range(1, 6)},
        "issue:9": ("board",),
    }
    one = documents["issue:9"]
    assert (one.name, one.source_url) == ("BOARD-1: A plan", f"{tracker.server.base}/browse/BOARD-1")
    assert one.fingerprint == "2024-05-01T10:00:00.123000+00:00"
    assert str(one.document_date) == "2024-05-01"
    basic = base64.b64encode(f"me@example.org:{TOKEN}".encode()).decode()
    sent = {asked.headers.get("authorization") for asked in tracker.server.asked}
    assert sent == {f"Basic {basic}" if tracker.is_cloud else f"Bearer {TOKEN}"}


def test_a_listing_does_not_ask_for_each_issue(tracker: Tracker) -> None:
    """Rights are asked for once in a project, and once for a level, a role and an account."""
    tracker.page = 100
    tracker.schemes[PROJECT] = [tracker.holder("projectRole", "10002"), tracker.holder("projectLead")]
    tracker.roles[PROJECT, "10002"] = [("group", "staff"), ("user", "alice")]
    tracker.levels["10020"] = [tracker.person("alice")]
    for number in range(1, 60):
        tracker.put(str(number), f"DOCS-{number}", security="10020", reporter="alice")
    listed(tracker, projects=("DOCS",))
    assert len(tracker.server.asked) <= 10


def test_labels_leave_issues_out_and_attachments_have_the_readers_of_their_issue(tracker: Tracker) -> None:
    """Of the kinds that are read."""
    tracker.schemes[PROJECT] = [tracker.holder("reporter")]
    tracker.put("1", "DOCS-1", reporter="rita", attachments={"7": ("plan.md", b"# Plan"), "8": ("logo.xcf", b"x")})
    tracker.put("2", "DOCS-2", reporter="rita", labels=["draft"])
    documents, left_out, _ = listing(tracker.connect(without_labels=("draft",)))
    assert {key: each.groups for key, each in documents.items()} == {
        "issue:1": ("rita@example.org",),
        "attachment:1/7": ("rita@example.org",),
    }
    assert set(left_out) == {"DOCS-2: A summary", "logo.xcf"}
    assert set(listed(tracker, attachments=False)) == {"issue:1", "issue:2"}
    assert documents["attachment:1/7"].source_url == f"{tracker.server.base}/browse/DOCS-1"


def test_what_has_no_id_of_its_own_is_left_out(tracker: Tracker) -> None:
    """It could be taken for another issue, or lead to another address."""
    tracker.page = 100
    tracker.put("7/comment", "DOCS-1")
    tracker.put("", "DOCS-2")
    tracker.put("3", "../DOCS-3")
    tracker.put("4", "DOCS-4", attachments={"../5": ("plan.md", b"#"), "": ("b.md", b"#"), "9": ("c.md", b"#")})
    documents, left_out, error = listing(tracker.connect())
    assert error is None
    assert set(documents) == {"issue:4", "attachment:4/9"}
    assert set(left_out) == {"DOCS-1: A summary", "DOCS-2: A summary", "../DOCS-3: A summary", "plan.md", "b.md"}


def test_projects_and_a_filter_choose_issues(tracker: Tracker) -> None:
    """A filter stands in parentheses, so that it widens nothing."""
    tracker.put("1", "DOCS-1")
    tracker.put("2", "BOARD-1", project=OTHER)
    assert set(listed(tracker, projects=("docs",), filter="status = Done OR labels = x")) == {"issue:1"}
    asked = tracker.asked("/search")[-1].query["jql"]
    assert asked == f"project = {PROJECT} AND (status = Done OR labels = x) ORDER BY key ASC"
    tracker.faults[f"{tracker.api}/search{'/jql' if tracker.is_cloud else ''}"] = Answer(status=400)
    _, _, error = listing(tracker.connect(filter="stat us"))
    assert "does not understand the filter" in str(error)


def test_an_issue_of_a_project_that_is_not_wanted_is_not_listed(tracker: Tracker) -> None:
    """A search may lag behind a move; and one of which no project is told is for nobody."""
    told = {"id": OTHER, "key": "BOARD", "projectTypeKey": "software", "simplified": False}
    tracker.put("1", "DOCS-1", fields={"project": told})
    tracker.put("2", "DOCS-2", hidden=("project",))
    assert {key: one.groups for key, one in listed(tracker, projects=("DOCS",)).items()} == {"issue:2": ()}
    assert listed(tracker)["issue:1"].groups == ("board",)


def test_what_is_deleted_while_it_is_listed_hides_no_other(home: Tracker) -> None:
    """All that follows moves up by as many places: the search goes back."""
    home.page = 3
    for number in range(1, 40):
        home.put(str(number), f"DOCS-{number}")

    def delete(asked: Asked) -> None:
        if asked.path.endswith("/search") and asked.query["startAt"] == "8":
            for number in range(2, 8):
                home.issues.pop(str(number), None)

    home.before = delete
    documents, _, error = listing(home.connect(projects=("DOCS",)))
    assert error is None
    assert {f"issue:{number}" for number in range(8, 40)} <= set(documents)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=500),
        Answer(status=410),
        page("Sign in"),
        Answer(body="[" * 100_000),
        Answer(body={"issues": {}}),
        Answer(body={"total": 3}),
        Answer(body={"issues": [], "nextPageToken": "again", "isLast": False}),
        Answer(body={"issues": [], "isLast": False}),
        Answer(body={"issues": [], "nextPageToken": "\ud800"}),
    ],
)
def test_a_search_that_is_not_complete_is_an_error(tracker: Tracker, answer: Answer) -> None:
    """And never an empty listing, of which all that it does not name would be gone."""
    tracker.put("1", "DOCS-1")
    tracker.faults[f"{tracker.api}/search{'/jql' if tracker.is_cloud else ''}"] = answer
    documents, _, error = listing(tracker.connect())
    assert (documents, type(error)) == ({}, SourceError)
    assert len(tracker.server.asked) < 40


def test_a_page_of_a_search_without_end_is_an_error(tracker: Tracker) -> None:
    """Its size is bounded."""
    body = {"issues": [], "total": 0, "isLast": True, "more": "x" * (LISTING_MB * MEGABYTE)}
    tracker.faults[f"{tracker.api}/search{'/jql' if tracker.is_cloud else ''}"] = Answer(body=body)
    documents, _, error = listing(tracker.connect())
    assert (documents, type(error)) == ({}, SourceError)
    assert f"{LISTING_MB} MB" in str(error)


def test_a_search_that_ends_before_its_total_is_an_error(home: Tracker) -> None:
    """At once, and behind some issues."""
    home.put("1", "DOCS-1")
    answers = [Answer(body={"issues": [home.issue("1")], "total": 5}), *[Answer(body={"issues": [], "total": 5})] * 30]
    for left in (answers, answers[1:]):
        coming = iter(left)
        home.faults[f"{home.api}/search"] = lambda asked, coming=coming: next(coming)
        _, _, error = listing(home.connect())
        assert "does not come to an end" in str(error)


def test_the_same_page_again_and_again_is_an_error(tracker: Tracker) -> None:
    """Also with issues in it, and with ever new tokens."""
    tracker.put("1", "DOCS-1")
    tracker.put("2", "DOCS-2")
    issues = [tracker.issue("1"), tracker.issue("2")]
    body = {"issues": issues, "total": 10**9, "nextPageToken": "again", "isLast": False}
    if not tracker.is_cloud:
        del body["isLast"]
    tracker.faults[f"{tracker.api}/search{'/jql' if tracker.is_cloud else ''}"] = Answer(body=body)
    found, error = [], None
    try:
        found.extend(tracker.connect().list())
    except SourceError as caught:
        error = caught
    assert "does not come to an end" in str(error)
    assert len(tracker.asked("/search")) <= 22


@pytest.mark.parametrize(
    ("path", "answer", "error", "message"),
    [
        ("/myself", Answer(status=401), SourceRefusedError, "Renew them"),
        ("/myself", Answer(body={}), SourceRefusedError, "Renew them"),
        ("/myself", page("Sign in"), SourceError, "Check its address"),
        ("/myself", Answer(status=404), SourceError, "Check the address and the edition"),
        ("/project", Answer(status=403), SourceRefusedError, "does not let"),
        ("/project", Answer(body={"a": 1}), SourceError, "as it should"),
        ("/project", Answer(body="not json"), SourceError, "Check its address"),
        (f"/project/{PROJECT}/permissionscheme", Answer(status=500), SourceError, "status 500"),
        (f"/project/{PROJECT}/issuesecuritylevelscheme", Answer(status=500), SourceError, "status 500"),
    ],
)
def test_what_is_wrong_with_the_source_is_said_without_its_token(
    tracker: Tracker, path: str, answer: Answer, error: type[SourceError], message: str
) -> None:
    """Before anything is taken for gone."""
    tracker.put("1", "DOCS-1", hidden=("security",))
    tracker.faults[tracker.api + path] = answer
    if path == "/project" and tracker.is_cloud:
        tracker.faults[f"{tracker.api}/project/search"] = answer
    connector = tracker.connect()
    documents, _, caught = listing(connector)
    assert (documents, type(caught)) == ({}, error)
    assert message in str(caught)
    assert TOKEN not in repr(vars(connector)) + str(caught) + repr(caught)


def test_projects_that_are_not_shown_are_named(tracker: Tracker) -> None:
    """Rather than taken for empty."""
    _, _, error = listing(tracker.connect(projects=("DOCS", "SHUT")))
    assert "do not show projects: SHUT" in str(error)
    tracker.keys = {}
    _, _, error = listing(tracker.connect())
    assert "do not show projects: any" in str(error)


def test_a_jira_that_is_busy_is_asked_again(tracker: Tracker) -> None:
    """After what it asks for."""
    tracker.put("1", "DOCS-1")
    answers = iter([Answer(status=429, headers={"Retry-After": "0"})])
    path = f"{tracker.api}/project/{PROJECT}/permissionscheme"

    def busy(asked: Asked) -> Answer:
        tracker.faults.pop(path)
        return next(answers)

    tracker.faults[path] = busy
    assert listed(tracker)["issue:1"].groups == ("staff",)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "naïve"])
def test_a_token_that_is_none_is_refused_without_being_shown(token: str) -> None:
    """Before anything is asked."""
    kind = kind_of("jira")
    settings = kind.settings(address="https://jira.example.org", edition="data_center")
    with pytest.raises(SourceRefusedError) as caught:
        kind.connect(settings, {"token": token}, access())
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"address": "https://a.atlassian.net"}, "e-mail address of the account"),
        ({"address": "a.atlassian.net"}, "https://"),
        ({"address": "https://a.example", "edition": "data_center", "projects": ["A B"]}, "the key of a project"),
        (
            {"address": "https://a.example", "edition": "data_center", "filter": "a = b Order  By key"},
            "without ORDER BY",
        ),
    ],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], message: str) -> None:
    """The message says what to write."""
    with pytest.raises(ValidationError, match=message):
        Settings.model_validate(settings)


@pytest.mark.parametrize(
    ("address", "edition", "base"),
    [
        ("https://example.atlassian.net/jira/your-work", "cloud", "https://example.atlassian.net"),
        ("https://example.atlassian.net/wiki", "cloud", "https://example.atlassian.net"),
        ("https://example.org/jira/", "data_center", "https://example.org/jira"),
    ],
)
def test_an_address_may_be_that_of_a_page(address: str, edition: str, base: str) -> None:
    """In the cloud, where all stands at the root."""
    assert Settings.model_validate({"address": address, "edition": edition, "email": "a@b.example"}).base() == base
