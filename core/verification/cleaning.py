"""What a statement may hold: words. No links, mentions, markup, invisible characters or citation marks. Pure."""

import re
import unicodedata

# What has two ends is looked for within 800 characters, the length of a statement: else each beginning without an end
# would be read on to the end of the text.
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]{0,800})\]\([^)]{0,800}\)")
_MENTION = re.compile(r"<[!@#][^<>]*>|@(?=(?:here|channel|everyone)\b)", re.IGNORECASE)
_ANGLE_LINK = re.compile(r"<[a-z]+:[^<>|]*(?:\|([^<>]*))?>", re.IGNORECASE)
_BARE_LINK = re.compile(r"\b(?:[a-z][a-z0-9+.-]{0,30}://|www\.|mailto:|javascript:|data:)\S+", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>|<!--.{0,800}?-->", re.IGNORECASE | re.DOTALL)
_OPENED_TAG = re.compile(r"<(?=[a-z!/@#?])", re.IGNORECASE)  # one that nothing closes; "p < 0.05" stays
_CITATION_MARK = re.compile(r"(?:(?<!\s)\s++)?\[\s*\d{1,3}(?:\s*[,-]\s*\d{1,3})*\s*\]")
_FENCE = re.compile(r"`+")
_EMPHASIS = re.compile(r"(?<![\w*~_])(\*{1,3}|_{1,3}|~~)(?=\S)(.{1,800}?)(?<=\S)\1(?![\w*~_])")
_LONE_MARK = re.compile(r"(?<!\w)[*_~]{1,3}(?!\w)")
_LEADING_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s+|(?:[-*•]|\d{1,3}[.)])\s+)")


def clean(text: str) -> str:
    """Text on one line of words alone. The words of a link stay, where it leads goes: links come from citations.

    Invisible characters go, since some of them change the order in which text is read, and so do the marks [1] that
    a model sets by itself: those of an answer are set by its citations.
    """
    text = remove_links(_drop_invisible(text))
    text = _CITATION_MARK.sub("", text)
    text = _LEADING_MARK.sub("", _EMPHASIS.sub(r"\2", _FENCE.sub("", text)))
    return " ".join(_LONE_MARK.sub("", text).split())


def remove_links(text: str) -> str:
    """Text without addresses, mentions and tags; of a bare address are left the words "(link left out)"."""
    text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _MENTION.sub("", text)
    text = _ANGLE_LINK.sub(lambda found: found.group(1) or "", text)
    text = _OPENED_TAG.sub("", _BARE_LINK.sub("(link left out)", _TAG.sub("", text)))
    return " ".join(text.split())


def _drop_invisible(text: str) -> str:
    """Text without control and format characters; those among them that are white space become a space."""
    return "".join(_show(character) for character in text)


def _show(character: str) -> str:
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Cn") else character
