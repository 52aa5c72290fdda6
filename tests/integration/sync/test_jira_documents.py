"""Test what is read of an issue of Jira: its texts, the comments that are for all of its readers, and its files."""

import json
from typing import Any

import pytest

from core.errors import ChangedMeanwhileError, FetchError, GoneError, IngestionError
from tests.integration.sync.jira import listed, load
from tests.integration.sync.served import Answer, Server, page
from tests.integration.sync.servers.jira import OTHER, PROJECT, Tracker


def test_an_issue_is_one_page_with_its_details_texts_and_comments(tracker: Tracker) -> None:
    """In parts with headings; what an issue says is shown as text, and its own headings stand below ours."""
    issue = tracker.put(
        "1",
        "DOCS-1",
        "Pier & <b>boats</b>",
        reporter="rita",
        labels=["urgent"],
        description="<h1>Steps</h1><p>Close the pier.</p>",
        fields={"resolution": {"name": "Fixed"}, "duedate": "2024-06-07", "resolutiondate": None},
    )
    issue.comments = [
        {"id": "1", "html": "<h2>Why</h2><p>It rots.</p>"},
        {"id": "2", "author": {"displayName": "Ann <i>"}, "html": "<p>Agreed.</p>"},
        {"id": "3", "author": None, "created": None, "html": "<p>Done.</p>"},
    ]
    written = load(tracker, listed(tracker)["issue:1"])
    parts = [
        "<title>DOCS-1: Pier &amp; &lt;b&gt;boats&lt;/b&gt;</title>",
        "<h1>DOCS-1: Pier &amp; &lt;b&gt;boats&lt;/b&gt;</h1>",
        "<h2>Details</h2><p>Type: Bug</p><p>Status: In Progress</p><p>Resolution: Fixed</p><p>Priority: High</p>",
        "<p>Labels: urgent</p><p>Components: Harbour</p><p>Fix versions: 2.0</p><p>Reporter: Rita</p>",
        "<p>Created: 2024-01-02</p><p>Updated: 2024-05-01</p><p>Due: 2024-06-07</p>",
        "<h2>Description</h2><h3>Steps</h3><p>Close the pier.</p>",
        "<h2>Comments</h2><h3>Bob B., 2024-02-03</h3><h5>Why</h5><p>It rots.</p>",
        "<h3>Ann &lt;i&gt;, 2024-02-03</h3><p>Agreed.</p>",
        "<h3>Somebody</h3><p>Done.</p>",
    ]
    places = [written.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert "rita@" not in written


@pytest.mark.parametrize(
    ("comment", "is_shown"),
    [
        ({}, True),
        ({"visibility": {"type": "role", "value": "Administrators"}}, False),
        ({"visibility": {"type": "group", "identifier": "g-board"}}, False),
        ({"visibility": "board"}, False),
        ({"jsdPublic": False}, False),
        ({"jsdPublic": "yes"}, False),
        ({"jsdPublic": True}, True),
        ({"jsdPublic": True, "visibility": {"type": "role", "value": "Administrators"}}, False),
        ({"properties": [{"key": "sd.public.comment", "value": {"internal": True}}]}, False),
        ({"properties": [{"key": "sd.public.comment", "value": {"internal": "true"}}]}, False),
        ({"properties": [{"key": "sd.public.comment", "value": None}]}, False),
        ({"properties": [{"key": "sd.public.comment", "value": {"internal": False}}]}, True),
        ({"jsdPublic": True, "properties": [{"key": "sd.public.comment", "value": {"internal": True}}]}, False),
    ],
)
def test_comments_for_some_are_for_nobody(tracker: Tracker, comment: dict[str, Any], is_shown: bool) -> None:
    """For a role, for a group, or internal: they are in no document."""
    tracker.put("1", "DOCS-1").comments = [{"id": "1", "html": "<p>The pier is sold.</p>"} | comment]
    written = load(tracker, listed(tracker)["issue:1"])
    assert ("The pier is sold." in written) == is_shown
    assert ("<h2>Comments</h2>" in written) == is_shown


def test_a_comment_of_a_service_project_has_to_be_said_to_be_public(tracker: Tracker) -> None:
    """There, one of which nothing is told may be internal; so may one in a project of an unknown type."""
    tracker.put("1", "BOARD-1", project=OTHER).comments = [
        {"id": "1", "html": "<p>The pier is sold.</p>"},
        {"id": "2", "html": "<p>It is open.</p>", "jsdPublic": True},
    ]
    for kind in ("service_desk", "of_tomorrow", ""):
        tracker.types[OTHER] = kind
        written = load(tracker, listed(tracker)["issue:1"])
        assert "The pier is sold." not in written
        assert "It is open." in written


def test_comments_are_read_to_their_end_or_not_at_all(tracker: Tracker) -> None:
    """Page by page; and an issue without its comments is another version of it."""
    tracker.put("1", "DOCS-1").comments = [{"id": str(number), "html": f"<p>No. {number}.</p>"} for number in range(5)]
    one = listed(tracker)["issue:1"]
    assert all(f"No. {number}." in load(tracker, one) for number in range(5))
    alone = listed(tracker, comments=False)["issue:1"]
    assert alone.fingerprint != one.fingerprint
    assert "No. " not in load(tracker, alone, comments=False)


def test_comments_without_end_are_not_read_on(tracker: Tracker) -> None:
    """Though none of them would be shown."""
    hidden = {"visibility": {"type": "role", "value": "Administrators"}, "html": "x" * 300_000}
    tracker.put("1", "DOCS-1").comments = [{"id": str(number)} | hidden for number in range(40)]
    with pytest.raises(IngestionError, match="1 MB"):
        load(tracker, listed(tracker)["issue:1"])
    assert len(tracker.asked("/comment")) < 10


def test_what_quotes_other_issues_is_not_asked_for(tracker: Tracker) -> None:
    """A reader may not read those."""
    tracker.put("1", "DOCS-1", fields={"parent": {"fields": {"summary": "The pier is sold"}}})
    assert "sold" not in load(tracker, listed(tracker)["issue:1"])
    asked = {name for each in tracker.server.asked for name in each.query.get("fields", "").split(",")}
    assert not asked & {"parent", "subtasks", "issuelinks", "*all", "*navigable", "worklog"}


def test_text_that_is_not_rendered_is_taken_as_it_is_written(home: Tracker) -> None:
    """And shown as text."""
    home.put("1", "DOCS-1", description=None, fields={"description": "h1. Close <the> pier", "environment": {"a": 1}})
    assert "<h2>Description</h2><p>h1. Close &lt;the&gt; pier</p></main>" in load(home, listed(home)["issue:1"])


def test_attachments_are_loaded(tracker: Tracker) -> None:
    """From where they lie: names mean nothing there."""
    tracker.put("1", "DOCS-1", attachments={"7": ("a plan/../b?.md", b"# Plan")})
    one = listed(tracker)["attachment:1/7"]
    assert load(tracker, one) == "# Plan"
    assert not any({"..", "b?.md"} & set(each.path.split("/")) for each in tracker.server.asked)


def test_a_page_to_sign_in_is_no_attachment(tracker: Tracker, elsewhere: Server) -> None:
    """What has another size is not stored; and another host gets no token."""
    tracker.put("1", "DOCS-1", attachments={"7": ("plan.md", b"# Plan"), "8": ("log.md", b"# Log")})
    elsewhere.answers = {"/media": Answer(body=b"# Plan"), "/login": page("Sign in")}
    found = listed(tracker)
    where = f"{tracker.api}/attachment/content" if tracker.is_cloud else "/secure/attachment"
    for number, target in (("7", "media"), ("8", "login")):
        ending = "" if tracker.is_cloud else f"/{found[f'attachment:1/{number}'].name}"
        away = Answer(status=302, headers={"Location": f"{elsewhere.base}/{target}"})
        tracker.faults[f"{where}/{number}{ending}"] = away
    assert load(tracker, found["attachment:1/7"]) == "# Plan"
    with pytest.raises(FetchError, match="another size"):
        load(tracker, found["attachment:1/8"])
    assert {asked.headers.get("authorization") for asked in elsewhere.asked} == {None}


def test_an_issue_that_was_changed_is_not_loaded_as_the_one_that_was_listed(tracker: Tracker) -> None:
    """Nor one that is gone, or not shown, or longer than a document may be."""
    issue = tracker.put("1", "DOCS-1")
    one = listed(tracker)["issue:1"]
    issue.updated = "2024-05-02T10:00:00.123+0000"
    with pytest.raises(ChangedMeanwhileError):
        load(tracker, one)
    issue.updated = "2024-05-01T12:00:00.123+0200"  # the same, as an account elsewhere is told it
    assert load(tracker, one)
    issue.comments = [{"id": "1", "html": "x" * 2_000_000}]
    with pytest.raises(IngestionError, match="1 MB"):
        load(tracker, one)
    tracker.faults[f"{tracker.api}/issue/1"] = Answer(status=403)
    with pytest.raises(IngestionError, match="may not be read"):
        load(tracker, one)
    tracker.faults[f"{tracker.api}/issue/1"] = Answer(body=json.dumps(tracker.issue("1") | {"id": "2"}))
    with pytest.raises(GoneError):
        load(tracker, one)
    del tracker.issues["1"], tracker.faults[f"{tracker.api}/issue/1"]
    with pytest.raises(GoneError):
        load(tracker, one)


def test_what_is_no_text_ends_nothing(tracker: Tracker) -> None:
    """Half a character, a line's end in a name, a time beyond all calendars: JSON can hold them."""
    half = "\ud800"
    tracker.addresses["alice"] = f"alice@{half}"
    tracker.page = 100
    tracker.schemes[PROJECT] = [
        tracker.group(f"staff{half}"),
        tracker.group("staff\nboard"),
        tracker.person(half),
        tracker.holder("projectRole", half),
        tracker.holder("projectRole", "10002"),
        tracker.holder("applicationRole", half),
        tracker.person("alice"),
    ]
    tracker.roles[PROJECT, "10002"] = [("user", half), ("group", half)]
    files = {"7": (f"{half}.md", b"# Plan")}
    issue = tracker.put("1", "DOCS-1", half, description=f"<p>{half}Pier</p>", labels=[half], attachments=files)
    issue.comments = [{"id": "1", "html": half, "author": {"displayName": half}}]
    found = listed(tracker)
    assert found["issue:1"].groups == (f"user:{'acc-' if tracker.is_cloud else ''}alice",)
    assert "?Pier" in load(tracker, found["issue:1"])
    assert load(tracker, found["attachment:1/7"]) == "# Plan"
    issue.updated = "9999-12-31T23:59:59.000-2300"
    assert listed(tracker)["issue:1"].fingerprint == ""
