"""Measure what becomes of restricted sections in new editions: `python -m benchmarks.sections`.

evaluation/sections/documents.jsonl holds invented handbooks, workbooks and pages, each with a section that a rule
restricts and the same section retyped, rewritten, renumbered and renamed. Each change below makes a new edition of
each. Both editions are written as files, read by the parsers and cut as ingestion does; then the rules of the product
say which passages are restricted. Nothing is stored, and no model is asked. The exit code is 1 if a word became open.

--list: every edition of which something else became than is expected.
"""

import argparse
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.scratch import set_up

DOCUMENTS = Path(__file__).parents[1] / "evaluation/sections/documents.jsonl"
RULE = UUID(int=1)
RUN = 5  # words in a row of a restricted section in an open passage are words that became open
_WORD = re.compile(r"\w+")
_ENDINGS = {"markdown": "md", "html": "html", "docx": "docx", "workbook": "xlsx"}

Section = tuple[str, str]  # heading and text


@dataclass(frozen=True, kw_only=True, slots=True)
class Edition:
    """Holds a new edition, what of it may be read by nobody else, and what has to become of it."""

    sections: list[Section]
    secret: tuple[str, ...]  # texts
    expected: str  # RESTRICTED, or ASKED where nobody can tell
    is_same: bool = True  # the section is recognisably there: the rest of the document has to stay open


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Holds what became of a new edition."""

    opened: int  # words of the secret in open passages
    is_withheld: bool  # the whole of it
    is_asked: bool  # an administrator has to decide


def _keep(one: dict[str, Any]) -> Edition:
    heading, text = one["open"][0]["heading"], one["open"][0]["text"]
    sections = [(heading, f"{text} This was said anew."), *_list_open(one)[1:]]
    return Edition(sections=_with_secret(one, sections), secret=(one["secret"]["text"],), expected="restricted")


def _retype(one: dict[str, Any]) -> Edition:
    text = one["secret"]["retyped"]
    return Edition(sections=_with_secret(one, text=text), secret=(text,), expected="restricted")


def _rewrite(one: dict[str, Any]) -> Edition:
    """Write the text anew, below the same heading; a label stands at its beginning again."""
    text = _label(one) + one["secret"]["rewritten"]
    return Edition(sections=_with_secret(one, text=text), secret=(text,), expected="restricted")


def _renumber(one: dict[str, Any]) -> Edition:
    heading = one["secret"]["renumbered"]
    return Edition(sections=_with_secret(one, heading=heading), secret=(one["secret"]["text"],), expected="restricted")


def _rename(one: dict[str, Any]) -> Edition:
    heading, text = one["secret"]["renamed"], _without_label(one, one["secret"]["text"])
    return Edition(sections=_with_secret(one, heading=heading, text=text), secret=(text,), expected="restricted")


def _rename_and_retype(one: dict[str, Any]) -> Edition:
    heading, text = one["secret"]["renamed"], _without_label(one, one["secret"]["retyped"])
    return Edition(sections=_with_secret(one, heading=heading, text=text), secret=(text,), expected="restricted")


def _move(one: dict[str, Any]) -> Edition:
    """Put the section first, without the name that the rule knows."""
    text = _without_label(one, one["secret"]["text"])
    sections = [(one["secret"]["renamed"], text), *_list_open(one)]
    return Edition(sections=sections, secret=(text,), expected="restricted")


def _split(one: dict[str, Any]) -> Edition:
    """Make two sections of it, under other headings, with another one between them."""
    first, second = _halve(_without_label(one, one["secret"]["text"]), one["kind"])
    name = one["secret"]["renamed"]
    begin, *rest = _list_open(one)
    return Edition(
        sections=[(f"{name}, first part", first), begin, (f"{name}, second part", second), *rest],
        secret=(first, second),
        expected="restricted",
    )


def _merge(one: dict[str, Any]) -> Edition:
    """Write it on below an open section, without a heading of its own."""
    text = _without_label(one, one["secret"]["text"])
    *begin, (heading, last) = _list_open(one)
    return Edition(sections=[*begin, (heading, f"{last}\n{text}")], secret=(text,), expected="restricted")


def _copy(one: dict[str, Any]) -> Edition:
    """Leave it where it is, and have its first sentence in an open section besides."""
    text = one["secret"]["text"]
    part = _halve(_without_label(one, text), one["kind"])[0]
    *begin, (heading, last) = _list_open(one)
    sections = _with_secret(one, [*begin, (heading, f"{last}\n{part}")])
    return Edition(sections=sections, secret=(text, part), expected="asked")


def _remove(one: dict[str, Any]) -> Edition:
    return Edition(sections=_list_open(one), secret=(), expected="asked", is_same=False)


def _replace(one: dict[str, Any]) -> Edition:
    """Another heading and other words: no program can tell that it is the same."""
    heading, text = one["secret"]["renamed"], one["secret"]["rewritten"]
    sections = _with_secret(one, heading=heading, text=text)
    return Edition(sections=sections, secret=(text,), expected="asked", is_same=False)


def _rewrite_in_part(one: dict[str, Any]) -> Edition:
    """Keep the first half, under another heading, and say the rest in other words."""
    first = _halve(_without_label(one, one["secret"]["text"]), one["kind"])[0]
    rest = one["secret"]["rewritten"]
    sections = _with_secret(one, heading=one["secret"]["renamed"], text=f"{first}.\n{rest}")
    return Edition(sections=sections, secret=(first, rest), expected="asked", is_same=False)


def _exchange_words(one: dict[str, Any], every: int) -> Edition:
    """Exchange words all over the text, under another heading."""
    lines = _without_label(one, one["secret"]["text"]).split("\n")
    at = 0
    for number, line in enumerate(lines):
        found = list(re.finditer(r"\w+", line))
        for word in reversed([word for count, word in enumerate(found, at + 1) if count % every == 0]):
            line = line[: word.start()] + "altogether" + line[word.end() :]
        lines[number], at = line, at + len(found)
    text = "\n".join(lines)
    return Edition(
        sections=_with_secret(one, heading=one["secret"]["renamed"], text=text), secret=(text,), expected="restricted"
    )


def _exchange_few(one: dict[str, Any]) -> Edition:
    return _exchange_words(one, 12)


def _exchange_many(one: dict[str, Any]) -> Edition:
    return _exchange_words(one, 8)


def _use_name_for_another(one: dict[str, Any], version: str = "text") -> Edition:
    """Have the name that the rule knows for something harmless, and the text under another heading."""
    text = _without_label(one, one["secret"][version])
    sections = _with_secret(one, text=_label(one) + _new_text(one["kind"]))
    sections.append((one["secret"]["renamed"], text))
    return Edition(sections=sections, secret=(text,), expected="asked")


def _use_name_and_retype(one: dict[str, Any]) -> Edition:
    return _use_name_for_another(one, "retyped")


def _add(one: dict[str, Any]) -> Edition:
    """Leave all as it is, and add an open section."""
    sections = [*_with_secret(one), ("What is new", _new_text(one["kind"]))]
    return Edition(sections=sections, secret=(one["secret"]["text"],), expected="restricted")


def _change_all_else(one: dict[str, Any]) -> Edition:
    """Every open section is another one."""
    others = [(f"About {heading}", _new_text(one["kind"])) for heading, _ in _list_open(one)]
    return Edition(sections=_with_secret(one, others), secret=(one["secret"]["text"],), expected="restricted")


CHANGES: dict[str, Callable[[dict[str, Any]], Edition]] = {
    "same heading, same text": _keep,
    "same heading, retyped": _retype,
    "same heading, rewritten": _rewrite,
    "renumbered": _renumber,
    "renamed": _rename,
    "renamed and retyped": _rename_and_retype,
    "moved and renamed": _move,
    "split in two, renamed": _split,
    "merged into an open section": _merge,
    "copied in part": _copy,
    "removed": _remove,
    "renamed and rewritten": _replace,
    "renamed, half of it rewritten": _rewrite_in_part,
    "renamed, every twelfth word another": _exchange_few,
    "renamed, every eighth word another": _exchange_many,
    "its name is another section's now": _use_name_for_another,
    "the same, and retyped": _use_name_and_retype,
    "another section added": _add,
    "everything else changed": _change_all_else,
}


def _list_open(one: dict[str, Any]) -> list[Section]:
    return [(section["heading"], section["text"]) for section in one["open"]]


def _with_secret(
    one: dict[str, Any], sections: list[Section] | None = None, *, heading: str = "", text: str = ""
) -> list[Section]:
    """Return the sections with the restricted one behind the second."""
    found = list(sections if sections is not None else _list_open(one))
    found.insert(2, (heading or one["secret"]["heading"], text or one["secret"]["text"]))
    return found


def _label(one: dict[str, Any]) -> str:
    return f"{one['rule']['pattern']}: " if one["rule"]["kind"] == "label" else ""


def _without_label(one: dict[str, Any], text: str) -> str:
    return text.removeprefix(_label(one))


def _halve(text: str, kind: str) -> tuple[str, str]:
    """Cut a text between its sentences or rows."""
    mark = "\n" if kind == "workbook" else ". "
    parts = text.split(mark)
    middle = len(parts) // 2 or 1
    return mark.join(parts[:middle]), mark.join(parts[middle:])


def _new_text(kind: str) -> str:
    if kind == "workbook":
        return "Place\tTelephone\tOpen\nGate\t17\tall day\nOffice\t20\tfrom eight"
    return (
        "The notice board hangs beside the lift. Whoever finds something brings it to the porter, who keeps it a year."
    )


def write_file(one: dict[str, Any], sections: Sequence[Section]) -> tuple[bytes, str]:
    """Write sections as a file of the document's kind. Returns it with its name."""
    kind = one["kind"]
    name = f"{one['name']}.{_ENDINGS[kind]}"
    if kind == "markdown":
        body = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections)
        return f"# {one['title']}\n\n{body}\n".encode(), name
    if kind == "html":
        body = "".join(f"<h2>{heading}</h2>{_write_paragraphs(text)}" for heading, text in sections)
        return f"<html><body><h1>{one['title']}</h1>{body}</body></html>".encode(), name
    return (_write_word_file if kind == "docx" else _write_workbook)(one, sections), name


def _write_paragraphs(text: str) -> str:
    return "".join(f"<p>{line}</p>" for line in text.split("\n"))


def _write_word_file(one: dict[str, Any], sections: Sequence[Section]) -> bytes:
    from docx import Document

    file, out = Document(), io.BytesIO()
    file.add_heading(one["title"], 0)
    for heading, text in sections:
        file.add_heading(heading, 1)
        for line in text.split("\n"):
            file.add_paragraph(line)
    file.save(out)
    return out.getvalue()


def _write_workbook(one: dict[str, Any], sections: Sequence[Section]) -> bytes:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    book.remove(book.active)
    for heading, text in sections:
        sheet = book.create_sheet(heading)
        for line in text.split("\n"):
            sheet.append(line.split("\t"))
    book.save(out)
    return out.getvalue()


def read_pieces(content: bytes, name: str) -> tuple[Any, ...]:
    """Read a file and cut it, as ingestion does."""
    from core.library.embedding.local import load_packaged_tokenizer
    from core.library.ingestion.chunking import chunks
    from core.library.ingestion.parsers import parse
    from core.library.sections.matching import Piece

    [document] = parse(content, name).documents
    cut = chunks(document, load_packaged_tokenizer())
    return tuple(Piece(chapter=one.chapter, section=one.section, content=one.content) for one in cut)


def follow_into(one: dict[str, Any], edition: Edition) -> Outcome:
    """Restrict the first edition by its rule, follow it into the new one, and say what became of that."""
    from core.library.sections.matching import EarlierPart, Rule, follow, partition
    from core.values.sections import SectionKind

    rule = Rule(rule_id=RULE, kind=SectionKind(one["rule"]["kind"]), pattern=one["rule"]["pattern"])
    before = read_pieces(*write_file(one, _with_secret(one)))
    first = partition(before, [rule])
    part = tuple(piece for piece, rules in zip(before, first.rules, strict=True) if rules)
    still_open = tuple(piece for piece, rules in zip(before, first.rules, strict=True) if not rules)
    if not part or not still_open:
        raise ValueError(f"{one['name']}: the rule restricts nothing, or everything")
    after = read_pieces(*write_file(one, edition.sections))
    placed = follow(after, [rule], [EarlierPart(rules=frozenset({RULE}), pieces=part)], still_open)
    shown = [piece.content for piece, rules in zip(after, placed.rules, strict=True) if not rules]
    return Outcome(
        opened=sum(count_opened(text, shown) for text in edition.secret),
        is_withheld=placed.is_all,
        is_asked=bool(placed.undecided),
    )


def count_opened(secret: str, shown: Sequence[str]) -> int:
    """Count the words of a text that stand in open passages, in a run of at least RUN of them."""
    words = _split_words(secret)
    length = min(RUN, len(words))
    runs = {run for text in shown for run in _list_runs(_split_words(text), length)}
    opened = [at for at, run in enumerate(_list_runs(words, length)) if run in runs]
    return len({place for at in opened for place in range(at, at + length)})


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _list_runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def name_outcome(outcome: Outcome) -> str:
    """Name what became of an edition: open, withheld, asked or restricted."""
    if outcome.opened:
        return "open"
    return "withheld" if outcome.is_withheld else "asked" if outcome.is_asked else "restricted"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--list", action="store_true", help="list what became something else than expected")
    asked = parser.parse_args(arguments)
    set_up()
    documents = [json.loads(line) for line in DOCUMENTS.read_text(encoding="utf-8").splitlines()]
    opened = needless = same = total = 0
    print("| Change | Editions | Restricted | Restricted, and asked about | Withheld whole | Words that became open |")
    print("|---|---|---|---|---|---|")
    for change, make in CHANGES.items():
        made = [(one["name"], make(one)) for one in documents]
        outcomes = [follow_into(one, edition) for one, (_, edition) in zip(documents, made, strict=True)]
        named = [name_outcome(outcome) for outcome in outcomes]
        counts = [named.count(one) for one in ("restricted", "asked", "withheld")]
        words = sum(outcome.opened for outcome in outcomes)
        print(f"| {change} | {len(made)} | {' | '.join(map(str, counts))} | {words} |")
        opened, total = opened + words, total + len(made)
        same += sum(edition.is_same for _, edition in made)
        needless += sum(
            edition.is_same and outcome.is_withheld for (_, edition), outcome in zip(made, outcomes, strict=True)
        )
        for (name, edition), became in zip(made, named, strict=True) if asked.list else ():
            if became != edition.expected and not (became == "withheld" and not edition.is_same):
                print(f"  {name}: {became}, not {edition.expected}")
    print(f"\n{total} editions: {opened} restricted words became open")
    print(f"{needless} of {same} were withheld though the section is recognisably there")
    return 1 if opened else 0


if __name__ == "__main__":
    raise SystemExit(main())
