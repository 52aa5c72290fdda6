"""Test the bench for formats: what counts as lost or doubled, and that no file stops it."""

import json
from pathlib import Path

import pytest

from benchmarks.formats import second
from benchmarks.formats.__main__ import READ, Measured, list_files, measure_all, render, sort_worst_first
from benchmarks.formats.comparing import describe, find_doubled, find_lost, split_words, write_all
from benchmarks.formats.second import read_second
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.formats import FileKind
from core.library.ingestion.sandbox.process import Limits, Sandbox
from tests.unit.ingestion.files import docx, epub, open_document, paragraph, pdf, pptx, xlsx

SENTENCE = "The harbour master opens the gate at six on every day of the week."


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ("The Gate is open", "the gate IS shut", ("shut",)),
        ("a hyphenated word", "a hyphen-\nated word", ()),  # parted at the end of a line
        ("harbourmaster", "harbour master", ()),  # cut at another place
        ("ﬁsh & cafe\u0301", "fish café", ()),
        ("pier 12", "pier 12 34 34", ("34",)),
        ("", "all of it", ("all", "of", "it")),
        ("words", "", ()),
    ],
)
def test_a_word_is_lost_where_our_text_has_it_nowhere(ours: str, theirs: str, words: tuple[str, ...]) -> None:
    """Case, composition and where words are parted do not count."""
    assert find_lost(ours, theirs).words == words


def test_the_share_lost_counts_each_word_as_often_as_it_comes() -> None:
    """Two of eight; and nothing of nothing."""
    lost = find_lost("one two three", "one two three one two four four three")
    assert (lost.count, lost.of, lost.share) == (2, 8, 0.25)
    assert find_lost("one", "").share == 0


@pytest.mark.parametrize(
    ("ours", "theirs", "times"),
    [
        (f"{SENTENCE} {SENTENCE}", SENTENCE, 1),
        (f"{SENTENCE}\n{SENTENCE}\n{SENTENCE}", None, 2),
        (f"{SENTENCE} {SENTENCE}", f"{SENTENCE} And: {SENTENCE}", 0),  # the file has it twice
        (SENTENCE, SENTENCE, 0),
        ("Open at six. Open at six.", "Open at six.", 0),  # short ones may come twice
        ("the | gate | is | open | at | six | on | days\n" * 2, "", 0),  # so may rows
    ],
)
def test_a_sentence_is_doubled_where_the_file_has_it_less_often(ours: str, theirs: str | None, times: int) -> None:
    """Without a second reader once is enough."""
    assert len(find_doubled(ours, theirs)) == times


def test_headings_count_as_read_and_tables_are_counted() -> None:
    """Titles and headings are beside the blocks; a line with one bar is no table."""
    blocks = (
        Block(text="Gate | Hour\n--- | ---\nNorth | 6", chapter="Harbour", section="Gates", page_number=3),
        Block(text="either | or"),
    )
    document = ParsedDocument(title="Rules", blocks=blocks, full_citation="A. Writer. Rules.")
    assert find_lost(write_all([document]), "Rules Harbour Gates North Writer").count == 0
    figures = describe([document], None)
    assert (figures.tables, figures.pages, figures.characters) == (1, 3, sum(len(block.text) for block in blocks))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.html", b"<!-- quay --><html><nav>Home</nav><p>Open</p><script>var x</script></html><!-- br -->", {"open"}),
        ("a.md", b"# Gate\n[map](https://example.org/quay) <br> _shut_", {"gate", "map", "shut"}),
        ("b.md", b"---\nquay: x\n---\n<!-- home -->\n```var\nopen &amp; shut\n```\n", {"x", "open", "shut"}),
        ("a.txt", "Höhe".encode("utf-16"), {"höhe"}),
        ("a.csv", b"gate;hour\nnorth;6\n", {"gate", "hour", "north", "6"}),
        ("a.json", b'{"title": "Gate", "text": ["six"], "number": 7}', {"gate", "six"}),
        ("a.jsonl", b'{"text": "one"}\n{"text": "two"}\n', {"one", "two"}),
        ("a.eml", b"Subject: Gate\nContent-Type: text/plain\n\nShut today", {"gate", "shut", "today"}),
        ("a.docx", docx(), {"turn", "the", "key", "load", "speed"}),
        ("a.pptx", pptx([("Gate", "Open at six")]), {"gate", "open", "at", "six"}),
        ("a.xlsx", xlsx({"Hours": [["north", "south"]]}), {"north", "south"}),
        ("a.odt", open_document("text", "<text:p>Open <text:span>daily</text:span></text:p>"), {"open", "daily"}),
        ("a.epub", epub({"one.xhtml": "<h1>Gate</h1><p>Open</p>"}), {"gate", "open"}),
    ],
)
def test_the_second_reader_finds_the_words(
    name: str, content: bytes, words: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Python alone, whatever else is installed, and without the addresses, tags and scripts around them."""
    monkeypatch.setattr(second.shutil, "which", lambda _: None)
    path = tmp_path / name
    path.write_bytes(content)
    reader, text = read_second(path, next(kind for kind in FileKind if path.suffix in kind.value.endings))
    assert reader
    assert text is not None
    found = set(split_words(text))
    assert words <= found
    assert not {"home", "var", "quay", "br", "example", "amp"} & found


def test_no_second_reader_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format without one, and a file on which it fails, have no figures of it."""
    monkeypatch.setattr(second.shutil, "which", lambda _: None)
    readers = {FileKind.PDF: "", FileKind.MSG: "", FileKind.DOCX: "lxml"}
    for kind, reader in readers.items():
        path = tmp_path / f"a{kind.value.ending}"
        path.write_bytes(b"damaged")
        assert read_second(path, kind) == (reader, None)


def test_no_file_stops_the_run(tmp_path: Path) -> None:
    """Damaged and slow files are rows as others are, and come first."""
    files = {
        "deep/good.md": f"# Gate\n\n{SENTENCE}\n".encode(),
        "good.pdf": pdf([paragraph(["The gate is open."]), paragraph(["The gate is shut."])]),
        "cut.pdf": pdf([paragraph(["The gate is open."])])[:300],
        "empty.txt": b" ",
        "slow.md": b"[" * 50_000 + b"<a " * 400_000,
        "other.xyz": b"words",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    paths = list(list_files(tmp_path, []))
    assert {path.name for path in paths} == {"good.md", "good.pdf", "cut.pdf", "empty.txt", "slow.md"}
    (tmp_path / "empty.txt").unlink()  # while the others are read
    with Sandbox(Limits(seconds=2)) as sandbox:
        rows = sort_worst_first(measure_all(tmp_path, paths, sandbox))
    assert {row.name: row.outcome for row in rows} == {
        "cut.pdf": "UnreadableFileError",
        "empty.txt": "FileNotFoundError",
        "slow.md": "ParserLimitError",
        "deep/good.md": READ,
        "good.pdf": READ,
    }
    assert rows[-1].outcome == READ
    assert all(row.seconds >= 0 and row.pages == 1 for row in rows if row.outcome != READ)
    good = {row.name: row for row in rows}["good.pdf"]
    assert (good.pages, good.doubled, good.tables, good.kind) == (2, 0, 0, "PDF")
    assert good.characters_per_page == len("The gate is open.")
    assert json.dumps(rows[0].message)
    assert len(render(rows).splitlines()) == 1 + len(rows)


def test_files_of_one_kind_can_be_chosen(tmp_path: Path) -> None:
    """By the name of the format."""
    for name in ("a.md", "b.csv", "c.tsv"):
        (tmp_path / name).write_text("words")
    assert [path.name for path in list_files(tmp_path, ["CSV"])] == ["b.csv", "c.tsv"]


def test_the_worst_come_first() -> None:
    """Sort files that only the second reader read first, then unreadable ones, then by loss and doubled sentences."""
    rows = [
        Measured(
            name=name,
            kind="PDF",
            outcome=outcome,
            seconds=1,
            memory_mb=None,
            pages=1,
            characters_per_page=1,
            tables=0,
            second=reader,
            lost=int(share * 10),
            lost_share=share,
            doubled=doubled,
        )
        for name, outcome, reader, share, doubled in (
            ("blank", "EmptyFileError", "pdftotext", 0, 0),
            ("fine", READ, "pdftotext", 0, 0),
            ("twice", READ, "", 0, 2),
            ("lost", READ, "pdftotext", 0.5, 0),
            ("locked", "EncryptedFileError", "", 0, 0),
            ("refused", "UnreadableFileError", "pdftotext", 1, 0),
        )
    ]
    assert [row.name for row in sort_worst_first(rows)] == ["refused", "locked", "lost", "twice", "blank", "fine"]
