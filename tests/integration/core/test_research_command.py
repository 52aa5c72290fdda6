"""Test `manage.py research`: a plan, a yes, a line for each question, and the page; stopped with what was found."""

import datetime as dt
import io
import json
import signal
import time
from pathlib import Path
from typing import Any

import docx
import pytest
from django.core.management import CommandError, call_command

from core.models import Research, ResearchLine
from core.signals import research_moved
from core.testing import Cast, make_document

CANTEEN = "The canteen of the harbour office opens at noon on weekdays."
PRICES = "The canteen of the harbour office charges seven euros for lunch."
TOPIC = "the canteen of the harbour office"


@pytest.fixture
def library(cast: Cast, fast: None) -> None:
    """Two documents that Bob may read, and one that he may not."""
    make_document(
        "Canteen of the harbour office",
        CANTEEN,
        roles=[cast.staff],
        section="Opening hours",
        document_date=dt.date(2023, 5, 1),
    )
    make_document("Canteen prices of the harbour office", PRICES, roles=[cast.staff], document_date=dt.date(2025, 5, 1))
    make_document("Canteen accounts", "The canteen of the harbour office lost quagmire-7741.", roles=[cast.owners])


class Terminal(io.StringIO):
    """Standard input at which a person types."""

    def isatty(self) -> bool:
        """Say that somebody is there."""
        return True


def run(*options: Any, email: str = "bob@example.com") -> tuple[int, str, str]:
    """Return the exit code, the output, and what was said besides."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        call_command("research", TOPIC, "--as", email, *map(str, options), stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def test_a_topic_becomes_a_page_with_a_line_for_each_question(library: None, tmp_path: Path) -> None:
    """Of what the person may read, on standard output and in both files."""
    page, word = tmp_path / "page.md", tmp_path / "page.docx"
    code, out, err = run("--yes", "--markdown", page, "--docx", word)
    assert code == 0
    assert out.startswith(f"# {TOPIC}\n")
    assert CANTEEN in out
    assert PRICES in out
    assert "2 questions: that takes about a minute, and costs nothing." in err
    assert [line for line in err.splitlines() if line.startswith("[2/2]")]
    assert page.read_text() == out
    assert CANTEEN in " ".join(part.text for part in docx.Document(str(word)).paragraphs)
    assert "quagmire-7741" not in out + err
    assert Research.objects.get().origin == "command"


def test_json_alone_is_on_standard_output(library: None) -> None:
    """In the form of REST, as one line."""
    _, out, _ = run("--yes", "--json", "--minutes", 3, "--usd", "0.5")
    given = json.loads(out)
    assert (given["state"], given["budget"]) == ("done", {"most_minutes": 3, "most_usd": 0.5})
    assert given["page"]["sections"]


@pytest.mark.parametrize(("typed", "is_asked"), [("y\n", True), ("YES\n", True), ("\n", False), ("no\n", False)])
def test_nothing_is_asked_before_a_yes(
    typed: str, is_asked: bool, library: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan that nobody wants is not kept."""
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    code, out, err = run()
    assert (code, CANTEEN in out, Research.objects.exists()) == (0, is_asked, is_asked)
    assert ("Nothing was asked." in err) != is_asked


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Start it with --yes"),
        (["--yes", "--minutes", "0"], "--minutes must be a number from 1 to 120"),
        (["--yes", "--usd", "much"], "--usd must be an amount"),
        (["--yes", "--usd", "0"], "--usd must be an amount"),
        (["--yes", "--markdown", "/nowhere/page.md"], "There is no folder /nowhere. Make it first."),
        (["--yes", "--docx", __file__], "is there already"),
        (["--yes", "--date-from", "soon"], "date_from must be a date"),
        (["--yes", "--as", "nobody@example.com"], "no active person"),
        (["--yes", "--as", "charlie@example.com"], "Nothing that you can read speaks of this"),
    ],
)
def test_what_cannot_be_used_says_what_to_do(
    options: list[str], said: str, library: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit code 2, before anything is planned."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(CommandError, match=said) as refused:
        run(*options)
    assert (refused.value.returncode, Research.objects.exists()) == (2, False)


@pytest.mark.django_db(transaction=True)
def test_an_interrupt_stops_it_and_keeps_what_was_found(library: None) -> None:
    """The page says what was not asked; the next interrupt is whose it was before."""
    before = signal.getsignal(signal.SIGINT)  # ignored, where the tests run in the background of a shell

    def interrupt(**_: Any) -> None:
        if ResearchLine.objects.exclude(outcome="open").exists() and Research.objects.filter(state="running").exists():
            signal.raise_signal(signal.SIGINT)
            while Research.objects.filter(stop_asked_at=None).exists():
                time.sleep(0.01)

    research_moved.connect(interrupt)
    try:
        code, out, err = run("--yes")
    finally:
        research_moved.disconnect(interrupt)
    assert code == 1
    assert (CANTEEN in out) != (PRICES in out)
    assert "not asked: the research ended before" in out
    assert "Stopped. What was found until then is kept." in err
    assert signal.getsignal(signal.SIGINT) is before
