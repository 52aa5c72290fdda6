"""The body of a message, from whatever kind of file: the newest message, without what it quotes."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.ingestion.cleaning import clean, one_line
from core.ingestion.parsers.html_body import write_whole_body
from core.ingestion.parsers.html_page import read_page
from core.ingestion.parsers.html_text import is_text
from core.ingestion.parsers.outline import Outline

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
# The line above an older message: "On Monday, 3 March 2025, Ada wrote:", which programs wrap where it is long; or its
# first lines, as Outlook repeats them.
_QUOTED_BELOW = re.compile(
    r"^(?:On\b[^\n]{1,300}(?:\n[^\n]{1,200})?\bwrote:|Am\b[^\n]{1,300}(?:\n[^\n]{1,200})?\bschrieb\b[^\n]{0,200}:"
    r"|Le\b[^\n]{1,300}(?:\n[^\n]{1,200})?\ba écrit ?:|El\b[^\n]{1,300}(?:\n[^\n]{1,200})?\bescribió:"
    r"|(?:From|Von|De) ?: [^\n]{1,300}\n(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado)(?: el)? ?: [^\n]{1,200}"
    r"|-{3,} ?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original) ?-{3,})[ \t]*$",
    re.MULTILINE,
)
_SIGNATURE = "\n-- \n"  # RFC 3676, 4.3; gone once the white space at the ends of lines is
_QUOTES = ".gmail_quote, .moz-cite-prefix, #divRplyFwdMsg, #divRplyFwdMsg ~ *"
_ADDRESS = re.compile(r"https?://\S{1,2000}")
_WORD = re.compile(r"\w+")
# How much longer than the plain text a page is that says more: pages have words on their buttons and below their end.
_TIMES_LONGER, _MORE_WORDS = 2, 12
_SHORT_WORD = 3  # letters
_MOST_NAMED = 50  # attachments


def write_body(plain: str, html: str, outline: Outline) -> None:
    """Write a message that comes as plain text, as a web page, or as both, which mostly say the same.

    If the page says far more, the plain text is only a pointer to it.
    """
    soup = read_page(html) if html.strip() else None
    if soup is None or (plain.strip() and not _is_stub(plain, _shown_text(soup))):
        for paragraph in _BLANK_LINES.split(_without_history(plain)):
            outline.text(paragraph)
        return
    for quoted in soup.find_all(["blockquote"]) + soup.select(_QUOTES):
        quoted.decompose()
    write_whole_body(soup, outline)


def _is_stub(plain: str, page: str) -> bool:
    """Return True if a page says far more than the plain text, or longer and something else."""
    said, shown = _WORD.findall(_ADDRESS.sub("", plain).casefold()), _WORD.findall(page.casefold())
    if len(shown) > _TIMES_LONGER * len(said) + _MORE_WORDS:
        return True
    telling, known = {word for word in said if len(word) > _SHORT_WORD}, frozenset(shown)
    return len(shown) > len(said) and len(telling & known) < len(telling) / 2


def _shown_text(soup: "BeautifulSoup") -> str:
    return " ".join(text for text in soup.find_all(string=True) if is_text(text))


def write_attachments(names: Sequence[str], outline: Outline) -> None:
    """Name what is attached; attachments are not read."""
    shown = [line for name in names[:_MOST_NAMED] if (line := one_line(name))]
    if shown:
        outline.text(f"Attachments, not read: {', '.join(shown)}")


def _without_history(text: str) -> str:
    """A message without the older ones below it, what it quotes between its lines, and its signature."""
    text = clean(text.replace("\r\n", "\n").partition(_SIGNATURE)[0])
    found = _QUOTED_BELOW.search(text)
    kept = text[: found.start()].rstrip().rstrip("_") if found and text[: found.start()].strip(" _\n") else text
    return "\n".join(line for line in kept.split("\n") if not line.startswith(">"))
