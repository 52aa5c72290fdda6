"""Text that may hold Markdown, as Markdown that Slack may stream: the same words and nothing that leads anywhere.

Slack reads streamed text as Markdown, with links, mentions and whatever it takes for an address. Every character
with a meaning is escaped; what opens a mention or a link in Slack's own writing is parted by a word joiner, which is
invisible, so that it stays inert however often the text is unescaped. Addresses and tables are set as code.
"""

import re

from bot.blocks.markdown import Items, Paragraph, Part, Run, Table, Words, lines_of, parts_of
from bot.blocks.text import as_much_as_fits

_JOINER = "\u2060"
_OPENING = re.compile(r"<(?=[^\s\d=]|$)")
_NAME = re.compile(r"@(?=\w|$)")
_SPECIAL = re.compile(r"(\[\d{1,3}\])|([\\`*~|\[\]]|(?<!\w)_|_(?!\w))")  # the mark of a citation stays
_AFTER_MARK = re.compile(r"(?<=\])[(:]")
_LEADING = re.compile(r"^(\s*)(?:([-+=#])|(\d{1,9})([.)]))")
_FENCES = re.compile(r"`{3,}")


def streamed(text: str, limit: int) -> list[str]:
    """A text as pieces of Markdown, one for each line or part, that have at most `limit` characters together."""
    return as_much_as_fits(text, limit, _streamed, len)


def _streamed(text: str) -> list[str]:
    return [f"{piece}\n\n" for part in parts_of(text) for piece in _pieces(part)]


def _pieces(part: Part) -> list[str]:
    match part:
        case Paragraph():
            return [_line(words) for words in _lines(part.words) if any(run.text.strip() for run in words)]
        case Items():
            return [
                "\n".join(f"{'    ' * item.depth}{_bullet(item.number)} {_line(item.words)}" for item in part.items)
            ]
        case Table():
            return [_fenced(lines_of(part))]


def _lines(words: Words) -> list[Words]:
    lines: list[list[Run]] = [[]]
    for run in words:
        if run.text == "\n":
            lines.append([])
        else:
            lines[-1].append(run)
    return [tuple(line) for line in lines]


def _bullet(number: int | None) -> str:
    return "-" if number is None else f"{number}."


def _line(words: Words) -> str:
    line = "".join(map(_marked, words)).replace("\n", " ").strip()
    line = _LEADING.sub(
        lambda found: f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\{found[4]}", line
    )
    return _AFTER_MARK.sub(r"\\\g<0>", line)


def _marked(run: Run) -> str:
    words = " ".join(run.text.split())
    if not words:
        return run.text
    if run.code:
        shown = f"`{_inert(words)}`" if "`" not in words else _literal(words)
    else:
        marks = "".join(mark for mark, is_set in (("**", run.bold), ("_", run.italic), ("~~", run.strike)) if is_set)
        shown = f"{marks}{_literal(words)}{marks[::-1]}"
    before = " " if run.text[0].isspace() else ""
    return before + shown + (" " if run.text[-1].isspace() else "")


def _literal(text: str) -> str:
    """Words as Markdown that shows them as they are."""
    inert = _NAME.sub(f"@{_JOINER}", _inert(text))
    escaped = _SPECIAL.sub(lambda found: found[1] or f"\\{found[2]}", inert)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _inert(text: str) -> str:
    """Text in which nothing of Slack's own writing mentions or links, also within code, where nothing is escaped."""
    return _OPENING.sub(f"<{_JOINER}", text)


def _fenced(text: str) -> str:
    longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{_inert(text)}\n{fence}"
