"""Judge what was seen against what is required: each verdict is a list of faults. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression, mean, median
from typing import Any

from benchmarks.soak.history import History

STUCK_S = 60.0  # a job or run that is due for longer, when all is calm, is stuck
GROWTH_SHARE, GROWTH_MB = 0.10, 30.0  # a process may grow by so much over the second half of its life
LEAST_LIFE_S = 120.0  # of a process for its memory to be judged: before that it loads its models
# How the database's being away ends a job.
AWAY = frozenset(
    {"OperationalError", "InterfaceError", "DatabaseUnavailableError", "ConnectorException", "PoolTimeout"}
)
# The tasks that may fail when the database is away, and why nothing is lost by it.
_EACH_MINUTE, _SOON = (
    "a minute later it is done again, and looks at all that there is",
    "it is done again within the hour",
)
MAY_FAIL = {
    **dict.fromkeys(
        (
            "bot.resume",
            "core.feed_engine",
            "core.forget_model_replies",
            "core.resume_footnotes",
            "core.resume_ingestion",
            "core.resume_syncs",
            "core.seal_audit",
            "core.start_due_syncs",
            "core.take_expired_grants",
        ),
        _EACH_MINUTE,
    ),
    **dict.fromkeys(
        (
            "bot.queue_digests",
            "bot.synchronise_all_usergroups",
            "bot.take_all_stock",
            "core.assign_gaps",
            "core.build_vector_index",
            "core.close_conversations",
            "core.forget_request_counts",
            "core.withdraw_unanswered",
        ),
        _SOON,
    ),
}
MOST_CONNECTIONS = 60  # to one server, of web, worker and bot together
CONNECTIONS_GROWTH = 10  # by so many the last third of the time may have more than the first


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question that somebody asked in Slack."""

    event_ids: tuple[str, ...]  # a mention has two
    channel: str
    thread_ts: str
    ts: str
    user: str
    at: float  # Unix time of the first sending
    accepted: bool  # by a 200, at least once


@dataclass(frozen=True, kw_only=True, slots=True)
class Shared:
    """A file that somebody shared with the bot in direct messages."""

    channel: str
    ts: str
    accepted: bool  # by a 200, or over the socket


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """Something that appeared in Slack, or changed there."""

    at: float
    since: float  # what could be read from then on counts: when the question was asked, or the button clicked
    readers: frozenset[str]  # the people, by the database's id
    text: str  # all of it, as JSON
    where: str  # for the report


@dataclass(frozen=True, slots=True)
class Sample:
    """A process's memory at one time."""

    at: float
    life: int  # which of the process's lives it was
    mb: float


def answered_once(
    asked: Iterable[Asked],
    messages: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    is_final: Callable[[Mapping[str, Any]], bool],
) -> list[str]:
    """Each accepted question has one final message, and what was not accepted at most one.

    messages: what stands in the played Slack, by channel. Replies are told by their markers, and by thread.
    """
    expected: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
    for one in asked:
        expected[one.channel, one.thread_ts].append(one)
    replies = _find_replies(messages)
    wrong = []
    for place in sorted(expected.keys() | replies.keys()):
        questions, there = expected.get(place, []), replies.get(place, [])
        least = sum(question.accepted for question in questions)
        if not least <= len(there) <= len(questions):
            wrong.append(
                f"{place[0]}/{place[1]}: {least} questions accepted of {len(questions)}, {len(there)} replies"
                f" ({', '.join(event for question in questions for event in question.event_ids)})"
            )
        wrong += [f"{place[0]}/{place[1]}: a reply that is not final" for reply in there if not is_final(reply)]
        markers = Counter(marker_of(reply) for reply in there)
        wrong += [f"{place[0]}/{place[1]}: {marker} stands twice" for marker, count in markers.items() if count > 1]
    return wrong


def offered_once(shared: Iterable[Shared], messages: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Each accepted file has one message that says what became of it, and what was not accepted at most one."""
    said: Counter[tuple[str, str]] = Counter(
        (channel, str(message.get("thread_ts") or ""))
        for channel, there in messages.items()
        for message in there
        if marker_of(message).startswith("upload-")
    )
    return [
        f"{one.channel}/{one.ts}: {said[one.channel, one.ts]} messages, {'' if one.accepted else 'not '}accepted"
        for one in shared
        if not int(one.accepted) <= said[one.channel, one.ts] <= 1
    ]


def marker_of(message: Mapping[str, Any]) -> str:
    """Return a message's marker; empty where it has none, as a stream that goes on."""
    blocks = message.get("blocks") or [{}]
    return str(blocks[0].get("block_id") or "")


def is_reply(message: Mapping[str, Any]) -> bool:
    """Return True if a message is the reply to an event, finished or begun, and no notice beside it."""
    return marker_of(message).startswith("reply-") or "streaming_state" in message


def _find_replies(
    messages: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    found: defaultdict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for channel, said in messages.items():
        for message in said:
            if is_reply(message):
                found[channel, str(message.get("thread_ts") or "")].append(message)
    return found


def forbidden_shown(shown: Iterable[Shown], canaries: Mapping[str, str], history: History) -> list[str]:
    """No word of a document where somebody reads who could not, at any moment from the question on, read it.

    canaries: the words by which documents are known, each with the title of its document.
    """
    wrong = []
    for one in shown:
        for word in (word for word in canaries if word in one.text):
            documents = history.titles.get(canaries[word], set())
            if not history.could_all_read(one.readers, documents, one.since, one.at):
                wrong.append(f"{one.where} at {one.at:.3f}, asked at {one.since:.3f}: {word} ({canaries[word]})")
    return wrong


def memory_grows(samples: Mapping[str, Sequence[Sample]]) -> list[str]:
    """No process grows over the second half of a life by more than the bound."""
    wrong = []
    for name, seen in samples.items():
        for life in sorted({sample.life for sample in seen}):
            growth, allowed = _growth([sample for sample in seen if sample.life == life])
            if growth > allowed:
                wrong.append(f"{name}, life {life}: grew by {growth:.0f} MB in its second half, {allowed:.0f} allowed")
    return wrong


def _growth(samples: Sequence[Sample]) -> tuple[float, float]:
    """By how many megabytes a process grew over the second half of its life, by the line that fits, and the bound."""
    if len(samples) < 8 or samples[-1].at - samples[0].at < LEAST_LIFE_S:
        return 0.0, 0.0
    half = samples[len(samples) // 2 :]
    slope, _ = linear_regression([sample.at for sample in half], [sample.mb for sample in half])
    return slope * (half[-1].at - half[0].at), GROWTH_SHARE * mean(sample.mb for sample in half) + GROWTH_MB


def connections_grow(connections: Mapping[str, Sequence[int]]) -> list[str]:
    """The connections to each server stay within their bounds."""
    wrong = []
    for name, counts in connections.items():
        if counts and max(counts) > MOST_CONNECTIONS:
            wrong.append(f"{max(counts)} connections to the {name} at once, {MOST_CONNECTIONS} allowed")
        third = len(counts) // 3
        first, last = (median(counts[:third]), median(counts[-third:])) if third else (0, 0)
        if last > first + CONNECTIONS_GROWTH:
            wrong.append(f"connections to the {name} grew from {first:.0f} to {last:.0f}")
    return wrong


def unexpected_failures(jobs: Iterable[tuple[int, str]], causes: Mapping[int, str]) -> list[str]:
    """No job was given up but those of MAY_FAIL, and these by a database that was away.

    jobs: id and task. causes: the name of the error that ended a job, by its id.
    """
    return [
        f"job {pk} ({task}) failed by {causes.get(pk, 'what no log tells')}"
        for pk, task in jobs
        if task not in MAY_FAIL or causes.get(pk) not in AWAY
    ]


def stuck_jobs(jobs: Iterable[tuple[int, str, str, float]]) -> list[str]:
    """No job is due, or being done, for longer than the bound.

    jobs: id, task, status, and for how many seconds it has been due.
    """
    return [
        f"job {pk} ({task}) is {status} and due for {due_s:.0f} s"
        for pk, task, status, due_s in jobs
        if status in ("todo", "doing") and due_s > STUCK_S
    ]
