"""The sandboxed process: what it may not do, and what becomes of files made to break it."""

import datetime as dt
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import EmptyFileError, IngestionError, ParserLimitError
from core.library.ingestion.parsers import parse
from core.library.ingestion.sandbox import kernel
from core.library.ingestion.sandbox.process import Limits, Sandbox, _build_parsed_file
from tests.unit.ingestion.files import docx, epub, msg, open_document, paragraph, pdf, pptx, xlsx

_DATED = "<html><body><article><p class='date'>{}</p><p>{}</p></article></body></html>"
LATE = [
    ("a.docx", docx()),
    ("a.epub", epub({"one.xhtml": "<h1>One</h1><p>Words.</p>"})),
    ("a.eml", b"Subject: =?iso-8859-15?q?Gr=F6=DFe?=\nContent-Type: text/plain; charset=koi8-r\n\nWords."),
    ("packed.eml", b"Subject: a\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+V29yZHM8L3A+"),
    ("a.odt", open_document("text", "<text:p>Words.</text:p>")),
    (
        "a.ods",
        open_document(
            "spreadsheet",
            "<table:table><table:table-row><table:table-cell><text:p>W</text:p>"
            "</table:table-cell></table:table-row></table:table>",
        ),
    ),
    (
        "a.odp",
        open_document(
            "presentation",
            "<draw:page><draw:frame><draw:text-box><text:p>W</text:p></draw:text-box></draw:frame></draw:page>",
        ),
    ),
    ("a.rtf", rb"{\rtf1{\fonttbl{\f0\fcharset128 Mincho;}}\f0 \'8c\'e1 words}"),
    (
        "a.msg",
        msg(subject="Boats", html=b"<p>Words.</p>", headers="Date: Tue, 4 Mar 2025 00:30:00 +0100", attached=["a"]),
    ),
    ("a.pptx", pptx([("Boats", "One for each member")])),
    ("a.xlsx", xlsx({"Fees": [["Boat", "Since", "Fee"], ["Dinghy", dt.date(2025, 3, 1), 4.5]]})),
    ("a.csv", "Größe;Preis\nklein;4 €\n".encode("cp1252")),
    ("a.pdf", pdf([paragraph(["One line of text."])])),
    ("digit.pdf", pdf([paragraph(["One line of text."]), paragraph(["2"])])),
    ("letters.pdf", pdf([paragraph(["A"]), paragraph(["Bc"])])),
    ("russian.html", _DATED.format("12 мая 2019", "Many words. " * 20).encode()),
    ("figures.html", b"<html><body><p>As of 03/31/2015, 04/01/2015 and 05/01/2016.</p></body></html>"),
    ("latin.txt", "Die Größe der Tür beträgt wie üblich zwei Meter für alle Räume.".encode("latin-1")),
    ("japanese.txt", ("吾輩は猫である。名前はまだ無い。" * 9).encode("shift_jis")),
    ("utf32.txt", "Größe".encode("utf-32")),
    ("front.md", b"---\ntitle: T\ndate: 2020-01-02\n---\n# Head\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~gone~~"),
    ("lines.jsonl", b'{"id": 1, "title": "T", "text": "one"}\n{"broken"\n'),
]
HOOKED = (
    "import pathlib, subprocess, socket, os; "
    "from core.library.ingestion.sandbox.closing import add_audit_hook; add_audit_hook()\n"
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox that several tests share, as several files do."""
    with Sandbox() as shared:
        yield shared


def hooked(statement: str) -> str:
    """Run a statement behind the audit hook alone; return its output, or the name of its error."""
    code = f"{HOOKED}try:\n    {statement}\nexcept BaseException as error:\n    print(type(error).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "statement",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 80)",
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.fork()",
        "open('written', 'w')",
        "open('/etc/passwd')",
        "os.listdir('/')",
        "pathlib.Path('written').write_bytes(b'x')",
        "os.remove('written')",
        "os.open('written', os.O_CREAT | os.O_WRONLY)",
    ],
)
def test_what_python_refuses_without_the_kernel(statement: str) -> None:
    """No network, no process, no file: what is left on a system that has no layer of its own."""
    assert hooked(statement) == "PermissionError"


def test_a_file_is_parsed_as_without_the_fence(sandbox: Sandbox) -> None:
    """Documents and errors come through whole."""
    parsed = sandbox.parse("# Überschrift\n\nText".encode(), "t.md")
    assert [(d.title, d.blocks[0].text) for d in parsed.documents] == [("Überschrift", "Text")]
    with pytest.raises(EmptyFileError, match=r"e\.md is empty"):
        sandbox.parse(b"", "e.md")


def test_many_files_share_one_template(sandbox: Sandbox) -> None:
    """Two hundred files take seconds."""
    sandbox.parse(b"text", "0.txt")
    started = time.process_time()
    names = [sandbox.parse(b"text", f"{number}.txt").documents[0].title for number in range(200)]
    assert names == [str(number) for number in range(200)]
    assert time.process_time() - started < 5


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows a process's environment as a file")
def test_secrets_do_not_reach_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment has nothing but what Python needs, and nothing but the pipes is open in it."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    with Sandbox() as sandbox, tempfile.TemporaryFile() as other:
        os.set_inheritable(other.fileno(), True)
        sandbox.parse(b"text", "a.txt")
        assert sandbox._template is not None
        process = Path(f"/proc/{sandbox._template.process.pid}")
        assert b"xoxb-secret" not in (process / "environ").read_bytes()
        assert sorted(int(each.name) for each in (process / "fd").iterdir()) == [0, 1, 2]


@pytest.mark.skipif(sys.platform != "linux", reason="macOS knows no such thing")
def test_the_memory_of_a_process_with_secrets_is_its_own() -> None:
    """Not even a process of the same account reads it; every process that sets Django up is so."""
    get_dumpable = 3  # PR_GET_DUMPABLE of linux/prctl.h
    assert kernel.LIBC.prctl(get_dumpable, 0, 0, 0, 0) == 0


def test_what_a_taken_over_parser_replies_harms_nobody() -> None:
    """A reply that is none is the file's fault, and the next file is read."""
    replies: list[dict[str, object]] = [
        {},
        {"documents": [{}], "problems": []},
        {"documents": 3, "problems": []},
        {"error": [], "message": 2},
    ]
    for reply in replies:
        with pytest.raises(IngestionError):
            _build_parsed_file(reply, "a.txt")


@pytest.mark.parametrize("number", range(len(LATE)), ids=[name for name, _ in LATE])
def test_what_libraries_load_late_is_there(number: int, sandbox: Sandbox) -> None:
    """Behind the sandbox a file is read as outside of it, with all that its parser imports when it first needs it."""
    name, content = LATE[number]
    assert sandbox.parse(content, name) == parse(content, name)


def test_every_import_of_a_parser_is_done_before() -> None:
    """Also those within functions: afterwards there are no files to import from."""
    code = (
        "import ast, pathlib, sys; import core.library.ingestion as room\n"
        "from core.library.ingestion.loading import load_parsers\n"
        "load_parsers()\n"
        "folder = pathlib.Path(room.__file__).parent\n"
        "files = [*folder.glob('parsers/**/*.py'), folder / 'decoding.py', folder / 'detection.py']\n"
        "trees = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]\n"
        "names = {node.module for node in trees if isinstance(node, ast.ImportFrom)}\n"
        "names |= {alias.name for node in trees if isinstance(node, ast.Import) for alias in node.names}\n"
        "print(sorted(names - set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_parser_that_takes_too_long_is_stopped() -> None:
    """The file is named, and the next one is parsed."""
    slow = ("<a " * 400_000).encode()
    with Sandbox(Limits(seconds=1)) as sandbox:
        sandbox.parse(b"text", "first.txt")
        with pytest.raises(ParserLimitError, match=r"slow\.md was not read: reading it takes"):
            sandbox.parse(b"[" * 50_000 + slow, "slow.md")
        assert sandbox.parse(b"text", "next.txt").documents[0].title == "Next"


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit address space")
def test_a_parser_that_takes_too_much_memory_is_stopped() -> None:
    """The limit holds for what the file makes the parser take, and the next file is parsed."""
    with Sandbox(Limits(memory_mb=300)) as sandbox:
        with pytest.raises(ParserLimitError, match=r"big\.json was not read: reading it takes more memory"):
            sandbox.parse(b"[" + b'{"a":1},' * 2_000_000 + b"1]", "big.json")
        assert sandbox.parse(b"text", "next.txt").documents[0].title == "Next"


def test_too_much_text_is_refused() -> None:
    """A file that yields more text than is allowed is given up."""
    with (
        Sandbox(Limits(output_mb=1)) as sandbox,
        pytest.raises(ParserLimitError, match=r"long\.txt was not read: its text"),
    ):
        sandbox.parse(b"many words\n\n" * 100_000, "long.txt")


def test_a_template_that_died_is_replaced(sandbox: Sandbox) -> None:
    """The next file is read by a copy of another one."""
    sandbox.parse(b"text", "first.txt")
    assert sandbox._template is not None
    process = sandbox._template.process
    process.kill()
    process.wait()
    assert sandbox.parse(b"text", "next.txt").documents[0].title == "Next"
    assert sandbox._template.process is not process
