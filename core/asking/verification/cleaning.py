"""Reduce a statement to words: no links, mentions, markup, invisible characters or citation marks. Pure."""

import re
import unicodedata

# What has two ends is looked for within 800 characters, the length of a statement: else each beginning without an end
# would be read on to the end of the text.
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]{0,800})\]\([^)]{0,800}\)")
_MENTION = re.compile(r"<[!@#][^<>]*>|@(?=(?:here|channel|everyone)\b)", re.IGNORECASE)
_ANGLE_LINK = re.compile(r"<[a-z]+:[^<>|]*(?:\|([^<>]*))?>", re.IGNORECASE)
# Schemes count wherever they begin, also behind a letter, as in "\x0Bjavascript:x". "JavaScript: The Good Parts" is a
# title, "metadata:x" a word, and neither leads anywhere.
_BARE_LINK = re.compile(
    r"(?:[a-z0-9+.-]{0,30}://|(?<![^\W_])www\.|mailto:|(?:java|live|vb)script:|\bdata:|data:(?=[\w.+-]{0,40}[/;,]))\S+",
    re.IGNORECASE,
)
# An address that people write down: with nothing in it that leads elsewhere, hides where it leads or carries data.
_WEB_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.)?(?P<plain>(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?(?:/[\w./~+-]*)?)", re.IGNORECASE
)
_CLOSING = ".,;:!?…)]}\"'’”»"  # what ends a sentence or a bracket, and no address
_TAG = re.compile(r"</?[a-z][^<>]*>|<!--.{0,800}?-->", re.IGNORECASE | re.DOTALL)
_OPENED_TAG = re.compile(r"<(?=[a-z!/@#?])", re.IGNORECASE)  # one that nothing closes; "p < 0.05" stays
_CITATION_MARK = re.compile(r"(?:(?<!\s)\s++)?\[\s*\d{1,3}(?:\s*[,-]\s*\d{1,3})*\s*\]")
_FENCE = re.compile(r"`+")
_EMPHASIS = re.compile(r"(?<![\w*~_])(\*{1,3}|_{1,3}|~~)(?=\S)(.{1,800}?)(?<=\S)\1(?![\w*~_])")
_LONE_MARK = re.compile(r"(?<!\w)[*_~]{1,3}(?!\w)")
MOST_PASSES = 8  # what needs more of them was written to get through
_UNUSUAL = re.compile(r"[^ -~]")  # a character that may be invisible
_LEADING_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s+|(?:[-*•]|\d{1,3}[.)])\s+)")


def clean(text: str) -> str:
    """Return text on one line of words alone. The words of a link stay, where it leads goes: links come from citations.

    Invisible characters go, since some of them change the order in which text is read, and so do the marks [1] that
    a model sets by itself: those of an answer are set by its citations. Nothing is left of a text that would be a link
    or a mention again whenever something is taken out of it.
    """
    return " ".join(_LEADING_MARK.sub("", _remove_until_stable(_UNUSUAL.sub(_keep_visible, text))).split())


def _remove_until_stable(text: str) -> str:
    """Return text without links and marks, also those that come of taking out others, as in "java`script:x"."""
    for _ in range(MOST_PASSES):
        less = _remove_marks(remove_links(text))
        if less == text:
            return text
        text = less
    return ""


def _remove_marks(text: str) -> str:
    """Return text without the marks of citations, code and emphasis."""
    text = _EMPHASIS.sub(r"\2", _FENCE.sub("", _CITATION_MARK.sub("", text)))
    return " ".join(_LONE_MARK.sub("", text).split())


def remove_links(text: str) -> str:
    """Return text without links, mentions and tags.

    Of a web address is left what follows its scheme, "port.example/berths", which leads nowhere by itself and has to be
    in the quotes like any other (core.asking.verification.addresses); of any other link the words "(link left out)".
    """
    text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _MENTION.sub("", text)
    text = _ANGLE_LINK.sub(lambda found: found.group(1) or "", text)
    text = _OPENED_TAG.sub("", _BARE_LINK.sub(_write_address, _TAG.sub("", text)))
    return " ".join(text.split())


def _write_address(link: re.Match[str]) -> str:
    written = link.group().rstrip(_CLOSING)
    address = _WEB_ADDRESS.fullmatch(written)
    return (address["plain"] if address else "(link left out)") + link.group()[len(written) :]


def _keep_visible(found: re.Match[str]) -> str:
    """Return nothing for a control or format character; for one that is white space, a space."""
    character = found.group()
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Cn") else character
