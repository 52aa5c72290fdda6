"""Test who reads an issue of Jira: who passes its project and its security level; nobody by what is not told."""

from typing import Any

import pytest

from tests.integration.sync.jira import listed
from tests.integration.sync.served import Answer, listing
from tests.integration.sync.servers.jira import OTHER, PROJECT, Tracker


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
    documents, left_out, _ = listing(tracker.connect())
    assert documents["issue:1"].groups == readers
    assert ("Application jira-servicedesk" in left_out) == ("jira-servicedesk" in str(tracker.schemes[PROJECT]))


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
