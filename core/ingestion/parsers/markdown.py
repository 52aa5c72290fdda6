"""Markdown and MDX: front matter, headings, and text without the markup that only a renderer needs."""

import re
from typing import TYPE_CHECKING, Any

from core.ingestion.document import ParsedDocument
from core.ingestion.naming import title_from_name
from core.ingestion.parsers.header import collect_fields
from core.ingestion.parsers.outline import Outline
from core.ingestion.parsers.written import table

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

# Fenced code (also when its fence is never closed) and code spans: whatever stands in them stays as it is.
_CODE = r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?s:.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)|(?<!`)`++[^`\n]+`+"
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
# A template tag with a quoted argument stands for that argument: {% channel "support" %}.
_TEMPLATE_TAG = r"\{%\s*+\w*+\s*+(?:\"(?P<argument>[^\"\n]{0,500})\")?[^\n]{0,500}?%\}"
_CODE_OR_NOISE = re.compile(rf"(?P<code>{_CODE})|{'|'.join(_NOISE)}|{_TEMPLATE_TAG}", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n")


def parse_markdown(text: str, name: str) -> ParsedDocument:
    """Parse Markdown. The title is that of the front matter, else the first heading, else the file's name."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    header, body = split_front_matter(text)
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(without_noise(body))
    root = SyntaxTreeNode(tokens)
    fields = collect_fields(header)
    fields["title"] = fields["title"] or _first_heading(root) or title_from_name(name)
    outline = Outline(fields["title"])
    for node in root.children:
        if node.type == "heading":
            outline.heading(int(node.tag[1]), _inline(node))
        else:
            outline.text(_block(node))
    return ParsedDocument(**fields, blocks=outline.blocks)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The front matter's fields and the text behind it. Text that only looks like front matter stays text."""
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
        return match["code"] or match["argument"] or ""

    return _CODE_OR_NOISE.sub(keep, text)


def _first_heading(root: "SyntaxTreeNode") -> str:
    return next((_inline(node) for node in root.children if node.type == "heading"), "")


def _block(node: "SyntaxTreeNode") -> str:
    """The text of a block and what is nested in it."""
    match node.type:
        case "fence" | "code_block":
            return node.content.rstrip()
        case "html_block":
            return _html_text(node.content)
        case "bullet_list" | "ordered_list":
            return _list(node)
        case "table":
            rows = [row for part in node.children for row in part.children]
            return table([[_inline(cell) for cell in row.children] for row in rows], has_header=True)
        case "blockquote":
            return "\n\n".join(filter(None, (_block(child) for child in node.children)))
        case "hr":
            return ""
        case _:
            return _inline(node)


def _list(node: "SyntaxTreeNode") -> str:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    items = []
    for position, item in enumerate(node.children):
        marker = "- " if first is None else f"{first + position}. "
        text = "\n".join(filter(None, (_block(child) for child in item.children)))
        items.append(marker + text.replace("\n", "\n" + " " * len(marker)))
    return "\n".join(items)


def _inline(node: "SyntaxTreeNode") -> str:
    """The text of a paragraph, heading or cell, its lines joined."""
    pieces = []
    for child in node.children:
        match child.type:
            case "text" | "code_inline":
                pieces.append(child.content)
            case "softbreak":
                pieces.append(" ")
            case "hardbreak":
                pieces.append("\n")
            case "html_inline":
                pieces.append("\n" if child.content.lower().startswith("<br") else "")
            case "image":
                pieces.append(child.content)
            case _:
                pieces.append(_inline(child))
    return "".join(pieces).strip()


def _html_text(html: str) -> str:
    from bs4 import BeautifulSoup

    return str(BeautifulSoup(html, "lxml").get_text(" ", strip=True))
