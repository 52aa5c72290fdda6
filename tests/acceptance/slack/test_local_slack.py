"""A question asked in Slack is answered once, from what its readers may read: over Socket Mode and over HTTP."""

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.blocks.buttons import SHARE
from bot.blocks.quotes import NOTHING
from bot.identity.interactions import NotYoursError
from bot.listeners.votes import THANKS
from tests.acceptance.slack.namespace import namespace_command
from tests.acceptance.slack.scenario import ASK_VAULT, AT_ONCE, MEASURED
from tests.figures import measured
from tests.prepared_home import Prepare

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SCENARIO_S = 500
VAULT_WORDS = ("K7741", "Vault rules", "weekdays", "opens with")

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="session")
def binary() -> Path:
    """local-slack, installed from its lock file without running anybody's scripts."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("local-slack is installed for Linux on x86-64 only")
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not installed")
    path = HERE / "node_modules" / "local-slack-linux-x64" / "bin" / "local-slack"
    if not path.exists():
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        installed = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False, timeout=300)
        if installed.returncode:
            pytest.skip(f"npm could not install local-slack: {installed.stderr.strip().splitlines()[-1]}")
    return path


# Over HTTP the same scenario takes as long again; how that endpoint hears Slack, tests/integration/bot tries as well.
@pytest.fixture(scope="module", params=["socket", pytest.param("events", marks=pytest.mark.slow)])
def report(request: pytest.FixtureRequest, binary: Path, prepare_home: Prepare) -> Iterator[dict[str, Any]]:
    """Run the scenario and return its report."""
    namespace = namespace_command()
    if not namespace:
        pytest.skip("this machine gives no network namespace (unshare)")
    with tempfile.TemporaryDirectory(prefix="footnote-slack-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database may run as another account
        prepare_home(folder)
        command = (*namespace, sys.executable, "-m", "tests.acceptance.slack.scenario", request.param)
        yield {"mode": request.param, **run_scenario(command, binary, folder)}


def run_scenario(command: tuple[str, ...], binary: Path, folder: Path) -> dict[str, Any]:
    """Run the scenario with everything it starts, and end all of it when it takes too long."""
    process = subprocess.Popen(
        [*command, str(binary), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=SCENARIO_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
    logs = "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in folder.glob("*.log"))
    assert process.returncode == 0, f"{errors[-3000:]}\n{logs}"
    found: dict[str, Any] = json.loads(output)
    found["logs"] = {log.stem: log.read_text(errors="replace") for log in folder.glob("*.log")}
    return found


def text_of(message: dict[str, Any]) -> str:
    return json.dumps([message["text"], message.get("blocks")])


def test_a_mention_is_answered_once_in_its_thread(report: dict[str, Any]) -> None:
    """Two events and an edit of the question make one threaded reply, with a numbered source and the buttons."""
    seen = report["mention"]
    assert seen["events"] >= 2
    assert [reply["ts"] for reply in seen["replies"]] == [seen["reply"]["ts"]]
    said = text_of(seen["reply"])
    assert seen["reply"]["thread_ts"] == seen["ts"]
    assert "lentil soup" in said
    assert "[1]" in seen["reply"]["text"]
    assert "[1] <https://library.example/canteen-rules|Canteen rules>, section Hours" in said
    assert re.findall(r'"action_id": "(\w+)"', said) == ["show_quotes", "why_this_answer", "feedback", "remove_answer"]
    assert not any(word in said for word in VAULT_WORDS)


def test_a_direct_message_is_answered(report: dict[str, Any]) -> None:
    """Alice hears in private what she alone may read."""
    assert "K7741" in text_of(report["direct"])
    assert "Vault rules" in text_of(report["direct"])


@pytest.mark.parametrize("scene", ["forbidden_person", "person_without_roles", "forbidden_channel"])
def test_a_refusal_has_no_word_of_the_document(report: dict[str, Any], scene: str) -> None:
    """Bob, Charlie, and a channel that Bob is in get a sentence and nothing of Alice's document."""
    said = text_of(report[scene])
    assert not any(word in said for word in VAULT_WORDS)
    assert "show_quotes" not in said


def test_one_reader_without_roles_is_enough(report: dict[str, Any]) -> None:
    """Documents of Alice and Bob are not shown in a channel where Charlie reads along."""
    said = text_of(report["mixed_channel"])
    assert "lentil" not in said
    assert "Canteen" not in said


def test_a_public_channel_is_read_by_more_than_its_members(report: dict[str, Any]) -> None:
    """Nothing is shown in a channel that everyone can open, though Alice and Bob alone are in it."""
    said = text_of(report["public_channel"])
    assert "lentil" not in said
    assert "Canteen" not in said


def test_an_empty_mention_is_told_so(report: dict[str, Any]) -> None:
    """A mention without a question gets a sentence."""
    assert "no question" in text_of(report["empty"])


def test_a_follow_up_is_answered_in_the_same_thread(report: dict[str, Any]) -> None:
    """A second mention in a thread is answered there."""
    assert report["follow_up"]["thread_ts"] == report["mention"]["ts"]
    assert report["follow_up"]["ts"] != report["mention"]["reply"]["ts"]


def test_a_thread_goes_on_without_a_mention(report: dict[str, Any]) -> None:
    """A question there is answered; what Alice and Bob say to each other is left alone."""
    seen = report["thread"]
    assert "lentil soup" in text_of(seen["followed"])
    assert seen["followed"]["thread_ts"] == report["mention"]["ts"]
    assert seen["after"] == seen["before"]


def test_who_may_read_more_is_told_so_alone(report: dict[str, Any]) -> None:
    """Alice is offered an answer, gets it where she alone sees it, and is not offered to share it with Bob."""
    seen = report["private"]
    assert not any(word in text_of(seen["offer"]) for word in VAULT_WORDS)
    assert "K7741" in text_of(seen["answer"])
    assert SHARE not in text_of(seen["answer"])
    assert not any(word in seen["channel"] for word in VAULT_WORDS)
    assert "privately" not in seen["channel"]


def test_the_command_answers_the_one_who_types_it(report: dict[str, Any]) -> None:
    """Help and the list where it was typed, for their eyes alone; the answer in the direct messages."""
    seen = report["command"]
    assert (seen["help"]["subtype"], seen["sources"]["subtype"]) == ("ephemeral", "ephemeral")
    assert "Canteen rules" in text_of(seen["sources"])
    said = text_of(seen["answer"])
    assert seen["answer"]["channel"] == report["direct"]["channel"]
    assert "You asked: With which code" in said
    assert "Looked only in: page" in said


def test_the_home_tab_shows_what_its_reader_may_read(report: dict[str, Any]) -> None:
    """Two documents for Alice; for Charlie, who has no role, none, and no name of one."""
    alices, charlies = (json.dumps(report["home"][name]) for name in ("alice", "charlie"))
    assert "2 documents" in alices
    assert "Test library" not in charlies
    assert ASK_VAULT in alices


def test_clicks_count_for_those_who_may_read(report: dict[str, Any]) -> None:
    """Alice's vote is recorded and her quotes are verbatim; Bob's click on her message gives him nothing."""
    seen = report["clicks"]
    assert seen["sentences"] == [["U0ALICE", THANKS], ["U0BOB", NotYoursError().message]]
    assert seen["votes"] == [["Alice", "up"]]
    alices, bobs = seen["quotes"]
    assert "K7741" in alices
    assert NOTHING in bobs
    assert not any(word in bobs for word in VAULT_WORDS)


def test_many_questions_at_once_get_one_reply_each(report: dict[str, Any]) -> None:
    """Nothing is lost and nothing is doubled in a burst."""
    assert report["burst"] == [1] * AT_ONCE


def test_the_bot_posts_once_per_question(report: dict[str, Any]) -> None:
    """Over the whole scenario there are as many posts as questions, none of which unfurls links."""
    in_thread, in_private, by_command = 2, 2, 1
    assert report["posts"] == 9 + in_thread + in_private + by_command + AT_ONCE + MEASURED
    assert report["unfurling_posts"] == []


def test_processes_stop_when_told_to(report: dict[str, Any]) -> None:
    """SIGTERM ends the bot, the worker and the web process by their own doing."""
    codes = {name: code for name, code in report["exit_codes"].items() if name != "local-slack"}
    assert set(codes.values()) == {0}, codes


def test_the_logs_hold_ids_and_no_text(report: dict[str, Any]) -> None:
    """No question, document, address or token is in a log."""
    ours = {name: log for name, log in report["logs"].items() if name in ("bot", "worker", "web")}
    assert ours
    for log in ours.values():
        for word in (*VAULT_WORDS, "canteen", "lentil", "harbour", "example.com", "xoxb-", "xapp-"):
            assert word not in log


def test_the_bot_costs_little_time(report: dict[str, Any], record_property: Callable[[str, object], None]) -> None:
    """Without the model, well under a second passes from the event to the posted reply."""
    figures = {**report["latency"], "memory_mb": report["memory_mb"]}
    measured(record_property, f"Slack ({report['mode']})", figures)
    assert report["latency"]["without_model_ms"] < 1000
    assert report["latency"]["placeholder_ms"] < 1000
