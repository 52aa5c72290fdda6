"""The body of a message, from whatever kind of file: the writer's words, then the messages that it quotes."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.html_body import write_whole_body
from core.library.ingestion.parsers.html_page import read_page
from core.library.ingestion.parsers.html_text import is_text
from core.library.ingestion.parsers.mail_thread import Part, Piece, fold, split_plain, split_thread
from core.library.ingestion.parsers.outline import Outline

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

FIRST_LEVEL = 2  # of the headings of a message that is not attached to another

_OLDER = "#divRplyFwdMsg, #appendonsend"  # what Outlook writes above an older message
_QUOTES = "blockquote, .gmail_quote_container > .gmail_quote"
_SIGNATURES = ".gmail_signature, .moz-signature, #Signature, #signature, .protonmail_signature_block"
# Marks that are put into a page as paragraphs, in letters that no text has.
_MARK = "\ue0f7"
_DEEPER, _HIGHER, _SIGNED, _UNSIGNED, _BEGINS = (f"{_MARK}{letter}" for letter in "dhsub")
_MARKS = re.compile(f"{_MARK}[dhsub]?")
_BEGIN_ARMOUR, _END_ARMOUR = "-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----"
_ARMOUR = re.compile(r"(?:^|>)[ \t]{0,8}-----BEGIN PGP MESSAGE-----", re.MULTILINE)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_SIGNED_TEXT = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:[A-Za-z-]{1,20}: [^\n]{0,100}\n){0,5}"
    r"|^-----BEGIN PGP SIGNATURE-----[\s\S]*",
    re.MULTILINE,
)
_LEAST_READABLE = 30  # words beside an encrypted text, from which a message is more than that
_NO_AUTHOR = "Quoted message"
_ADDRESS = re.compile(r"https?://\S{1,2000}")
_WORD = re.compile(r"\w+")
# How much longer than the plain text a page is that says more: pages have words on their buttons and below their end.
_TIMES_LONGER, _MORE_WORDS = 2, 12
_SHORT_WORD = 3  # letters
_MOST_NAMED = 50  # attachments


def read_body(plain: str, html: str) -> list[Part]:
    """Read a message that comes as plain text, as a web page, or as both, which mostly say the same.

    If the page says far more, the plain text is only a pointer to it. The first part is the writer's own words.
    """
    soup = read_page(_MARKS.sub("", html)) if html.strip() else None
    if soup is None or (plain.strip() and not _is_stub(plain, _shown_text(soup))):
        return split_thread(split_plain(_without_armour(plain)))
    return split_thread(_read_page(soup))


def is_encrypted_text(text: str) -> bool:
    """Return True if a message, plain or a page, is little more than a text that PGP encrypted."""
    found = _ARMOUR.search(text)
    return found is not None and len(_WORD.findall(_TAG.sub(" ", text[: found.start()]))) < _LEAST_READABLE


def _without_armour(text: str) -> str:
    """Return a text without what PGP encrypted in it, and without its signatures."""
    first, *encrypted = text.replace("\r\n", "\n").split(_BEGIN_ARMOUR)
    rest = [piece.partition(_END_ARMOUR)[2] for piece in encrypted]
    return _SIGNED_TEXT.sub("", "".join((first, *rest)))


def _read_page(soup: "BeautifulSoup") -> Iterator[Piece]:
    """Yield the paragraphs of a page, those that it quotes deeper than others."""
    _mark_page(soup)
    outline = Outline("")
    write_whole_body(soup, outline)
    depth, is_signature, begins = 0, False, False
    for block in outline.blocks:
        mark = block.text.strip()
        if mark in (_DEEPER, _HIGHER):
            depth = max(0, depth + (1 if mark == _DEEPER else -1))
        elif mark in (_SIGNED, _UNSIGNED):
            is_signature = mark == _SIGNED
        elif mark == _BEGINS:
            begins = True
        elif text := _MARKS.sub("", block.text).strip("\n"):
            yield Piece(
                text=text,
                depth=depth,
                chapter=block.chapter,
                section=block.section,
                is_signature=is_signature,
                begins_older=begins,
            )
            begins = False


def _mark_page(soup: "BeautifulSoup") -> None:
    """Put marks around what a page quotes, and around signatures."""

    def make(mark: str) -> "Tag":
        tag = soup.new_tag("p")
        tag.string = mark
        return tag

    for quoted in soup.select(_QUOTES):
        quoted.insert(0, make(_DEEPER))
        quoted.append(make(_HIGHER))
    for signature in soup.select(_SIGNATURES):
        signature.insert(0, make(_SIGNED))
        signature.append(make(_UNSIGNED))
    for older in soup.select(_OLDER):
        older.insert(0, make(_BEGINS))


def write_own(parts: Sequence[Part], outline: Outline, *, level: int) -> None:
    """Write the writer's own words. level: of the headings below, 2 for a message of its own."""
    chapter = section = ""
    for piece in parts[0].pieces if parts and not parts[0].is_quoted else ():
        if piece.chapter and piece.chapter != chapter:
            outline.heading(1 if level == FIRST_LEVEL else level, piece.chapter)
        if piece.section and (piece.chapter, piece.section) != (chapter, section):
            for depth, name in enumerate(piece.section.split(" > ")):
                outline.heading(level + depth, name)
        chapter, section = piece.chapter, piece.section
        outline.text(piece.text)


def write_others(parts: Sequence[Part], outline: Outline, *, author: str, level: int, known: set[str]) -> None:
    """Write signatures, disclaimers and older messages, each as a section that says whose it is.

    known: folded paragraphs that were written before. What repeats nothing else is left out, and what is written joins
    them.
    """
    for part in parts:
        by = part.heading.author if part.is_quoted else author
        words = part.list_words()
        if part.is_quoted and not known.issuperset(words):
            outline.heading(level, str(part.heading) or _NO_AUTHOR)
            for piece in part.pieces:
                outline.text(piece.text)
        known.update(words)
        for name, texts in (
            (f"Signature of {by}" if by else "Signature", part.signature),
            ("Disclaimer", part.disclaimers),
        ):
            new = [text for text in texts if fold(text) not in known]
            known.update(map(fold, new))
            if new:
                outline.heading(level, name)
                for text in new:
                    outline.text(text)


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
