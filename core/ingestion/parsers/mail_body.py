"""The body of a message, from whatever kind of file: the newest message, without what it quotes."""

import re
from collections.abc import Sequence

from core.ingestion.cleaning import clean, one_line
from core.ingestion.parsers.html_body import write_whole_body
from core.ingestion.parsers.html_page import read_page
from core.ingestion.parsers.outline import Outline

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
_MOST_NAMED = 50  # attachments


def write_plain_body(text: str, outline: Outline) -> None:
    """Write the paragraphs of a message in plain text."""
    for paragraph in _BLANK_LINES.split(_without_history(text)):
        outline.text(paragraph)


def write_html_body(html: str, outline: Outline) -> None:
    """Write a message that is a web page."""
    soup = read_page(html)
    for quoted in soup.find_all(["blockquote"]) + soup.select(_QUOTES):
        quoted.decompose()
    write_whole_body(soup, outline)


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
