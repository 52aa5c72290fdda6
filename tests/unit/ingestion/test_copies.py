"""A file has a process of its own: what a parser that was taken over by one can learn of, and do to, the next ones."""

import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import IngestionError, ParserLimitError, UnreadableFileError
from core.library.ingestion.recognition import is_installed
from core.library.ingestion.sandbox.frames import frame
from core.library.ingestion.sandbox.layers import Layer
from core.library.ingestion.sandbox.process import Limits, Sandbox
from core.library.ingestion.sandbox.template import CAN_COPY, Template, exchange

PROGRAM = (sys.executable, "-m", "tests.unit.ingestion.taken_over")
LIMITS = Limits(seconds=60, memory_mb=256, output_mb=1)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="what is looked at here is Linux's")
# Forbidden by whichever layers are there, so that nothing of the next file can be learnt.
SPYING = ("trace", "read the memory of", "take a descriptor of")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox whose parser the first file took over."""
    with Sandbox(LIMITS, program=PROGRAM) as shared:
        yield shared


def parse(sandbox: Sandbox, content: bytes, **asked: Any) -> dict[str, Any]:
    """Return the parser's report on its surroundings. asked: its instructions and targets; see `taken_over`."""
    with pytest.raises(IngestionError) as told:
        sandbox.parse(content, json.dumps(asked))
    assert type(told.value) is IngestionError
    return dict(json.loads(told.value.message))


def template_of(sandbox: Sandbox) -> int:
    """The number of the process that makes the copies."""
    assert sandbox._template is not None
    return sandbox._template.process.pid


def test_a_parser_that_one_file_took_over_never_sees_another(sandbox: Sandbox) -> None:
    """Each is parsed in a process that none was in before; what is still there of the first one is nothing."""
    found = [parse(sandbox, content) for content in (b"for the board", b"for all", b"for all")]
    assert [each["seen"] for each in found] == [[], [], []]
    if CAN_COPY:
        assert {each["template"] for each in found} == {template_of(sandbox)}
    assert not any(Path(f"/proc/{each['process']}").exists() for each in found)


@on_linux
def test_a_copy_reaches_neither_the_template_nor_other_copies(sandbox: Sandbox) -> None:
    """By no signal, no debugger, no process of its own; it has two pipes, and no way to those of another one."""
    with Template([*PROGRAM, "256", "60", "1"], makes_copies=True) as other, other.copy() as sibling:
        assert isinstance(exchange(sibling.pipes, b"", 1, 60), dict)
        found = parse(sandbox, b"text", others=[other.process.pid, os.getpid()])
        assert found["reached"] == []
        assert found["open"][:2] == [1, 2]  # /dev/null
        assert len(found["open"]) == 4


@on_linux
@pytest.mark.parametrize("missing", [Layer.SECCOMP, Layer.LANDLOCK, Layer.OWN_ACCOUNT], ids=lambda each: each.name)
def test_nothing_is_learnt_of_another_file_where_a_layer_is_missing(missing: Layer) -> None:
    """A copy's memory is its own even to one of the same account that the kernel does not filter."""
    with Sandbox(LIMITS, required=False, without=[missing], program=PROGRAM) as poorer:
        parse(poorer, b"for the board")
        found = parse(poorer, b"for all")
        assert found["seen"] == []
        assert len(found["open"]) == 4
        assert not [each for each in found["reached"] if each.startswith(SPYING)]


def test_a_copy_that_answers_for_the_next_file_and_lives_on_is_ended(sandbox: Sandbox) -> None:
    """Its excess output goes nowhere, and the process has ended before there is another file."""
    forger = parse(sandbox, b"for the board", then="forge")
    found = parse(sandbox, b"for all")
    assert found["seen"] == []
    assert found["process"] != forger["process"]
    assert not Path(f"/proc/{forger['process']}").exists()


def test_what_becomes_of_one_copy_is_nothing_to_the_template(sandbox: Sandbox) -> None:
    """One that crashes, that closes its pipes, or that never ends: the file is named, the next one is read."""
    template = parse(sandbox, b"text")["template"]
    with pytest.raises(UnreadableFileError, match="crashed"):
        sandbox.parse(b"text", json.dumps({"then": "crash"}))
    with pytest.raises(IngestionError):
        sandbox.parse(b"text", json.dumps({"then": "close"}))
    sandbox._limits = Limits(seconds=1, memory_mb=256, output_mb=1)
    with pytest.raises(ParserLimitError, match="takes longer than 1 seconds"):
        sandbox.parse(b"text", json.dumps({"then": "hang"}))
    sandbox._limits = LIMITS
    assert parse(sandbox, b"text")["template"] == template or not CAN_COPY


@on_linux
def test_a_copy_ends_with_its_template() -> None:
    """It does not outlive a worker that was killed, with a file in its memory."""
    with Template([*PROGRAM, "256", "60", "1"], makes_copies=True) as template, template.copy() as copy:
        assert isinstance(exchange(copy.pipes, b"", 1, 60), dict)
        os.write(copy.pipes.requests, frame({"name": json.dumps({"then": "hang"})}, b"text"))
        template.process.kill()
        assert exchange(copy.pipes, b"", 1, 60) == "dead"


def test_where_processes_cannot_be_copied_each_file_starts_anew() -> None:
    """As on macOS: slower, and as separate."""
    with Sandbox(LIMITS, required=False, program=PROGRAM, copies=False) as sandbox:
        found = [parse(sandbox, content, then=then) for content, then in ((b"for the board", "forge"), (b"all", ""))]
        assert [each["seen"] for each in found] == [[], []]
        assert found[0]["process"] != found[1]["process"]
        assert {each["template"] for each in found} == {os.getpid()}
        with pytest.raises(UnreadableFileError, match="crashed"):
            sandbox.parse(b"text", json.dumps({"then": "crash"}))
        with pytest.raises(IngestionError):
            sandbox.parse(b"text", json.dumps({"then": "close"}))


@on_linux
def test_a_template_holds_no_file_and_shares_no_memory() -> None:
    """Its memory has nothing of the files that its copies parsed, and none that a copy could write for another one."""
    word = b"Zwetschgen"
    with Sandbox(recognises=is_installed()) as sandbox:
        parsed = sandbox.parse(b"# Head\n\nAbout " + word + b"kuchen.", "a.md")
        assert word.decode() in parsed.documents[0].blocks[0].text
        template = Path(f"/proc/{template_of(sandbox)}")
        assert [each.name for each in (template / "task").iterdir()] == [template.name]  # a fork copies no thread
        if os.geteuid() != 0:
            pytest.skip("its memory is closed to all but root")
        areas = [line.split() for line in (template / "maps").read_text().splitlines()]
        assert [area for area in areas if area[1].startswith("rw") and area[1].endswith("s")] == []
        with (template / "mem").open("rb", buffering=0) as memory:
            looked_at = 0
            for begin, end in (area[0].split("-") for area in areas if area[1].startswith("rw")):
                memory.seek(int(begin, 16))
                held = memory.read(int(end, 16) - int(begin, 16))
                looked_at += len(held)
                assert word not in held
        assert looked_at > 10_000_000


@on_linux
def test_an_open_fence_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """Not with each file."""
    kernel = [layer for layer in Layer if layer is not Layer.AUDIT_HOOK]
    with Sandbox(LIMITS, required=False, without=kernel, program=PROGRAM) as sandbox, caplog.at_level(logging.WARNING):
        for _ in range(3):
            parse(sandbox, b"text")
    assert [record.message for record in caplog.records] == ["ingestion_fence_open"]
