"""Changes proposed at repositories: what lands on a branch, what is asked once, and what becomes of it."""

import logging
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import SourceError, SourceRefusedError
from core.library.ingestion.sources.policy import Policy
from core.library.sync.kinds import kind_of
from core.library.sync.proposing import ChangeOutcome, ChangeWay, SentChange
from tests.integration.sync.proposed import (
    BRANCH,
    GIT_WAYS,
    ID,
    REQUEST_WAYS,
    WAYS,
    Place,
    change_of,
    open_place,
)
from tests.integration.sync.servers.merge_requests import Api

every_way = pytest.mark.parametrize("place", WAYS, indirect=True)
with_requests = pytest.mark.parametrize("place", REQUEST_WAYS, indirect=True)
over_http = pytest.mark.parametrize("place", GIT_WAYS, indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place of the parametrized way."""
    with open_place(request.param, tmp_path) as opened:
        yield opened


def api_of(place: Place) -> Api:
    """Return the scripted API, where there is one."""
    assert place.api is not None
    return place.api


def check_sound(place: Place) -> None:
    """Have git check every object of the repository."""
    assert place.git("fsck", "--full", "--strict", "--no-dangling", "--no-progress") == ""


@every_way
def test_a_changed_file_lands_on_a_branch(place: Place) -> None:
    """One commit after the newest of main, of this file alone, with its mode."""
    place.put("b.md", b"untouched\n")
    before = place.put("handbook/a.md", b"old\n", mode=0o755)
    main = place.git("rev-parse", "main")
    objects = int(place.git("count-objects").split()[0])
    sent = place.connect().propose(change_of("handbook/a.md", before, "old\nand new\n"))
    assert place.branches() == {"main", BRANCH}
    assert place.git("rev-parse", "main", f"{BRANCH}^") == f"{main}\n{main}"
    assert place.git("diff", "--name-status", "main", BRANCH) == "M\tdocs/handbook/a.md"
    assert place.git("show", f"{BRANCH}:docs/handbook/a.md") == "old\nand new"
    [mode, kind, blob, path] = place.git("ls-tree", "-r", BRANCH, "docs/handbook/a.md").split()
    assert (mode, kind, path) == ("100755", "blob", "docs/handbook/a.md")
    people = "Footnote <footnote@localhost>"
    assert place.git("log", "-1", "--format=%an <%ae>|%cn <%ce>", BRANCH) == f"{people}|{people}"
    assert place.git("log", "-1", "--format=%B", BRANCH) == "Say who has the key\n\nIt was asked **twice**."
    check_sound(place)
    assert int(place.git("count-objects").split()[0]) - objects == 5  # a commit, three folders, a file
    assert (sent.item_key, sent.branch, sent.fingerprint) == ("handbook/a.md", BRANCH, blob)
    assert (bool(sent.url), bool(sent.number)) == (place.api is not None,) * 2


@every_way
def test_a_new_file_lands_on_a_branch(place: Place) -> None:
    """In a folder that is new with it, under any name that Git knows."""
    place.put("a.md", b"old\n")
    key = "Neue Räume/Schlüssel #1 & 100%.md"
    sent = place.connect().propose(change_of(key, "", "Alice has it.\n"))
    assert place.git("diff", "--name-status", "main", BRANCH) == f"A\tdocs/{key}"
    assert place.git("ls-tree", "-r", BRANCH, f"docs/{key}").startswith(f"100644 blob {sent.fingerprint}\t")
    check_sound(place)
    place.merge(is_squashed=False)
    assert place.fingerprints()[key] == sent.fingerprint


@every_way
@pytest.mark.parametrize("is_squashed", [True, False])
def test_what_is_merged_is_listed_as_it_was_sent(place: Place, *, is_squashed: bool) -> None:
    """By its key and fingerprint, however it is merged."""
    before = place.put("a.md", b"old\n")
    sent = place.connect().propose(change_of("a.md", before, "new\n"))
    is_request = place.api is not None
    assert place.connect().find_outcome(sent) == (ChangeOutcome.OPEN if is_request else ChangeOutcome.UNKNOWN)
    assert place.fingerprints() == {"a.md": before}
    place.put("b.md", b"somebody else's\n")
    place.merge(is_squashed=is_squashed)
    if place.api:
        place.api.end(sent.number, merged=True)
    assert place.fingerprints()["a.md"] == sent.fingerprint
    assert place.connect().find_outcome(sent) == ChangeOutcome.MERGED


@every_way
def test_what_is_closed_is_declined(place: Place) -> None:
    """A request by its state, a branch alone when it is removed and nothing of it is in main."""
    sent = place.connect().propose(change_of("a.md", place.put("a.md", b"old\n"), "new\n"))
    if place.api:
        place.api.end(sent.number, merged=False)
    else:
        place.git("branch", "-D", BRANCH)
    assert place.connect().find_outcome(sent) == ChangeOutcome.DECLINED


@with_requests
def test_a_request_that_was_deleted_is_declined(place: Place) -> None:
    """Unless the whole repository is not shown any more, which is a matter of the token."""
    sent = place.connect().propose(change_of("a.md", place.put("a.md", b"old\n"), "new\n"))
    api = api_of(place)
    api.requests.clear()
    assert place.connect().find_outcome(sent) == ChangeOutcome.DECLINED
    api.refuses["GET "] = 404
    with pytest.raises(SourceRefusedError, match="does not show the token for proposed changes the repository"):
        place.connect().find_outcome(sent)


@every_way
def test_a_second_attempt_makes_nothing_twice(place: Place) -> None:
    """It returns what the first one did, also after main has gone on."""
    before = place.put("a.md", b"old\n")
    change = change_of("a.md", before, "new\n")
    first = place.connect().propose(change)
    made = place.git("rev-parse", BRANCH)
    place.put("a.md", b"changed in main\n")
    assert place.connect().propose(change) == first
    assert place.git("rev-parse", BRANCH) == made
    assert place.branches() == {"main", BRANCH}
    assert len(place.api.requests if place.api else [""]) == 1


@with_requests
def test_an_attempt_that_died_before_the_request_is_finished(place: Place) -> None:
    """The second one finds the branch, and makes the request of it."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    api = api_of(place)
    api.refuses[f"POST {api.requests_path}"] = 500
    with pytest.raises(SourceError, match="answers with status 500"):
        place.connect().propose(change)
    made = place.git("rev-parse", BRANCH)
    assert api.requests == []
    api.refuses.clear()
    sent = place.connect().propose(change)
    assert (sent.number, sent.fingerprint) == ("1", place.git("rev-parse", f"{BRANCH}:docs/a.md"))
    assert place.git("rev-parse", BRANCH) == made
    assert place.connect().propose(change) == sent
    assert len(api.requests) == 1


@with_requests
@pytest.mark.parametrize("merged", [True, False])
def test_a_second_attempt_finds_what_was_decided_already(place: Place, *, merged: bool) -> None:
    """Though the branch is removed by then, no other request is made."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    first = place.connect().propose(change)
    if merged:
        place.merge(is_squashed=False)
    else:
        place.git("branch", "-D", BRANCH)
    api_of(place).end(first.number, merged=merged)
    again = place.connect().propose(change)
    assert again == first
    assert place.branches() == {"main"}
    assert place.connect().find_outcome(again) == (ChangeOutcome.MERGED if merged else ChangeOutcome.DECLINED)


@every_way
def test_a_text_that_is_there_already_makes_no_branch(place: Place) -> None:
    """It was merged between two attempts, or somebody wrote the same."""
    now = place.put("a.md", b"new\n")
    sent = place.connect().propose(change_of("a.md", "0" * 40, "new\n"))
    assert sent == SentChange(item_key="a.md", branch=BRANCH, fingerprint=now)
    assert place.branches() == {"main"}
    assert place.connect().find_outcome(sent) == ChangeOutcome.MERGED


@every_way
def test_of_two_attempts_at_once_one_makes_the_branch(place: Place) -> None:
    """Whenever the other one makes it: there is one branch, and what is reported is what it has."""
    before = place.put("a.md", b"old\n")
    place.git("branch", "old", "main")
    place.put("a.md", b"of the other attempt\n")
    place.git("branch", "other", "main")
    place.git("update-ref", "refs/heads/main", "old")
    asked: list[str] = []
    lost = 0
    for moment in range(1, 30):
        branch = f"footnote/change-{moment:012d}"

        def race(moment: int = moment, branch: str = branch) -> None:
            asked.append("")
            if len(asked) == moment and branch not in place.branches():
                place.git("branch", branch, "other")

        asked.clear()
        change = change_of("a.md", before, "mine\n", proposal_id=f"{moment:012d}{0:020d}")
        sent = place.connect(access=place.served.access(pause=race)).propose(change)
        assert sent.branch == branch
        assert sent.fingerprint == place.git("rev-parse", f"{branch}:docs/a.md")
        lost += place.git("rev-parse", branch) == place.git("rev-parse", "other")
        if len(asked) < moment:
            break
    assert (lost > 1, len(asked) < moment) == (True, True)


@every_way
def test_the_main_branch_is_the_default(place: Place) -> None:
    """Where the settings name none."""
    place.served.settings["branch"] = ""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    place.connect().propose(change)
    assert place.git("log", "--format=%s", f"main..{BRANCH}") == "Say who has the key"
    if place.api:
        assert place.api.ends(place.api.requests[0]) == (BRANCH, "main")


@pytest.mark.parametrize("token", ["may-read", "wrong-letters"])
@over_http
def test_a_token_that_may_not_write_is_refused(place: Place, token: str, caplog: pytest.LogCaptureFixture) -> None:
    """With what to do, and without the token; nothing is left behind."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    if place.api:
        place.api.takes_all = True
    with caplog.at_level(logging.DEBUG), pytest.raises(SourceRefusedError, match="token for proposed changes") as error:
        place.connect(token=token).propose(change)
    said = error.value.message + caplog.text
    assert token not in said
    assert b64encode(f"footnote:{token}".encode()).decode() not in said
    assert place.branches() == {"main"}


@with_requests
def test_a_token_that_may_not_use_the_api_is_refused(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    """Whether the server does not know it, or lacks a right; the message names the rights."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    api = api_of(place)
    api.refuses[f"POST {api.requests_path}"] = 403
    with caplog.at_level(logging.DEBUG):
        with pytest.raises(SourceRefusedError, match=r"does not let the token .* write\. It needs .*write"):
            place.connect().propose(change)
        api.shown = "another"
        with pytest.raises(SourceRefusedError, match="does not accept the token for proposed changes") as error:
            place.connect().propose(change)
    assert "may-write" not in error.value.message + caplog.text


@every_way
def test_without_a_token_nothing_is_asked(place: Place) -> None:
    """A folder of this machine needs none."""
    if place.served.folders:
        assert place.connect(token="").propose(change_of("a.md", "", "new\n")).branch == BRANCH
        return
    with pytest.raises(SourceRefusedError, match="There is no token for proposed changes"):
        place.connect(token="")


@with_requests
def test_a_server_is_asked_at_its_pace_and_where_it_may_be(place: Place) -> None:
    """As when it is read: no request without its turn, and none to an address inside."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    api = api_of(place)
    turns: list[int] = []
    place.connect(access=place.served.access(pause=lambda: turns.append(len(api.asked)))).propose(change)
    assert set(turns) >= set(range(len(api.asked)))
    asked = len(api.asked)
    with pytest.raises(SourceError, match="not on the public Internet"):
        place.connect(access=place.served.access(policy=Policy())).propose(change)
    assert len(api.asked) == asked


@over_http
def test_a_branch_that_a_hook_refuses_is_reported(place: Place) -> None:
    """As protected branches are, which servers refuse in this way."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    hook = place.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho secret-of-the-hook >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(SourceRefusedError, match=f"refuses the branch {BRANCH}") as error:
        place.connect().propose(change)
    assert "secret-of-the-hook" not in error.value.message
    assert place.branches() == {"main"}


@pytest.mark.parametrize("place", ["github"], indirect=True)
def test_a_branch_that_github_refuses_is_reported(place: Place) -> None:
    """By rules of the repository, for which it has the status of a wrong request."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    api_of(place).refuses["POST /git/refs"] = 422
    with pytest.raises(SourceRefusedError, match=f"refuses the branch {BRANCH}"):
        place.connect().propose(change)


@pytest.mark.parametrize("place", ["file"], indirect=True)
def test_a_repository_outside_the_allowed_folders_is_not_written(place: Place) -> None:
    """Nor one whose branches lie elsewhere."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    with pytest.raises(SourceError, match="not in one of the folders"):
        place.connect(access=place.served.access(folders=(place.work,))).propose(change)
    outside = place.bare.parent.parent.parent / f"{place.bare.parent.parent.name}-outside"
    place.git("pack-refs", "--all")
    (place.bare / "refs" / "heads").rename(outside)
    (place.bare / "refs" / "heads").symlink_to(outside)
    with pytest.raises(SourceError, match="not in one of the folders"):
        place.connect().propose(change)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("place", ["gitlab"], indirect=True)
def test_gitlab_obeys_no_line_of_a_description(place: Place) -> None:
    """Lines that begin with a slash are commands there, with the rights of the token."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n", description="Please:\n/approve\n  /merge\na/b")
    place.connect().propose(change)
    [request] = api_of(place).requests
    assert request["description"] == "Please:\n\\/approve\n  \\/merge\na/b"
    assert (request["title"], request["remove_source_branch"]) == ("Say who has the key", True)


@pytest.mark.parametrize("place", ["gitlab", "github"], indirect=True)
def test_a_request_from_a_fork_is_not_taken_for_ours(place: Place) -> None:
    """Whoever forks the repository can give a branch there any name."""
    change = change_of("a.md", place.put("a.md", b"old\n"), "new\n")
    api = api_of(place)
    forged = {"source_branch": BRANCH, "target_branch": "main", "head": BRANCH, "base": "main"}
    request = api.describe(forged, 1)
    request["source_project_id"] = 8
    if isinstance(request["head"], dict):
        request["head"]["repo"] = {"id": 8}
    api.requests.append(request | {"state": "closed"})
    assert place.connect().propose(change).number == "2"


@pytest.mark.parametrize(
    ("kind", "settings", "way"),
    [
        ("git", {}, None),
        ("git", {"changes": "branch"}, ChangeWay.BRANCH),
        ("git", {"changes": "gitlab"}, ChangeWay.MERGE_REQUEST),
        ("git", {"changes": "gitea"}, ChangeWay.MERGE_REQUEST),
        ("github", {}, None),
        ("github", {"changes": True}, ChangeWay.MERGE_REQUEST),
    ],
)
def test_the_settings_say_how_changes_are_proposed(kind: str, settings: dict[str, object], way: ChangeWay) -> None:
    """Not at all, unless an administrator chooses a way."""
    address = {"address": "https://git.example.com/team/handbook.git"}
    place = address if kind == "git" else {"owner": "octo-org", "repository": "handbook"}
    found = kind_of(kind)
    assert found.find_way(found.settings.model_validate(place | settings)) == way


@pytest.mark.parametrize("address", ["file:///srv/git/team/handbook.git", "https://git.example.com/handbook.git"])
@pytest.mark.parametrize("changes", ["gitlab", "gitea"])
def test_a_merge_request_needs_a_server_that_has_them(address: str, changes: str) -> None:
    """A project there has a group or an owner."""
    with pytest.raises(ValueError, match="choose a branch alone"):
        kind_of("git").settings.model_validate({"address": address, "changes": changes})


def test_a_branch_is_named_by_its_proposal() -> None:
    """So that each attempt finds it."""
    assert BRANCH.endswith(ID[:12])
