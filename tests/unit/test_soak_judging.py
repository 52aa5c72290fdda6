"""Each verdict of the soak can fail."""

import json
import traceback
from typing import Any

import pytest

from benchmarks.soak.history import DOCUMENT, GRANT, ROLE, Change, History, Listener
from benchmarks.soak.judging import (
    MOST_CONNECTIONS,
    STUCK_S,
    Asked,
    Sample,
    Shared,
    Shown,
    answered_once,
    connections_grow,
    forbidden_shown,
    memory_grows,
    offered_once,
    stuck_jobs,
    unexpected_failures,
)
from benchmarks.soak.played import Call
from benchmarks.soak.reading import Audiences, is_final, read_causes

ASKED = Asked(event_ids=("Ev1",), channel="C1", thread_ts="1.0", ts="1.0", user="U1", at=100.0, accepted=True)


def reply(marker: str = "reply-1", text: str = "It is blue.", **fields: Any) -> dict[str, Any]:
    """A message of the product's."""
    return {"thread_ts": "1.0", "text": text, "blocks": [{"block_id": marker}], **fields}


@pytest.mark.parametrize(
    ("accepted", "said", "wrong"),
    [
        (True, [reply()], 0),
        (True, [reply(), {"thread_ts": "1.0", "text": "The source has changed.", "blocks": [{"block_id": "n"}]}], 0),
        (False, [], 0),
        (False, [reply()], 0),  # it was taken in, and the 200 was lost
        (True, [], 1),
        (True, [reply(), reply("reply-2")], 1),
        (True, [reply(), reply()], 2),  # too many, and the same one twice
        (False, [reply(), reply("reply-2")], 1),
        (True, [reply(text="Searching the documents…")], 1),
        (True, [reply(streaming_state="in_progress")], 1),
        (True, [{"thread_ts": "1.0", "text": "", "blocks": [], "streaming_state": "completed"}], 1),
        (True, [reply(), reply("reply-2", thread_ts="9.9")], 1),  # to nobody's question
    ],
)
def test_each_accepted_event_has_one_final_message(accepted: bool, said: list[dict[str, Any]], wrong: int) -> None:
    """And what was not accepted at most one."""
    asked = [Asked(**{name: getattr(ASKED, name) for name in Asked.__slots__} | {"accepted": accepted})]
    assert len(answered_once(asked, {"C1": said}, is_final=is_final)) == wrong


def history(*changes: Change) -> History:
    """Ann has the role crew from 0 on, and Bob from 50 on; the document d1 is called Rules."""
    return History.of(
        [
            Change(DOCUMENT, "d1", "Rules", True, 0),
            Change(ROLE, "ann", "crew", True, 0),
            *changes,
            Change(ROLE, "bob", "crew", True, 50),
        ]
    )


GRANTED = Change(GRANT, "crew", "d1", True, 10)
REVOKED = Change(GRANT, "crew", "d1", False, 60)


@pytest.mark.parametrize(
    ("changes", "readers", "since", "at", "is_wrong"),
    [
        ([GRANTED], {"ann"}, 20, 30, False),
        ([], {"ann"}, 20, 30, True),
        ([GRANTED], {"ann"}, 5, 30, False),  # granted while it was answered
        ([GRANTED], {"ann"}, 5, 9, True),  # granted too late
        ([GRANTED, REVOKED], {"ann"}, 55, 90, False),  # revoked while it was answered
        ([GRANTED, REVOKED], {"ann"}, 61, 90, True),
        ([GRANTED], {"ann", "bob"}, 20, 30, True),  # Bob is not of the crew yet
        ([GRANTED], {"ann", "bob"}, 20, 55, False),
        ([GRANTED, REVOKED], {"stranger"}, 20, 55, True),
    ],
)
def test_a_word_is_forbidden_unless_all_could_read_it_at_one_moment(
    changes: list[Change],
    readers: set[str],
    since: float,
    at: float,
    is_wrong: bool,
) -> None:
    """Between the question and the message."""
    shown = Shown(at=at, since=since, readers=frozenset(readers), text='{"text": "It is kalo-1234."}', where="C1")
    found = forbidden_shown([shown], {"kalo-1234": "Rules", "other-9999": "Other"}, history(*changes))
    assert bool(found) is is_wrong


def test_that_each_could_read_at_some_moment_is_not_enough() -> None:
    """It must be the same one: Ann could until Bob came."""
    told = history(GRANTED, Change(ROLE, "ann", "crew", False, 40))
    shown = Shown(at=90, since=20, readers=frozenset({"ann", "bob"}), text="kalo-1234", where="C1")
    assert forbidden_shown([shown], {"kalo-1234": "Rules"}, told)


def test_a_document_that_nobody_knows_is_forbidden() -> None:
    """A word of it is shown, and no document has its title."""
    shown = Shown(at=90, since=20, readers=frozenset({"ann"}), text="kalo-1234", where="C1")
    assert forbidden_shown([shown], {"kalo-1234": "Gone"}, history(GRANTED))


def test_who_reads_a_message_is_told_by_where_it_stands() -> None:
    """A channel by its members, direct messages and what one person alone sees by that person, since the question."""
    asked = [ASKED]
    audiences = Audiences(
        asked=asked,
        replies={("C1", "7.0"): "Ev1"},
        clicks={"t": ("U2", 140.0)},
        channels={"C1": ["U1", "U2"]},
        ids={"U1": "ann", "U2": "bob"},
    )
    said = [
        Call(at=150.0, method="chat.update", arguments={"channel": "C1"}, ts="7.0"),
        Call(at=150.0, method="chat.postMessage", arguments={"channel": "C1", "thread_ts": "5.0"}, ts="8.0"),
        Call(at=150.0, method="chat.postEphemeral", arguments={"channel": "C1", "user": "U2"}, ts=""),
        Call(at=150.0, method="chat.postMessage", arguments={"channel": "D1", "thread_ts": "1.0"}, ts="9.0"),
        Call(at=150.0, method="views.open", arguments={"trigger_id": "t"}, ts="V0"),
        Call(at=151.0, method="views.update", arguments={"view_id": "V0"}, ts="V0"),
    ]
    found = [(sorted(one.readers), one.since) for one in audiences.of(said)]
    assert found == [
        (["ann", "bob"], 100.0),
        (["ann", "bob"], 150.0),
        (["bob"], 150.0),
        (["ann"], 150.0),
        (["bob"], 140.0),
        (["bob"], 140.0),
    ]


@pytest.mark.parametrize(("per_minute", "is_wrong"), [(0, False), (1, False), (40, True)])
def test_a_process_may_not_grow_for_ever(per_minute: float, is_wrong: bool) -> None:
    """At the beginning it may: it loads its models."""
    lives = [Sample(at, 1, min(at, 60) * 10 + per_minute * at / 60) for at in range(0, 600, 3)]
    assert bool(memory_grows({"worker": lives})) is is_wrong


def test_each_life_of_a_process_is_judged_by_itself() -> None:
    """A new one begins small, and a short one is not judged."""
    grows = [Sample(1000 + at, 2, 300 + at) for at in range(0, 600, 3)]
    short = [Sample(2000 + at, 3, 300 + 10 * at) for at in range(0, 60, 3)]
    flat = [Sample(at, 1, 900) for at in range(0, 600, 3)]
    (found,) = memory_grows({"worker": [*flat, *grows, *short]})
    assert found.startswith("worker, life 2:")


@pytest.mark.parametrize(
    ("counts", "wrong"),
    [([10] * 30, 0), ([10] * 20 + [25] * 10, 1), ([MOST_CONNECTIONS + 1, *[10] * 29], 1), ([], 0), ([3], 0)],
)
def test_connections_stay_within_bounds(counts: list[int], wrong: int) -> None:
    """At any time, and from the first third to the last."""
    assert len(connections_grow({"primary": counts, "standby": [5] * 30})) == wrong


def test_a_job_that_is_due_for_long_is_stuck() -> None:
    """One that is done, or failed, or not due yet, is not."""
    jobs = [
        (1, "bot.answer", "doing", STUCK_S + 1),
        (2, "bot.answer", "todo", STUCK_S + 1),
        (3, "bot.answer", "todo", STUCK_S - 1),
        (4, "bot.answer", "todo", -100.0),
        (5, "bot.answer", "failed", 900.0),
    ]
    assert [found.split()[1] for found in stuck_jobs(jobs)] == ["1", "2"]


def test_a_failed_job_is_wrong_unless_it_comes_again_and_the_database_was_away() -> None:
    """Of a task that is done again soon, and by nothing else; a failure without a log is wrong too."""
    jobs = [(1, "core.seal_audit"), (2, "core.seal_audit"), (3, "core.ingest"), (4, "bot.answer"), (5, "bot.resume")]
    causes = {1: "OperationalError", 2: "KeyError", 3: "OperationalError", 4: "FaultError"}
    found = unexpected_failures(jobs, causes)
    assert [wrong.split()[1] for wrong in found] == ["2", "3", "4", "5"]


def test_what_ended_a_job_is_read_from_the_log() -> None:
    """The last error of its traceback, whatever the error says; of jobs that are tried again nothing is read."""

    def logged(action: str, pk: int) -> bytes:
        try:
            try:
                raise KeyError("first")
            except KeyError as error:
                raise TimeoutError("no answer:\nat all\n\tfrom x: nor later") from error
        except TimeoutError:
            said = traceback.format_exc()
        return json.dumps({"event": "Job ended", "action": action, "job": {"id": pk}, "exc_info": said}).encode()

    log = b"\n".join([b"Booting worker", logged("job_error", 7), logged("job_error_retry", 8), b'{"event": "x"}'])
    assert read_causes(log) == {7: "TimeoutError"}


def test_what_is_lost_counts_until_others_see_it() -> None:
    """A loss counts from when it was heard, or from when the listener was back if the server died before."""
    listener = Listener(str)
    listener.since += [10.0, 50.0]
    listener.heard[1] = 23.5
    assert listener.seen_at(1, 20.0) == 23.5
    assert listener.seen_at(1, 24.0) == 24.0
    assert listener.seen_at(2, 20.0) == 50.0
    assert listener.seen_at(2, 60.0) == 60.0


@pytest.mark.parametrize(
    ("accepted", "markers", "is_wrong"),
    [
        (True, ["upload-1"], False),
        (True, [], True),
        (True, ["upload-1", "upload-1"], True),
        (True, ["reply-1"], True),
        (False, [], False),
        (False, ["upload-1"], False),
        (False, ["upload-1", "upload-2"], True),
    ],
)
def test_each_shared_file_has_one_message(accepted: bool, markers: list[str], is_wrong: bool) -> None:
    """That asks about it, and then says what became of it; of what was not accepted at most one."""
    said = {"D1": [reply(marker) for marker in markers]}
    assert bool(offered_once([Shared(channel="D1", ts="1.0", accepted=accepted)], said)) is is_wrong
