"""Run the scenario in the namespace: start everything, let people ask and click, report JSON on standard output.

`python -m tests.acceptance.slack.scenario socket|events PATH_TO_LOCAL_SLACK FOLDER`. The folder is Footnote's home
with empty tables, and will hold the logs. The report says what was seen; the test judges it.
"""

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import psutil

from tests.acceptance.slack import confirming, local_slack
from tests.acceptance.slack.local_slack import (
    ALICE,
    BOB,
    CHARLIE,
    MIXED_CHANNEL,
    PUBLIC_CHANNEL,
    STAFF_CHANNEL,
    LocalSlack,
    wait_for,
)
from tests.acceptance.slack.namespace import loopback_up

MEASURED = 3  # questions, one after the other
APART_S = 1.2  # between them: Slack takes about one message a second in a channel
AT_ONCE = 6  # questions in a burst
BETWEEN_PEOPLE_S = 1.0  # until somebody answers somebody else

VAULT = "The vault in the harbour office opens with the code K7741 on weekdays."
CANTEEN = "The canteen serves lentil soup at noon."
ASK_VAULT = "With which code does the vault in the harbour office open?"
ASK_CANTEEN = "What does the canteen serve at noon?"
MENTION = f"<@{local_slack.BOT}>"


def main() -> None:
    """Run the scenario and print its report."""
    mode, binary, folder = cast(local_slack.Mode, sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    loopback_up()
    os.environ.update(environment(mode, folder))
    import django

    django.setup()
    make_library()
    with confirming.confirming(), running(mode, binary, folder) as processes:
        report = {"mode": mode, **scenes(LocalSlack()), "memory_mb": memory_mb(processes)}
    report["exit_codes"] = {name: process.returncode for name, process in processes.items()}
    sys.stdout.write(json.dumps(report))


def environment(mode: local_slack.Mode, folder: Path) -> dict[str, str]:
    """Footnote's settings. Over HTTP the bot has no app token, and the web process hears Slack.

    Passages are read by the reader over Socket Mode alone: how answers are found does not depend on how Slack is heard.
    """
    tokens = {"SLACK_BOT_TOKEN": local_slack.TOKEN, "SLACK_SIGNING_SECRET": local_slack.SECRET}
    if mode == "socket":
        tokens |= {"SLACK_APP_TOKEN": local_slack.APP_TOKEN, "SLACK_SIGNING_SECRET": ""}
    else:
        tokens |= {"READER": "none"}
    return tokens | {
        "DJANGO_SETTINGS_MODULE": "adminsite.settings",
        "FOOTNOTE_HOME": str(folder),
        "DATABASE_URL": "",
        "DEBUG": "true",  # plain http
        "LOCAL_PAGE": "false",
        "PORT": str(local_slack.WEB_PORT),
        "SLACK_API_URL": f"http://127.0.0.1:{confirming.PORT}/api/",
        "EVALUATION_ENABLED": "false",
        "GUEST_ROLE": "",
    }


def make_library() -> None:
    """Three people, and two documents: one that Alice may read, one that Bob may read too."""
    from core.testing import make_cast, make_document

    cast_of_three = make_cast()
    make_document("Vault rules", VAULT, roles=[cast_of_three.owners], section="Opening")
    make_document("Canteen rules", CANTEEN, roles=[cast_of_three.staff], section="Hours")


@contextlib.contextmanager
def running(mode: local_slack.Mode, binary: str, folder: Path) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """local-slack and Footnote's processes, stopped at the end with SIGTERM, the bot first."""
    (folder / "local-slack.json").write_text(json.dumps(local_slack.config(mode)))
    python = sys.executable
    commands = {
        "local-slack": [binary, "--config", str(folder / "local-slack.json"), "--port", str(local_slack.PORT)],
        "worker": [python, "manage.py", "worker"],
        "bot": [python, "-m", "bot"],
    }
    if mode == "events":
        commands["web"] = [python, "-m", "gunicorn", "--config", "python:adminsite.gunicorn", "adminsite.wsgi"]
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in commands.items():
            log = (folder / f"{name}.log").open("wb")
            processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            if name == "local-slack":
                wait_for("local-slack", lambda: answers(f"http://127.0.0.1:{local_slack.PORT}/_control/state"))
        if mode == "socket":
            wait_for("the bot's connection", LocalSlack().is_connected)
        else:
            wait_for("the web process", lambda: answers(f"http://127.0.0.1:{local_slack.WEB_PORT}/livez"))
        yield processes
    finally:
        for process in reversed(processes.values()):
            process.send_signal(signal.SIGTERM)
        for process in processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()


def answers(url: str) -> bool:
    """True when something answers at the address."""
    try:
        with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own address
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def scenes(slack: LocalSlack) -> dict[str, Any]:
    """Everything that people do, and what they see of it."""
    mention = slack.say(ALICE, STAFF_CHANNEL, f"{MENTION} {ASK_CANTEEN}")
    answered = slack.answered(mention)
    told = [entry for entry in slack.log() if entry["direction"] == "to_bot" and mention["ts"] in json.dumps(entry)]
    slack.edit(mention, f"{MENTION} {ASK_CANTEEN} Please!")
    report: dict[str, Any] = {
        "mention": {"ts": mention["ts"], "reply": answered, "events": len(told)},
        "direct": slack.answered(slack.say(ALICE, ALICE, ASK_VAULT)),
        "forbidden_person": slack.answered(slack.say(BOB, BOB, ASK_VAULT)),
        "person_without_roles": slack.answered(slack.say(CHARLIE, CHARLIE, ASK_VAULT)),
        "forbidden_channel": slack.answered(slack.say(ALICE, STAFF_CHANNEL, f"{MENTION} {ASK_VAULT}")),
        "public_channel": slack.answered(slack.say(ALICE, PUBLIC_CHANNEL, f"{MENTION} {ASK_CANTEEN}")),
        "mixed_channel": slack.answered(slack.say(ALICE, MIXED_CHANNEL, f"{MENTION} {ASK_CANTEEN}")),
        "empty": slack.answered(slack.say(BOB, STAFF_CHANNEL, MENTION)),
        "follow_up": slack.answered(slack.say(BOB, STAFF_CHANNEL, f"{MENTION} And when?", thread=mention["ts"])),
    }
    report["thread"] = thread(slack, mention)
    report["private"] = private(slack, report["direct"]["channel"])
    report["command"] = command(slack, report["direct"]["channel"])
    report["home"] = {"alice": slack.open_home(ALICE), "charlie": slack.open_home(CHARLIE)}
    report["clicks"] = clicks(slack, report["direct"])
    report["burst"] = burst(slack)
    report["latency"] = latency(slack)
    later = {report["follow_up"]["ts"], report["thread"]["followed"]["ts"]}
    report["mention"]["replies"] = [m for m in slack.replies(mention) if m["ts"] not in later]
    report["posts"] = len(slack.called("chat.postMessage"))
    report["unfurling_posts"] = [
        call for call in slack.called("chat.postMessage") if call["unfurl_links"] or call["unfurl_media"]
    ]
    return report


def thread(slack: LocalSlack, mention: dict[str, Any]) -> dict[str, Any]:
    """Bob goes on without a mention, then speaks with Alice. The bot's replies after each."""
    place = {"thread": mention["ts"]}
    followed = slack.answered(slack.say(BOB, STAFF_CHANNEL, "And what does it serve at noon?", **place))
    before = len(slack.replies(mention))
    # Nobody answers within milliseconds; what is sent at once may arrive in any order.
    slack.say(ALICE, STAFF_CHANNEL, "Bob, I had it yesterday.", **place)
    time.sleep(BETWEEN_PEOPLE_S)
    slack.say(BOB, STAFF_CHANNEL, "Was it any good?", **place)
    time.sleep(BETWEEN_PEOPLE_S)
    asked_last = slack.say(ALICE, STAFF_CHANNEL, "Is it ever?", **place)
    # What comes after it was heard after it.
    slack.answered(slack.say(BOB, BOB, ASK_CANTEEN))
    return {"followed": followed, "before": before, "after": len(slack.replies(asked_last))}


def private(slack: LocalSlack, direct: str) -> dict[str, Any]:
    """Alice asks before Bob what she alone may read, and takes up the offer."""
    question = slack.say(ALICE, STAFF_CHANNEL, f"{MENTION} {ASK_VAULT}")
    refused = slack.answered(question)

    def seen(word: str) -> dict[str, Any] | None:
        """Find the message that Alice alone sees. If local-slack does not mark it, it is in direct messages."""
        beside = [m for m in slack.messages(STAFF_CHANNEL) if m.get("subtype") == "ephemeral"]
        theirs = [m for m in beside + slack.messages(direct) if m["ts"] > refused["ts"]]
        return next((m for m in theirs if word in json.dumps(m)), None)

    offer = wait_for("the offer", lambda: seen("answer_privately"))
    slack.click(ALICE, offer, "answer_privately")
    answer = wait_for("the private answer", lambda: seen("K7741"))
    open_to_all = [m for m in slack.messages(STAFF_CHANNEL) if m.get("subtype") != "ephemeral"]
    return {
        "refused": refused,
        "offer": offer,
        "answer": answer,
        "channel": json.dumps(open_to_all),
    }


def command(slack: LocalSlack, direct: str) -> dict[str, Any]:
    """Alice uses the slash command where Bob is: for help, for a list, and for a question."""

    def shown(word: str) -> dict[str, Any]:
        return wait_for(word, lambda: next((m for m in slack.messages(STAFF_CHANNEL) if word in json.dumps(m)), None))

    slack.command(ALICE, STAFF_CHANNEL, "help")
    slack.command(ALICE, STAFF_CHANNEL, "sources")
    told = {"help": shown("since:2024"), "sources": shown("Vault rules")}
    known = {m["ts"] for m in slack.messages(direct)}
    slack.command(ALICE, STAFF_CHANNEL, f"{ASK_VAULT} type:page")
    answered = wait_for(
        "an answer to the command",
        lambda: next((m for m in slack.messages(direct) if m["ts"] not in known and "K7741" in json.dumps(m)), None),
    )
    return {**told, "answer": answered}


def clicks(slack: LocalSlack, answer: dict[str, Any]) -> dict[str, Any]:
    """Alice votes and opens the quotes of her answer; Bob, who got hold of the buttons, tries both."""
    from core.models import Feedback

    earlier = len(slack.called("chat.postEphemeral"))

    def told(count: int) -> list[dict[str, Any]]:
        calls = wait_for(
            "a word to the clicker", lambda: _at_least(slack.called("chat.postEphemeral"), earlier + count)
        )
        return calls[earlier:]

    slack.vote(ALICE, answer, "positive")
    told(1)
    slack.vote(BOB, answer, "positive")
    sentences = [(call["user"], call["text"]) for call in told(2)]
    slack.click(ALICE, answer, "show_quotes")
    wait_for("Alice's quotes", lambda: slack.called("views.update"))
    slack.click(BOB, answer, "show_quotes")
    views = wait_for("Bob's quotes", lambda: _at_least(slack.called("views.update"), 2))
    return {
        "sentences": sentences,
        "votes": list(Feedback.objects.values_list("user__display_name", "verdict")),
        "quotes": [json.dumps(call["view"]) for call in views],
    }


def _at_least(calls: list[dict[str, Any]], count: int) -> list[dict[str, Any]] | None:
    return calls if len(calls) >= count else None


def burst(slack: LocalSlack) -> list[int]:
    """Many questions before the first is answered; how many replies each got."""
    questions = [slack.say(BOB, STAFF_CHANNEL, f"{MENTION} {ASK_CANTEEN}") for _ in range(AT_ONCE)]
    for question in questions:
        slack.answered(question)
    return [len(slack.replies(question)) for question in questions]


def latency(slack: LocalSlack) -> dict[str, float]:
    """Milliseconds from the event's arrival to the posted reply, over questions asked one after the other.

    `without_model` leaves out the agent's part, in which the model answers. `seen` is measured from outside, from
    writing the message to reading the reply.
    """
    from bot.models import Reply
    from core.models import QueryLog

    total, without_model, placeholder, seen = [], [], [], []
    for _ in range(MEASURED):
        time.sleep(APART_S)
        started = time.monotonic()
        question = slack.say(BOB, STAFF_CHANNEL, f"{MENTION} {ASK_CANTEEN}")
        slack.answered(question)
        seen.append((time.monotonic() - started) * 1000)
        reply = wait_for("the recorded reply", lambda ts=question["ts"]: _recorded(ts))
        took = (reply.posted_at - reply.event.received_at).total_seconds() * 1000
        agent = QueryLog.objects.get(query=reply.query).timings_ms["agent"]
        total.append(took)
        without_model.append(took - agent)
        placeholder.append((reply.placed_at - reply.event.received_at).total_seconds() * 1000)
    measured = {"total": total, "without_model": without_model, "placeholder": placeholder, "seen": seen}
    assert Reply.objects.count() > MEASURED
    return {f"{name}_ms": round(statistics.median(values), 1) for name, values in measured.items()}


def _recorded(ts: str) -> Any:
    from bot.models import Reply

    return Reply.objects.filter(event__ts=ts, state=Reply.State.POSTED).select_related("event", "query").first()


def memory_mb(processes: dict[str, subprocess.Popen[bytes]]) -> dict[str, int]:
    """Resident memory of each process with its children."""
    return {name: sum(_resident(process.pid)) // 2**20 for name, process in processes.items()}


def _resident(pid: int) -> list[int]:
    process = psutil.Process(pid)
    return [p.memory_info().rss for p in (process, *process.children(recursive=True))]


if __name__ == "__main__":
    main()
