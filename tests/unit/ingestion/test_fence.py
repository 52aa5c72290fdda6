"""The fenced process: what it may not do, and what becomes of files made to break it."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from core.errors import EmptyFileError, ParserLimitError
from core.ingestion.fence import Fence, Limits

CONFINED = (
    "from core.ingestion import confinement as c; c.leave_the_network(); c.limit(memory_mb=512); c.refuse_by_audit()\n"
)


@pytest.fixture(scope="module")
def fence() -> Iterator[Fence]:
    """A fence that several tests share, as several files do."""
    with Fence() as shared:
        yield shared


def confined(statement: str) -> str:
    """What a statement ends in within a confined process: its output, or the name of its error."""
    code = f"{CONFINED}try:\n    {statement}\nexcept BaseException as error:\n    print(type(error).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "statement",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "import os; os.fork()",
        "open('written', 'w')",
        "import pathlib; pathlib.Path('written').write_bytes(b'x')",
        "import os; os.remove('written')",
        "import os; os.open('written', os.O_CREAT | os.O_WRONLY)",
    ],
)
def test_what_a_parser_may_not_do(statement: str) -> None:
    """No network, no process, no writing."""
    assert confined(statement) == "PermissionError"


def test_what_a_parser_may_do() -> None:
    """Reading and importing work: parsers load their libraries late."""
    assert confined("import html.parser, json; print(len(open(json.__file__).read()) > 100)") == "True"


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's")
def test_a_network_namespace_of_its_own() -> None:
    """Where the system allows it, not even code below Python can reach the network."""
    interfaces = "print(sorted(line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]))"
    if confined("import os; print(os.readlink('/proc/self/ns/net'))") == _own_namespace():
        pytest.skip("this system lets no process have a network namespace")
    assert confined(interfaces) == "['lo']"


def _own_namespace() -> str:
    code = "import os; print(os.readlink('/proc/self/ns/net'))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_file_is_parsed_as_without_the_fence(fence: Fence) -> None:
    """Documents and errors come through whole."""
    parsed = fence.parse("# Überschrift\n\nText".encode(), "t.md")
    assert [(d.title, d.blocks[0].text) for d in parsed.documents] == [("Überschrift", "Text")]
    with pytest.raises(EmptyFileError, match=r"e\.md is empty"):
        fence.parse(b"", "e.md")


def test_many_files_share_one_process(fence: Fence) -> None:
    """Two hundred files take seconds."""
    fence.parse(b"text", "0.txt")
    started = time.process_time()
    names = [fence.parse(b"text", f"{number}.txt").documents[0].title for number in range(200)]
    assert names == [str(number) for number in range(200)]
    assert time.process_time() - started < 5


def test_secrets_do_not_reach_the_process(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of the process has nothing but what Python needs."""
    from core.ingestion.fence import _environment

    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    assert "xoxb-secret" not in _environment().values()


def test_a_parser_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is named, and the next one is parsed."""
    monkeypatch.setattr("core.ingestion.fence._STARTING_SECONDS", 10)
    slow = ("<a " * 400_000).encode()
    with Fence(Limits(seconds=1)) as fence:
        fence.parse(b"text", "first.txt")
        monkeypatch.setattr("core.ingestion.fence._STARTING_SECONDS", 0)
        with pytest.raises(ParserLimitError, match=r"slow\.md was given up: reading it takes"):
            fence.parse(b"[" * 50_000 + slow, "slow.md")
        monkeypatch.setattr("core.ingestion.fence._STARTING_SECONDS", 20)
        assert fence.parse(b"text", "next.txt").documents[0].title == "Next"


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit address space")
def test_a_parser_that_takes_too_much_memory_is_stopped() -> None:
    """The limit holds for what the file makes the parser take, and the next file is parsed."""
    with Fence(Limits(memory_mb=300)) as fence:
        with pytest.raises(ParserLimitError, match=r"big\.json was given up: reading it takes more memory"):
            fence.parse(b"[" + b'{"a":1},' * 2_000_000 + b"1]", "big.json")
        assert fence.parse(b"text", "next.txt").documents[0].title == "Next"


def test_too_much_text_is_refused() -> None:
    """A file that yields more text than is allowed is given up."""
    with (
        Fence(Limits(output_mb=1)) as fence,
        pytest.raises(ParserLimitError, match=r"long\.txt was given up: its text"),
    ):
        fence.parse(b"many words\n\n" * 100_000, "long.txt")


def test_a_crash_is_blamed_on_the_file_and_the_next_is_parsed(fence: Fence) -> None:
    """When the process dies, the file is named, and another process takes over."""
    fence.parse(b"text", "first.txt")
    process = fence._process
    assert process is not None
    process.kill()
    process.wait()
    assert fence.parse(b"text", "next.txt").documents[0].title == "Next"
