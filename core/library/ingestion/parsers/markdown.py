"""Markdown and MDX: front matter, headings, and text without the markup that only a renderer needs."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.parsers.header import collect_fields
from core.library.ingestion.parsers.html_body import write_whole_body
from core.library.ingestion.parsers.html_page import read_page
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.raised import Place, Run, leave_out_struck, write_runs
from core.library.ingestion.parsers.written import table

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

# Fenced code (also when its fence is never closed) and code spans: their contents stay as they are.
_CODE = r"^[ \t>]*(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?s:.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)|(?<!`)`++[^`\n]+`+"
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_NOISE = (
    r"<!--(?s:.{0,500}?)-->",  # longer ones are left to the parser, here and below: an end is not sought for ever
    rf"</?[A-Z][\w.]*(?:\s(?:[^<>{{}}\"']|\"[^\"]*\"|'[^']*'|{_BRACES})*)?/?>",  # a JSX component's tag
    r"^(?:import\s[^\n]+\sfrom\s+['\"][^\n]+|export\s(?:default|const|function)\b[^\n]*)$",  # MDX modules
    r"\{/\*(?s:.{0,500}?)\*/\}",  # an MDX comment
    r"^[ \t]*\{[#:/@][^{}\n]*\}[ \t]*$",  # a template's condition or loop
    r"(?<=\]\()\{%[^\n]{0,500}?%\}(?=\))",  # a link's target made by a template tag: the link's text remains
    r"\[\[[\w./-]+\]\][ \t]*$",  # an anchor behind a heading
    r"(?:(?<![ \t])[ \t]++)?\{[:#.][^{}\n]*\}[ \t]*$",  # an attribute list behind a heading or paragraph
    r"^[ \t>]*\[![A-Z]+\][ \t]*$",  # the label of a note, a tip or a warning
    r"\{\{[^{}\n]*\}\}",  # a template's variable
)
# A template tag with a quoted argument is replaced by that argument: {% channel "support" %}.
_TEMPLATE_TAG = r"\{%\s*+\w*+\s*+(?:\"(?P<argument>[^\"\n]{0,500})\")?[^\n]{0,500}?%\}"
# The reference to a note, and the beginning of the note: its name is no link, and no part of the word before it.
_NOTE = r"\[\^(?P<note>[\w-]{1,30})\]"
_CODE_OR_NOISE = re.compile(rf"(?P<code>{_CODE})|{'|'.join(_NOISE)}|{_TEMPLATE_TAG}|{_NOTE}", re.MULTILINE)
_CODE_OR_TABLE = re.compile(rf"(?P<code>{_CODE})|<(?P<end>/?)(?:table|TABLE)(?:\s[^<>]{{0,500}})?>", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_LINE_START = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_HTML_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-z]+)", re.IGNORECASE)
_STRUCK = ("s", "strike", "del")
_PLACES = {"sup": Place.RAISED, "sub": Place.LOWERED}
_NOTE_MARK = re.compile(r"\[\d{1,3}\]")
_MOST_NESTED = 100  # blocks within blocks, a list's items counted too; the library drops what is nested deeper
_MOST_QUOTES = 20  # levels of quotes, as of forwarded mail; further ones are taken as these
_QUOTE_MARKS = re.compile(rf"^(?:[ \t]{{0,3}}>){{{_MOST_QUOTES},}}", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n")


def parse_markdown(text: str, name: str) -> ParsedDocument:
    """Parse Markdown. The title is that of the front matter, else the first heading, else the file's name."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    header, body = split_front_matter(text)
    reader = MarkdownIt("commonmark", {"maxNesting": _MOST_NESTED}).enable(["table", "strikethrough"])
    tokens = reader.parse(_QUOTE_MARKS.sub(">" * _MOST_QUOTES, _with_whole_tables(without_noise(body))))
    root = SyntaxTreeNode(tokens)
    fields = collect_fields(header)
    fields["title"] = fields["title"] or _first_heading(root) or title_from_name(name)
    outline = Outline(fields["title"])
    for node in root.children:
        if node.type == "heading":
            outline.heading(int(node.tag[1]), _read_heading(node))
        elif node.type == "html_block":
            write_whole_body(read_page(node.content), outline)
        else:
            outline.text(_write_block(node))
    return ParsedDocument(**fields, blocks=outline.blocks)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the front matter's fields and the text behind it. Text that only looks like front matter stays text."""
    import frontmatter
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    text = text.removeprefix("\ufeff")
    if not _FRONT_MATTER.match(text):
        return {}, text
    try:
        header, body = frontmatter.parse(text, handler=YAMLHandler())
    except (yaml.YAMLError, ValueError, TypeError, AttributeError):
        return {}, text
    return dict(header), body


def without_noise(text: str) -> str:
    """Markdown without components, template tags, anchors and comments. Code is left alone."""

    def keep(match: re.Match[str]) -> str:
        if match["note"]:
            before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
            gap = "\n" if before == "\n" and after == ":" else ""  # each note is a paragraph
            return f"{gap}\\[{match['note']}\\]"
        return match["code"] or match["argument"] or ""

    return _CODE_OR_NOISE.sub(keep, text)


def _with_whole_tables(text: str) -> str:
    """Markdown in which each HTML table is a block by itself: without empty lines, where HTML ends, and with one after.

    Text before a table on its line remains above it.
    """
    written: list[str] = []
    done = depth = start = 0
    for found in _CODE_OR_TABLE.finditer(text):
        if found["code"]:
            continue
        depth = max(depth + (-1 if found["end"] else 1), 0)
        if depth == 1 and not found["end"]:
            start = found.start()
        elif depth == 0 and start >= done and found["end"]:
            line = text[text.rfind("\n", 0, start) + 1 : start]
            prefix = _LINE_START.match(line)
            indent = " " * len(prefix.group()) if prefix else ""
            gap = "" if prefix and prefix.end() == len(line) else f"\n\n{indent}"
            table = _BLANK_LINES.sub("\n", text[start : found.end()])
            written += (text[done:start], gap, table, f"\n\n{indent}")
            done = start = found.end()
    return "".join((*written, text[done:]))


def _first_heading(root: "SyntaxTreeNode") -> str:
    return next((_read_heading(node) for node in root.children if node.type == "heading"), "")


def _read_heading(node: "SyntaxTreeNode") -> str:
    """Return the text of a heading without the marks of its notes."""
    return _NOTE_MARK.sub("", _write_inline(node))


def _write_block(node: "SyntaxTreeNode") -> str:
    """The text of a block and what is nested in it."""
    match node.type:
        case "fence" | "code_block":
            return node.content.rstrip()
        case "html_block":
            outline = Outline("")
            write_whole_body(read_page(node.content), outline)
            return "\n".join(block.text for block in outline.blocks)
        case "bullet_list" | "ordered_list":
            return _write_list(node)
        case "table":
            rows = [row for part in node.children for row in part.children]
            return table([[_write_inline(cell) for cell in row.children] for row in rows], has_header=True)
        case "blockquote":
            return "\n\n".join(filter(None, (_write_block(child) for child in node.children)))
        case "hr":
            return ""
        case _:
            return _write_inline(node)


def _write_list(node: "SyntaxTreeNode") -> str:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    items = []
    for position, item in enumerate(node.children):
        marker = "- " if first is None else f"{first + position}. "
        text = "\n".join(filter(None, (_write_block(child) for child in item.children)))
        if text or node.type == "ordered_list":
            items.append(marker + text.replace("\n", "\n" + " " * len(marker)))
    return "\n".join(items)


def _write_inline(node: "SyntaxTreeNode") -> str:
    """Return the text of a paragraph, heading or cell, its lines joined, without what is struck out."""
    return write_runs(leave_out_struck(_read_runs(node))).strip()


def _read_runs(node: "SyntaxTreeNode") -> Iterator[Run | None]:
    place, struck = Place.ON_LINE, ""  # of the HTML that is open; the tag that strikes out
    for child in node.children:
        name, is_end = _read_tag(child)
        if struck:
            struck = "" if is_end and name == struck else struck
        elif child.type == "s" or name in _STRUCK:
            struck = "" if is_end else name
            yield None
        elif name in _PLACES:
            place = Place.ON_LINE if is_end else _PLACES[name]
        else:
            for run in _runs_of(child):
                yield Run(run.text, place) if run is not None and run.place is Place.ON_LINE else run


def _read_tag(node: "SyntaxTreeNode") -> tuple[str, bool]:
    """Return the name of the HTML tag that a node is, and whether it is an end; "" for any other node."""
    found = _HTML_TAG.match(node.content) if node.type == "html_inline" else None
    return (found["name"].lower(), bool(found["end"])) if found else ("", False)


def _runs_of(node: "SyntaxTreeNode") -> Iterator[Run | None]:
    match node.type:
        case "text" | "code_inline" | "image":
            yield Run(node.content)
        case "softbreak":
            yield Run(" ")
        case "hardbreak":
            yield Run("\n")
        case "html_inline":
            yield Run("\n" if _read_tag(node)[0] == "br" else "")
        case _:
            yield from _read_runs(node)
