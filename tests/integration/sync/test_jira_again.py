"""Test the second look at an issue of Jira after it was loaded: its readers now, and whether it is unchanged."""

import datetime as dt
from collections.abc import Callable
from email.utils import format_datetime

import pytest

from core.errors import ChangedMeanwhileError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed, TellsReaders
from tests.integration.sync.served import Answer, Asked, Server, listing
from tests.integration.sync.servers.jira import OTHER, PROJECT, Tracker

ISSUE, ATTACHMENT = "issue:1", "attachment:1/7"
LATER = "2024-06-01T10:00:00.123+0000"
TURNS = range(1, 11)


def fill(tracker: Tracker) -> Tracker:
    """An issue with a file, read by a role of its project."""
    tracker.schemes[PROJECT] = [tracker.holder("projectRole", "10002")]
    tracker.roles = {(PROJECT, "10002"): [("group", "staff"), ("user", "alice")]}
    tracker.roles[OTHER, "10002"] = [("group", "board")]
    tracker.groups = {"staff": ["alice", "bob"], "board": ["bob"]}
    tracker.levels = {"10020": [tracker.person("alice")]}
    tracker.put("1", "DOCS-1", "The pier", reporter="rita", attachments={"7": ("plan.md", b"# Plan")})
    return tracker


@pytest.fixture(params=["cloud", "data center"])
def tracker(request: pytest.FixtureRequest, server: Server) -> Tracker:
    """A Jira of each edition with an issue."""
    return fill(Tracker(server, is_cloud=request.param == "cloud"))


@pytest.fixture
def cloud(server: Server) -> Tracker:
    """A Jira in the cloud with an issue."""
    return fill(Tracker(server, is_cloud=True))


def listed(tracker: Tracker) -> dict[str, Listed]:
    """Return the listed documents."""
    documents, _, error = listing(tracker.connect())
    assert error is None
    return documents


def look_again(tracker: Tracker, one: Listed, **settings: object) -> Listed | None:
    """Look at an issue again."""
    connector = tracker.connect(**settings)
    assert isinstance(connector, TellsReaders)
    return connector.look_again(one)


def read_groups(tracker: Tracker, one: Listed) -> tuple[str, ...] | None:
    """Return the readers of now of something that is as it was."""
    now = look_again(tracker, one)
    assert now is not None
    assert now.fingerprint == one.fingerprint
    return now.groups


@pytest.mark.parametrize("key", [ISSUE, ATTACHMENT])
def test_what_stays_is_as_it_was_listed(tracker: Tracker, key: str) -> None:
    """Issues and attachments."""
    one = listed(tracker)[key]
    assert one.groups == ("alice@example.org", "staff")
    assert look_again(tracker, one) == one


def test_an_issue_takes_six_requests_where_its_scheme_says_all(tracker: Tracker) -> None:
    """Its text and comments, and twice who reads it: as the manual says."""
    tracker.schemes[PROJECT] = [tracker.group("staff")]
    connector = tracker.connect()
    one = listing(connector)[0][ISSUE]
    tracker.server.asked.clear()
    assert connector.load(one, "") is not None
    assert connector.look_again(one) == one
    assert len(tracker.server.asked) == 6


@pytest.mark.parametrize("key", [ISSUE, ATTACHMENT])
def test_rights_of_now_count(tracker: Tracker, key: str) -> None:
    """Of the project and of its roles, also for the connector that listed it."""
    connector = tracker.connect()
    one = listing(connector)[0][key]
    tracker.roles[PROJECT, "10002"] = [("group", "board")]
    now = connector.look_again(one)
    assert now is not None
    assert (now.groups, now.fingerprint) == (("board",), one.fingerprint)
    tracker.roles[PROJECT, "10002"] = []
    assert read_groups(tracker, one) == ()
    tracker.schemes[PROJECT] = [tracker.holder("reporter")]
    assert read_groups(tracker, one) == ("rita@example.org",)
    tracker.schemes[PROJECT] = None
    assert read_groups(tracker, one) == ()


@pytest.mark.parametrize("key", [ISSUE, ATTACHMENT])
def test_a_level_that_was_added_after_the_listing_counts(tracker: Tracker, key: str) -> None:
    """Whom it does not name reads the issue no more; at home nobody tells whom it names."""
    one = listed(tracker)[key]
    tracker.issues["1"].security = "10020"
    assert read_groups(tracker, one) == (("alice@example.org",) if tracker.is_cloud else ())


def test_members_of_now_count(cloud: Tracker) -> None:
    """A group passes a level as long as all of its members do."""
    cloud.issues["1"].security = "10020"
    cloud.levels["10020"] = [cloud.group("board")]
    one = listed(cloud)[ISSUE]
    assert one.groups == ("board",)
    cloud.groups["board"] = ["bob", "charlie"]
    assert read_groups(cloud, one) == ()


@pytest.mark.parametrize("key", [ISSUE, ATTACHMENT])
def test_an_issue_that_was_moved_has_the_readers_of_its_new_project(tracker: Tracker, key: str) -> None:
    """Under its new key; and it is gone where that project is not wanted."""
    one = listed(tracker)[key]
    issue = tracker.issues["1"]
    issue.project, issue.key, issue.updated = OTHER, "BOARD-9", LATER
    now = look_again(tracker, one)
    assert now is not None
    assert now.groups == ("board",)
    assert now.source_url.endswith("/browse/BOARD-9")
    assert (now.fingerprint != one.fingerprint) == (key == ISSUE)
    assert now == listed(tracker)[key]
    assert look_again(tracker, one, projects=("DOCS",)) is None


def test_a_group_that_was_renamed_is_called_as_it_is_now(cloud: Tracker) -> None:
    """So the role that was chosen for its earlier name counts no more."""
    one = listed(cloud)[ISSUE]
    cloud.names["g-staff"] = "crew"
    assert read_groups(cloud, one) == ("alice@example.org", "crew")


def test_what_was_rewritten_has_another_fingerprint(tracker: Tracker) -> None:
    """That of the next listing."""
    one = listed(tracker)[ISSUE]
    tracker.issues["1"].updated = LATER
    now = look_again(tracker, one)
    assert now == listed(tracker)[ISSUE]
    assert now is not None
    assert now.fingerprint != one.fingerprint


def test_what_is_gone_is_nothing(tracker: Tracker) -> None:
    """Or what has a label by now for which it is left out; an attachment goes with its issue."""
    found = listed(tracker)
    tracker.issues["1"].labels = ["draft"]
    for one in found.values():
        assert look_again(tracker, one, without_labels=("draft",)) is None
    tracker.issues["1"].attachments = {"8": ("plan.md", b"# Plan")}
    assert look_again(tracker, found[ATTACHMENT]) is None
    assert look_again(tracker, found[ISSUE]) == found[ISSUE]
    tracker.issues["1"].hidden = ("attachment",)
    assert look_again(tracker, found[ATTACHMENT]) is None
    del tracker.issues["1"]
    assert [look_again(tracker, one) for one in found.values()] == [None, None]


def test_another_issue_in_its_place_is_not_taken_for_it(tracker: Tracker) -> None:
    """As where an answer is kept too long on its way."""
    one = listed(tracker)[ISSUE]
    tracker.faults[f"{tracker.api}/issue/1"] = Answer(body=tracker.issue("1") | {"id": "2"})
    assert look_again(tracker, one) is None


def happens(tracker: Tracker, turn: int, what: Callable[[], None]) -> None:
    """Have something happen before an answer is given, by its number."""
    turns = iter([*[lambda: None] * (turn - 1), what])
    tracker.before = lambda asked: next(turns, lambda: None)()


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("is_opened", [True, False])
@pytest.mark.parametrize("by", ["role", "scheme", "level"])
def test_readers_belong_to_the_content(tracker: Tracker, by: str, turn: int, *, is_opened: bool) -> None:
    """No look finds what was secret with the readers that came after, nor what is secret now with those before."""

    def shut(*, is_shut: bool) -> None:
        if by == "role":
            tracker.roles[PROJECT, "10002"] = [("user", "alice")] + ([] if is_shut else [("group", "staff")])
        elif by == "scheme":
            more = [] if is_shut else [tracker.group("staff")]
            tracker.schemes[PROJECT] = [tracker.person("alice"), *more]
        else:
            tracker.issues["1"].security = "10020" if is_shut else None

    shut(is_shut=is_opened)
    one = listed(tracker)[ISSUE]

    def rewrite() -> None:
        if is_opened:
            tracker.issues["1"].updated = LATER
        shut(is_shut=not is_opened)
        tracker.issues["1"].updated = LATER

    happens(tracker, turn, rewrite)
    now = look_again(tracker, one)
    assert now is not None
    is_secret = (now.fingerprint == one.fingerprint) == is_opened
    assert "staff" not in (now.groups or ()) or not is_secret


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize(("before", "after"), [("role", "scheme"), ("scheme", "role")])
def test_a_restriction_that_is_moved_meanwhile_is_not_missed(
    tracker: Tracker, before: str, after: str, turn: int
) -> None:
    """It holds at each moment, now by a role without the staff and now by a scheme without that role."""

    def restrict(by: str) -> None:
        tracker.roles[PROJECT, "10002"] = [("user", "alice")] + ([("group", "staff")] if by == "scheme" else [])
        tracker.schemes[PROJECT] = [tracker.person("alice")]
        if by == "role":
            tracker.schemes[PROJECT] = [tracker.holder("projectRole", "10002")]

    restrict(before)
    one = listed(tracker)[ISSUE]
    assert one.groups == ("alice@example.org",)
    happens(tracker, turn, lambda: restrict(after))
    assert read_groups(tracker, one) == ("alice@example.org",)


def test_an_issue_that_never_stays_is_not_described(tracker: Tracker) -> None:
    """It ends after some looks; an issue without a time of change is not described either."""
    one = listed(tracker)[ISSUE]
    count = iter(range(10, 60))

    def edit(asked: Asked) -> None:
        tracker.issues["1"].updated = f"2024-06-01T10:00:{next(count)}.123+0000"

    tracker.before = edit
    with pytest.raises(ChangedMeanwhileError):
        look_again(tracker, one)
    tracker.before = lambda asked: None
    tracker.issues["1"].updated = "yesterday"
    with pytest.raises(IngestionError, match="not certain"):
        look_again(tracker, one)


def test_a_time_that_is_told_to_the_second_counts_once_it_is_over(tracker: Tracker) -> None:
    """By the server's clock: another change within it would have the same time, so the issue is read later."""
    tracker.issues["1"].updated = "2024-06-01T10:00:00.000+0000"
    one = listed(tracker)[ISSUE]
    path = f"{tracker.api}/issue/1"
    at = dt.datetime(2024, 6, 1, 10, tzinfo=dt.UTC)

    def tell(asked: Asked) -> Answer:
        del tracker.faults[path]
        answer = tracker.answer(asked)
        tracker.faults[path] = tell
        return Answer(body=answer.body, headers={"Date": format_datetime(now, usegmt=True)})

    tracker.faults[path] = tell
    now = at + dt.timedelta(seconds=1)
    with pytest.raises(ChangedMeanwhileError):
        look_again(tracker, one)
    with pytest.raises(ChangedMeanwhileError):
        tracker.connect().load(one, "")
    now = at + dt.timedelta(seconds=3)
    assert look_again(tracker, one) == one
    assert tracker.connect().load(one, "") is not None


@pytest.mark.parametrize(("status", "error"), [(401, SourceRefusedError), (500, SourceError), (403, IngestionError)])
def test_a_jira_that_does_not_answer_has_not_lost_the_issue(
    tracker: Tracker, status: int, error: type[Exception]
) -> None:
    """It is asked again."""
    one = listed(tracker)[ISSUE]
    tracker.faults[f"{tracker.api}/issue/1"] = Answer(status=status)
    with pytest.raises((error, IngestionError)):
        look_again(tracker, one)


def test_keys_that_are_none_lead_nowhere(tracker: Tracker) -> None:
    """They are asked for as one name."""
    for key in ("issue:../myself", "issue:", "attachment:1/../../myself", "attachment:1/"):
        assert look_again(tracker, Listed(key=key, name="A page")) is None
    assert tracker.asked("/myself") == []
