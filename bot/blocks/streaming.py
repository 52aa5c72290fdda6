"""Text that may hold Markdown, as Markdown that Slack may stream: the same words and nothing that leads anywhere.

Slack reads streamed text as Markdown, with links, mentions and whatever it takes for an address. Every character
with a meaning is escaped; what opens a mention or a link in Slack's own writing is parted by a word joiner, which is
invisible, so that it stays inert however often the text is unescaped. Addresses and tables are set as code.
"""

import re

from bot.blocks.markdown import Items, Paragraph, Part, Table, TextRun, Words, read_parts, render_lines
from bot.blocks.text import fit

_JOINER = "\u2060"
_OPENING = re.compile(r"<(?=[^\s\d=]|$)")
_NAME = re.compile(r"@(?=\w|$)")
_SPECIAL = re.compile(r"(\[\d{1,3}\])|([\\`*~|\[\]]|(?<!\w)_|_(?!\w))")  # the mark of a citation stays
_AFTER_MARK = re.compile(r"(?<=\])[(:]")
_LEADING = re.compile(r"^(\s*)(?:([-+=#])|(\d{1,9})([.)]))")
_FENCES = re.compile(r"`{3,}")


def render_pieces(text: str, limit: int) -> list[str]:
    """Render a text as pieces of Markdown, one for each line or part, that have at most `limit` characters together."""
    return fit(text, limit, _render_parts, len)


def _render_parts(text: str) -> list[str]:
    return [f"{piece}\n\n" for part in read_parts(text) for piece in _render_part(part)]


def _render_part(part: Part) -> list[str]:
    match part:
        case Paragraph():
            return [_render_line(words) for words in _split_lines(part.words) if any(run.text.strip() for run in words)]
        case Items():
            lines = []
            for item in part.items:
                bullet = "-" if item.number is None else f"{item.number}."
                lines.append(f"{'    ' * item.depth}{bullet} {_render_line(item.words)}")
            return ["\n".join(lines)]
        case Table():
            text = render_lines(part)
            fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=2))
            return [f"{fence}\n{make_inert(text)}\n{fence}"]


def _split_lines(words: Words) -> list[Words]:
    lines: list[list[TextRun]] = [[]]
    for run in words:
        if run.text == "\n":
            lines.append([])
        else:
            lines[-1].append(run)
    return [tuple(line) for line in lines]


def _render_line(words: Words) -> str:
    line = "".join(map(_mark_words, words)).replace("\n", " ").strip()
    line = _LEADING.sub(
        lambda found: f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\{found[4]}", line
    )
    return _AFTER_MARK.sub(r"\\\g<0>", line)


def _mark_words(run: TextRun) -> str:
    words = " ".join(run.text.split())
    if not words:
        return run.text
    if run.code:
        shown = f"`{make_inert(words)}`" if "`" not in words else _escape_words(words)
    else:
        marks = "".join(mark for mark, is_set in (("**", run.bold), ("_", run.italic), ("~~", run.strike)) if is_set)
        shown = f"{marks}{_escape_words(words)}{marks[::-1]}"
    before = " " if run.text[0].isspace() else ""
    return before + shown + (" " if run.text[-1].isspace() else "")


def _escape_words(text: str) -> str:
    """Escape words to Markdown that shows them as they are."""
    inert = _NAME.sub(f"@{_JOINER}", make_inert(text))
    escaped = _SPECIAL.sub(lambda found: found[1] or f"\\{found[2]}", inert)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def make_inert(text: str) -> str:
    """Let nothing of Slack's own writing in a text mention or link, also within code, where nothing is escaped."""
    return _OPENING.sub(f"<{_JOINER}", text)
