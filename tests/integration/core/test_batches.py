"""The commands `ask` and `search` with many lines: one bad line is named, and all others are done."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.models import Query
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")

GOOD = b'{"id": "good", "query": "canteen", "question": "When does the canteen open?", "as": "bob@example.com"}'
UNUSABLE = {
    "not JSON": (b"{", "not JSON"),
    "not UTF-8": (b'{"id": 1, "query": "caf\xe9", "question": "caf\xe9"}', "not UTF-8 (byte 24)"),
    "a list": (b"[1, 2]", "not a JSON object"),
    "too deep": (b"[" * 100_000, "nested too deeply"),
    "nothing asked": (b'{"id": 1, "as": "bob@example.com"}', "there is no"),
    "nobody asks": (b'{"id": 1, "query": "canteen", "question": "canteen"}', "Say who asks"),
    "as is no text": (b'{"id": 1, "query": "canteen", "question": "canteen", "as": ["bob"]}', '"as" must be text'),
    "filters are text": (
        b'{"id": 1, "query": "canteen", "question": "canteen", "as": "bob@example.com", "filters": "page"}',
        "Filters must be an object",
    ),
}


@pytest.fixture
def canteen(cast: Cast) -> None:
    """One document of one chunk, which the staff may read: Alice and Bob."""
    make_document("Canteen", "The canteen opens at noon.", roles=[cast.staff])


def batch(command: str, path: Path, *lines: bytes) -> tuple[list[dict[str, Any]], CommandError | None]:
    """Run a batch; return what it prints, and the error that it ends with, if any."""
    path.write_bytes(b"\n".join(lines))
    out = StringIO()
    error = None
    try:
        call_command(command, "--batch", str(path), stdout=out)
    except CommandError as raised:
        error = raised
    return [json.loads(line) for line in out.getvalue().splitlines()], error


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize("command", ["ask", "search"])
@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_line_that_cannot_be_used_is_named_and_the_others_are_answered(
    kind: str, command: str, tmp_path: Path
) -> None:
    """Those before it and those after it; the exit code says that something is amiss."""
    line, said = UNUSABLE[kind]
    printed, error = batch(command, tmp_path / "batch.jsonl", GOOD, line, GOOD)
    assert [("error" in each, each["id"]) for each in (printed[0], printed[2])] == [(False, "good")] * 2
    assert set(printed[1]) == {"id", "error"}
    assert printed[1]["error"].startswith("line 2: ")
    assert said in printed[1]["error"]
    assert error is not None
    assert error.returncode == 1


@pytest.mark.usefixtures("canteen")
def test_a_k_that_is_no_number_is_an_error_of_its_line(tmp_path: Path) -> None:
    """Not of the batch."""
    line = b'{"id": 1, "query": "canteen", "as": "bob@example.com", "k": "5"}'
    printed, _ = batch("search", tmp_path / "batch.jsonl", line, GOOD)
    assert [each.get("error") for each in printed] == ["line 1: k must be a whole number from 1 to 50.", None]


@pytest.mark.usefixtures("canteen")
def test_half_of_a_surrogate_pair_is_left_out_of_a_question(tmp_path: Path) -> None:
    """JSON may escape one, in the id too; neither the database nor the terminal could take it."""
    line = b'{"id": "\\ud800", "question": "When does \\ud83dthe canteen open?", "as": "bob@example.com"}'
    printed, error = batch("ask", tmp_path / "batch.jsonl", line)
    assert ([each["id"] for each in printed], error) == (["?"], None)
    assert Query.objects.get().question_text == "When does the canteen open?"


def test_a_batch_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the reason in words, and the exit code of wrong usage."""
    with pytest.raises(CommandError, match=r"none\.jsonl cannot be read: No such file") as caught:
        call_command("ask", "--batch", str(tmp_path / "none.jsonl"))
    assert caught.value.returncode == 2


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize(("question", "code"), [("  ", 2), ("x" * 1001, 2), ("Who painted the roof?", 0)])
def test_the_exit_code_tells_a_wrong_question_from_one_without_an_answer(question: str, code: int) -> None:
    """The message is printed either way; that the library has no answer is a result."""
    out = StringIO()
    ended = 0
    try:
        call_command("ask", question, "--as", "bob@example.com", stdout=out)
    except SystemExit as end:
        ended = int(end.code or 0)
    assert ended == code
    assert out.getvalue().strip()
