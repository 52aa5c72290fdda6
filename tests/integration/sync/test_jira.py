"""Jira as a data source, in both editions, against a server that answers as its REST interface does."""

import base64
import json
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import ChangedMeanwhileError, FetchError, GoneError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.jira import Settings
from tests.integration.sync.served import Answer, Asked, Server, access, listing, page
from tests.integration.sync.servers.jira import OTHER, PROJECT, TOKEN, Tracker


@pytest.fixture(params=["cloud", "data center"])
def tracker(request: pytest.FixtureRequest, server: Server) -> Tracker:
    """A Jira of each edition."""
    return Tracker(server, is_cloud=request.param == "cloud")


@pytest.fixture
def cloud(server: Server) -> Tracker:
    """A Jira in the cloud."""
    return Tracker(server, is_cloud=True)


@pytest.fixture
def home(server: Server) -> Tracker:
    """A Jira Data Center."""
    return Tracker(server, is_cloud=False)


def listed(tracker: Tracker, **settings: Any) -> dict[str, Listed]:
    """Return the listed documents."""
    documents, _, error = listing(tracker.connect(**settings))
    assert error is None
    return documents


def load(tracker: Tracker, one: Listed, **settings: Any) -> str:
    """Return an issue as it is loaded."""
    loaded = tracker.connect(**settings).load(one, "")
    assert loaded is not None
    return loaded.file.content.decode()


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


@pytest.mark.parametrize(
    ("holders", "readers"),
    [
        (lambda t: [t.group("staff"), t.person("alice")], ("alice@example.org", "staff")),
        (lambda t: [t.holder("projectRole", "10002")], ("alice@example.org", "staff")),
        (lambda t: [t.holder("projectRole", "10003")], ()),  # in which nobody is
        (lambda t: [t.holder("projectRole", "10004")], ()),  # which is not shown
        (lambda t: [t.holder("projectRole", "../../myself")], ()),
        (lambda t: [t.holder("reporter")], ("rita@example.org",)),
        (lambda t: [t.holder("assignee")], ()),  # nobody is
        (lambda t: [t.holder("anyone")], ("anyone",)),
        (lambda t: [t.holder("applicationRole")], ("anyone signed in",)),
        (lambda t: [t.holder("applicationRole", "jira-software")], ("coders",)),
        (lambda t: [t.holder("applicationRole", "jira-servicedesk")], ()),  # which is not shown
        (lambda t: [t.holder("userCustomField", "customfield_10010")], ()),
        (lambda t: [t.holder("groupCustomField", "customfield_10011")], ()),
        (lambda t: [t.holder("sd.customer.portal.only"), t.holder("reporterWithCreatePermission")], ()),
        (lambda t: [t.holder("user", "acc-alice")], ()),  # of whom nothing is told
        (lambda t: [{}], ()),
        (lambda t: [], ()),
        (lambda t: [t.group(name) for name in ("anyone", "signed-in", "anyone signed in", "user:lena", "ok")], ("ok",)),
    ],
)
def test_whoever_holds_the_right_to_browse_reads(tracker: Tracker, holders: Any, readers: tuple[str, ...]) -> None:
    """And nobody by what is not told, or by a field of the issue; no group is everybody by its name."""
    tracker.roles[PROJECT, "10002"] = [("group", "staff"), ("user", "alice"), ("other", "bob")]
    tracker.roles[PROJECT, "10003"] = []
    tracker.applications["jira-software"] = ["coders"]
    tracker.schemes[PROJECT] = holders(tracker)
    tracker.put("1", "DOCS-1", reporter="rita")
    assert listed(tracker)["issue:1"].groups == readers


def test_people_are_called_by_their_addresses_or_as_no_group_may_be(tracker: Tracker) -> None:
    """Whatever tells of them: a group of the same name is another reader."""
    tracker.schemes[PROJECT] = [tracker.holder("projectLead"), tracker.person("bob"), tracker.group("bob")]
    tracker.put("1", "DOCS-1")
    tracker.addresses["lena"] = "lena at example dot org"  # as Jira masks them
    account = "acc-" if tracker.is_cloud else ""
    assert listed(tracker)["issue:1"].groups == ("bob", f"user:{account}bob", f"user:{account}lena")
    tracker.addresses = {}
    tracker.schemes[PROJECT] = [tracker.person("alice")]
    tracker.faults[f"{tracker.api}/user"] = Answer(status=404)
    assert listed(tracker)["issue:1"].groups == (f"user:{account}alice",)


@pytest.mark.parametrize(
    "told",
    [
        {"name": "alice", "displayName": "Alice the Second", "emailAddress": "second@example.org"},
        {"name": "alice2", "displayName": "Alice", "emailAddress": "second@example.org"},
        {},
    ],
)
def test_a_user_name_in_a_role_may_be_another_persons_by_now(home: Tracker, told: dict[str, str]) -> None:
    """Then nobody reads by it."""
    home.schemes[PROJECT] = [home.holder("projectRole", "10002")]
    home.roles[PROJECT, "10002"] = [("user", "alice")]
    home.put("1", "DOCS-1")
    assert listed(home)["issue:1"].groups == ("alice@example.org",)
    home.faults[f"{home.api}/user"] = Answer(body=told)
    assert listed(home)["issue:1"].groups == ()


def test_a_project_whose_permissions_are_not_shown_is_read_by_nobody(tracker: Tracker) -> None:
    """And the report says what the account needs."""
    tracker.schemes[PROJECT] = None
    tracker.put("1", "DOCS-1", reporter="rita")
    tracker.put("2", "BOARD-1", project=OTHER)
    documents, left_out, _ = listing(tracker.connect())
    assert {key: one.groups for key, one in documents.items()} == {"issue:1": (), "issue:2": ("board",)}
    assert set(left_out) == {"Project DOCS"}
    assert "Administer Projects" in left_out["Project DOCS"]


@pytest.mark.parametrize("answer", [{}, {"permissions": {}}, {"permissions": [7, {"permission": "BROWSE_PROJECTS"}]}])
def test_permissions_of_another_form_let_nobody_in(tracker: Tracker, answer: dict[str, Any]) -> None:
    """Whatever they are."""
    tracker.faults[f"{tracker.api}/project/{PROJECT}/permissionscheme"] = Answer(body=answer)
    tracker.put("1", "DOCS-1")
    assert listed(tracker)["issue:1"].groups == ()


@pytest.mark.parametrize(
    ("level", "readers"),
    [
        (lambda t: [t.group("board")], ("board",)),  # all of the board are staff
        (lambda t: [t.group("guests")], ()),  # who are not
        (lambda t: [t.group("hidden")], ()),  # of whom nobody tells the members
        (lambda t: [t.group("staff"), t.person("rita")], ("staff",)),  # rita is no staff
        (lambda t: [t.person("bob")], ("user:acc-bob",)),
        (lambda t: [t.holder("reporter")], ()),
        (lambda t: [t.holder("assignee")], ("alice@example.org",)),
        (lambda t: [t.holder("projectRole", "10002")], ("board",)),
        (lambda t: [t.holder("applicationRole")], ("staff",)),
        (lambda t: [t.holder("anyone")], ("staff",)),
        (lambda t: [], ()),
        (lambda t: None, ()),  # which is not shown
    ],
)
def test_whoever_reads_an_issue_with_a_level_passes_that_too(
    cloud: Tracker, level: Any, readers: tuple[str, ...]
) -> None:
    """Named there, or as a group whose members all are."""
    cloud.groups = {"staff": ["bob", "alice", "dora"], "board": ["bob"], "guests": ["charlie"], "hidden": None}
    cloud.roles[PROJECT, "10002"] = [("group", "board")]
    cloud.levels["10020"] = level(cloud)
    cloud.put("1", "DOCS-1", security="10020", reporter="rita", assignee="alice")
    cloud.put("2", "DOCS-2")
    documents, left_out, error = listing(cloud.connect())
    assert error is None
    assert {key: one.groups for key, one in documents.items()} == {"issue:1": readers, "issue:2": ("staff",)}
    assert ("Security level Secret" in left_out) == (cloud.levels["10020"] is None)
    assert ("Group hidden" in left_out) == (cloud.levels["10020"] == [cloud.group("hidden")])


def test_members_of_another_level_and_without_an_id_let_nobody_pass(cloud: Tracker) -> None:
    """Whatever the answer has beside what was asked for."""
    cloud.groups = {"staff": ["bob"], "board": ["bob"]}
    cloud.levels["10020"] = [cloud.group("board")]
    cloud.put("1", "DOCS-1", security="10020")
    assert listed(cloud)["issue:1"].groups == ("board", "staff")
    some = {"values": [{"accountId": "acc-bob"}, {"displayName": "Somebody"}], "isLast": True}
    cloud.faults[f"{cloud.api}/group/member"] = Answer(body=some)
    assert listed(cloud)["issue:1"].groups == ()
    member = {"issueSecurityLevelId": "10021", "holder": cloud.holder("applicationRole")}
    cloud.faults[f"{cloud.api}/issuesecurityschemes/level/member"] = Answer(body={"values": [member], "isLast": True})
    assert listed(cloud)["issue:1"].groups == ()


@pytest.mark.parametrize(
    ("scheme", "readers"),
    [
        (lambda t: [t.holder("applicationRole")], ("board", "user:acc-bob")),
        (lambda t: [t.holder("applicationRole"), t.group("staff")], ("board", "user:acc-bob")),
        (lambda t: [t.holder("anyone"), t.group("staff")], ("board", "user:acc-bob")),
    ],
)
def test_a_level_decides_alone_where_everybody_may_browse(
    cloud: Tracker, scheme: Any, readers: tuple[str, ...]
) -> None:
    """As in projects that anyone signed in may see: most of them, in the cloud."""
    cloud.schemes[PROJECT] = scheme(cloud)
    cloud.levels["10020"] = [cloud.group("board"), cloud.person("bob")]
    cloud.put("1", "DOCS-1", security="10020")
    assert listed(cloud)["issue:1"].groups == readers


def test_where_both_let_everybody_pass_it_is_everybody_who_is_signed_in(cloud: Tracker) -> None:
    """Never anyone, where one of both asks to sign in."""
    cloud.schemes[PROJECT] = [cloud.holder("anyone")]
    cloud.levels["10020"] = [cloud.holder("applicationRole")]
    cloud.put("1", "DOCS-1", security="10020")
    assert listed(cloud)["issue:1"].groups == ("anyone signed in",)


def test_data_center_does_not_tell_who_belongs_to_a_level(home: Tracker) -> None:
    """So nobody reads its issues, and the report says so once."""
    home.put("1", "DOCS-1", security="10020")
    home.put("2", "DOCS-2", security="10020")
    documents, left_out, _ = listing(home.connect())
    assert [one.groups for one in documents.values()] == [(), ()]
    assert "any account" in left_out["Security level Secret"]


@pytest.mark.parametrize("told", [{"id": ""}, {"id": "../7"}, {}, "Secret", 7, []])
def test_a_level_that_is_not_known_lets_nobody_pass(tracker: Tracker, told: Any) -> None:
    """Whatever stands there but nothing."""
    tracker.put("1", "DOCS-1", fields={"security": told})
    assert listed(tracker)["issue:1"].groups == ()


def test_an_issue_whose_level_is_hidden_is_read_where_its_project_has_none(tracker: Tracker) -> None:
    """A level counts, though the field is hidden."""
    tracker.put("1", "DOCS-1", hidden=("security",))
    assert listed(tracker)["issue:1"].groups == ("staff",)
    tracker.security_schemes.add(PROJECT)
    assert listed(tracker)["issue:1"].groups == ()
    tracker.faults[f"{tracker.api}/project/{PROJECT}/issuesecuritylevelscheme"] = Answer(status=403)
    documents, left_out, _ = listing(tracker.connect())
    assert documents["issue:1"].groups == ()
    assert "Show the field" in left_out["Security levels of project DOCS"]


@pytest.mark.parametrize(
    ("told", "is_team_managed", "readers"),
    [
        ({"issuerestrictions": {}, "shouldDisplay": True}, True, ("staff",)),
        ({"issuerestrictions": {"projectrole": [{"actorId": "10002"}]}, "shouldDisplay": True}, True, ()),
        ({"issuerestrictions": {"projectrole": []}}, False, ()),
        ({}, True, ()),
        ("none", False, ()),
        (None, True, ()),
        (None, False, ("staff",)),
    ],
)
def test_an_issue_for_some_roles_of_a_team_is_read_by_nobody(
    cloud: Tracker, told: Any, is_team_managed: bool, readers: tuple[str, ...]
) -> None:
    """Nor one of which a team's project does not tell whether it is."""
    project = {"id": PROJECT, "key": "DOCS", "projectTypeKey": "software", "simplified": is_team_managed}
    cloud.put("1", "DOCS-1", fields={"issuerestriction": told, "project": project})
    assert listed(cloud)["issue:1"].groups == readers


def test_a_group_in_the_cloud_is_called_as_it_is_now(cloud: Tracker) -> None:
    """The scheme still has its earlier name, which another group may bear by now."""
    cloud.names["g-staff"] = "crew"
    cloud.put("1", "DOCS-1")
    assert listed(cloud)["issue:1"].groups == ("crew",)
    holder = {"type": "group", "parameter": "staff", "value": "g-staff", "group": {}}
    scheme = {"permissions": [{"permission": "BROWSE_PROJECTS", "holder": holder}]}
    cloud.faults[f"{cloud.api}/project/{PROJECT}/permissionscheme"] = Answer(body=scheme)
    assert listed(cloud)["issue:1"].groups == ()


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
    ],
)
def test_a_search_that_is_not_complete_is_an_error(tracker: Tracker, answer: Answer) -> None:
    """And never an empty listing, of which all that it does not name would be gone."""
    tracker.put("1", "DOCS-1")
    tracker.faults[f"{tracker.api}/search{'/jql' if tracker.is_cloud else ''}"] = answer
    documents, _, error = listing(tracker.connect())
    assert (documents, type(error)) == ({}, SourceError)
    assert len(tracker.server.asked) < 40


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
