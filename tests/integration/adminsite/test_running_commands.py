"""Commands that a running Footnote does, over the socket of its owner."""

import json
import logging
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class

from adminsite.running.address import LONGEST, find_socket, is_private, prepare_socket
from adminsite.running.client import digest_environment, try_running
from adminsite.running.server import LeftToTheCommand, do_command, with_commands
from core.infrastructure.version import VERSION
from core.management.base import FootnoteCommand
from core.models import Query
from core.testing import Cast, make_document
from tests.integration.test_raw_requests import serving

QUESTION = "When does the canteen open?"


@pytest.fixture
def canteen(cast: Cast, fast: None) -> None:
    """One document of one chunk, which the staff may read: Alice and Bob."""
    make_document("Canteen", "The canteen opens at noon.", roles=[cast.staff])


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with a short path, as a socket needs one."""
    with tempfile.TemporaryDirectory(prefix="fn-", dir="/tmp") as folder:
        yield Path(folder)


def order(command: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Build what the client sends for a command."""
    settings = digest_environment(environment)
    return {"version": VERSION, "command": command, "arguments": list(arguments), "environment": settings}


@pytest.mark.usefixtures("canteen")
def test_a_command_is_done_as_its_own_process_would() -> None:
    """With the same JSON on standard output, and nothing besides."""
    said = do_command(order("ask", QUESTION, "--as", "bob@example.com", "--json"))
    result = json.loads(said["stdout"])
    assert (said["stderr"], said["exit_code"]) == ("", 0)
    assert {"request_id", "answer", "citations", "closest", "retrieved", "state", "guidance"} <= set(result)
    found = json.loads(do_command(order("search", "canteen", "--as", "bob@example.com", "--json"))["stdout"])
    assert [one["document_name"] for one in found["results"]] == ["Canteen"]


@pytest.mark.usefixtures("canteen")
def test_a_person_reads_over_the_socket_what_they_may_read_and_no_more() -> None:
    """Charlie, who has no role, is shown nothing of the document."""
    said = do_command(order("ask", QUESTION, "--as", "charlie@example.com", "--json"))
    assert "noon" not in said["stdout"]
    assert "Canteen" not in said["stdout"]


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize(
    ("arguments", "code", "stream", "words"),
    [
        (("a", "--as", "bob@example.com"), 2, "stdout", "too short"),
        ((QUESTION, "--as", "nobody@example.com"), 2, "stderr", "CommandError: There is no active person"),
        ((QUESTION,), 2, "stderr", "CommandError: Say who asks"),
        ((QUESTION, "--as", "bob@example.com", "--date-from", "never"), 2, "stderr", "CommandError: "),
        ((QUESTION, "--as", "bob@example.com", "--conversation", "7"), 2, "stderr", "is not the id"),
    ],
)
def test_mistakes_have_the_exit_codes_and_the_words_of_the_command(
    arguments: tuple[str, ...], code: int, stream: str, words: str
) -> None:
    """As the command alone has them."""
    said = do_command(order("ask", *arguments))
    assert said["exit_code"] == code
    assert words in said[stream]


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize(
    "asked",
    [
        order("ask", QUESTION, "--as", "bob@example.com", "-v", "2"),
        order("ask", QUESTION, "--as", "bob@example.com", "--verb", "3"),
        order("ask", "--batch", "questions.jsonl"),
        order("ask", "--bat", "-"),
        order("ask", QUESTION, "--unknown"),
        order("ask", "--help"),
        order("ask", "--version"),
        order("ask", QUESTION, "--as", "bob@example.com", LLM_MODEL="openai/of-the-command"),
        order("ask", QUESTION, "--as", "bob@example.com", OPENAI_API_KEY="of-the-command"),
        order("grant", "staff", "--all"),
        order("ask", QUESTION, "--as", "bob@example.com") | {"version": "0.1.0"},
        order("ask") | {"arguments": "text"},
        {"version": VERSION, "command": "ask", "arguments": [QUESTION]},
        {},
    ],
)
def test_what_the_commands_own_process_does_better_is_left_to_it(asked: dict[str, Any]) -> None:
    """Logs, batches, help, wrong usage, other settings, versions and commands; nothing is asked meanwhile."""
    with pytest.raises(LeftToTheCommand):
        do_command(asked)
    assert not Query.objects.exists()


def test_a_variable_that_is_no_setting_may_differ() -> None:
    """Such as the shell's own."""
    said = do_command(order("ask", QUESTION, TERM="of-the-shell"))
    assert "Say who asks" in said["stderr"]


def test_only_connections_over_the_own_socket_are_commands(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another socket of the system may be that of a proxy, which anybody reaches."""
    monkeypatch.setenv("FOOTNOTE_HOME", str(home))
    passed: list[str] = []

    def application(environ: Any, start_response: Any) -> list[bytes]:
        passed.append("application")
        return []

    answer = with_commands(application)
    with socket.socket(socket.AF_UNIX) as other, socket.socket() as network:
        other.bind(str(home / "proxy"))
        for connection in (other, network, None):
            answer({"gunicorn.socket": connection}, lambda *_: None)  # type: ignore[arg-type]
    assert passed == ["application"] * 3


def test_the_folder_of_the_socket_is_its_owners_alone(home: Path) -> None:
    """One that others may enter is not used, by either side."""
    path = prepare_socket({"FOOTNOTE_HOME": str(home)})
    assert path is not None
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.parent.chmod(0o755)
    assert prepare_socket({"FOOTNOTE_HOME": str(home)}) is None
    assert not is_private(path.parent)
    link = home / "link"
    path.parent.chmod(0o700)
    link.symlink_to(path.parent)
    assert not is_private(link)


def test_a_path_that_is_too_long_for_a_socket_means_none(home: Path) -> None:
    """Then commands work by themselves."""
    assert find_socket({"FOOTNOTE_HOME": str(home / ("a" * LONGEST))}) is None


def test_without_a_running_footnote_a_command_goes_on_by_itself(home: Path) -> None:
    """Also where a killed one left its socket."""
    env = {"FOOTNOTE_HOME": str(home)}
    assert try_running(["manage.py", "ask", QUESTION], env) is None
    path = prepare_socket(env)
    assert path is not None
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    code = (
        "import os\nfrom adminsite.running.client import try_running\n"
        "print(try_running(['manage.py', 'ask', 'When?'], os.environ))"
    )
    tried = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"]} | env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert tried.stdout == "None\n"


@pytest.mark.parametrize(("verbosity", "is_shown"), [(0, False), (1, False), (2, True), (3, True)])
def test_a_command_for_people_shows_logs_only_when_asked(
    verbosity: int, is_shown: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Those of warnings and errors, too: what went wrong is said in words."""

    class Talkative(FootnoteCommand):
        def handle(self, *args: Any, **options: Any) -> None:
            logging.getLogger("core.testing").error("something_happened")

    command = Talkative()
    command._called_from_command_line = True  # as run_from_argv sets it
    before = logging.root.manager.disable
    try:
        command.execute(verbosity=verbosity, force_color=False, no_color=True, skip_checks=True)
    finally:
        logging.disable(before)
    assert ("something_happened" in caplog.text) == is_shown


def test_only_processes_that_go_on_by_themselves_show_logs_unasked() -> None:
    """All other commands are read by whoever runs them, and say in words what there is to know."""
    commands = [load_command_class(app, name) for name, app in get_commands().items() if not app.startswith("django.")]
    ours = [command for command in commands if isinstance(command, FootnoteCommand)]
    talking = {type(command).__module__.rpartition(".")[2] for command in ours if not command.hides_logs}
    assert talking == {"mcp", "start", "worker"}


@pytest.mark.django_db(transaction=True)
def test_a_running_footnote_answers_the_command_in_little_time_of_the_processor(
    cast: Cast, home: Path, tmp_path: Path
) -> None:
    """The command itself loads neither Django nor a model; its processor time says so on a busy machine, too."""
    (tmp_path / "temporary").mkdir()
    with serving(tmp_path / "temporary", FOOTNOTE_HOME=str(home)):
        assert stat.S_IMODE((home / "commands" / "socket").stat().st_mode) & 0o077 == 0
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "ask", "Where is it?", "--as", "x@example.com"]
        before = os.times()
        done = subprocess.run(
            command, env=kept | {"FOOTNOTE_HOME": str(home)}, capture_output=True, text=True, check=False, timeout=60
        )
        after = os.times()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "CommandError: There is no active person with the address x@example.com.\n"
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 1.0
