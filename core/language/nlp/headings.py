"""Headings: the numbers that they begin with ("4.", "2a.", "IV.", "Chapter 4:", "§ 3"), and their words. Pure."""

import re

FRONT_MATTER = "Authors and citation"  # of the section that ingestion makes of what a file says beside its text

_COUNTED = r"\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?"
_LETTERED = r"(?:[IVX]{1,5}|[A-Z])"
_PARTS = "chapter|section|part|article|annex|appendix"
_NUMBER = re.compile(
    rf"\A\W*(?:(?:{_PARTS})\s+(?:{_COUNTED}|{_LETTERED})\b[\s.:)–—-]*"
    rf"|{_COUNTED}(?:[.:)]\s*|\s+)|{_LETTERED}(?:(?:\.\d{{1,3}}){{1,3}}[.:)]?|[.:)])\s+)(?=\w)",
    re.IGNORECASE,
)
# Headings that say how a text is made, and not what it is about.
_OF_FORM = re.compile(
    rf"(?:the )?(?:abbreviations?|abstract|acknowledge?ments?|annex|appendi(?:x|ces)|attachments?|attendance|authors?"
    r"|background|basics|bibliography|change ?log|conclusions?|(?:table of )?contents|discussion|errata|examples?"
    r"|exercises|figures?|footnotes?|foreword|further reading|general|glossary|imprint|index|introduction|introductory"
    r"|keywords|list of|miscellaneous|notes?|other|outline|overview|participants|plates?|preamble|preface"
    r"|related work|references|remarks|results|revision|see also|solutions?|sources|summary|tables?|title|untitled"
    rf"|version|(?:{_PARTS}|figure|step|play|lesson|unit|module|page|volume|week|day)\s+(?:{_COUNTED}|{_LETTERED}))\b",
    re.IGNORECASE,
)
_ENDS_OF_FORM = re.compile(r"\b(?:checklist|exam|exercises?|links|quiz|references|resources)\W*\Z", re.IGNORECASE)
# What such a word ends is a name: the Paperwork Reduction Act.
_NAMED = re.compile(
    r"(?:[A-Z]\w+ ){1,6}(?:Act|Agency|Agreement|Association|Convention|Department|Treaty|Union|University)\Z"
)
_PAGE = re.compile(r"page \d+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_WORD = re.compile(r"[^\W_][\w’'/&-]*")
_SMALL = frozenset(
    "a an and as at by for from if in into is it nor of off on or over per so than the to up via with".split()  # noqa: SIM905 - words
)


def list_parts(heading: str) -> list[str]:
    """Return the parts of a passage's heading: its document's name, date, chapter and section, but no page."""
    return [part for part in heading.split(", ") if not _PAGE.fullmatch(part)]


def drop_number(heading: str) -> str:
    """Return the heading without its number, which says nothing of its subject; as it is where it is a number alone."""
    return _NUMBER.sub("", heading)


def is_of_form(heading: str) -> bool:
    """Return True if a heading, without its number, names a form ("Introduction", "Appendix B") and no subject."""
    return not _LETTERS.search(heading) or bool(_OF_FORM.match(heading) or _ENDS_OF_FORM.search(heading))


def write_in_sentence(heading: str, text: str) -> str:
    """Write a heading as it is written within a sentence: names keep their capitals, other words lose them.

    text: of its section. What it writes in small letters is no name there; what it writes in capitals within a sentence
    is one. Where it has neither, a heading in which every word has a capital is taken for plain words.
    """
    if _NAMED.match(heading):
        return f"the {heading}"
    words = list(_WORD.finditer(heading))
    long = [word.group() for word in words if word.group().casefold() not in _SMALL]
    # One word says nothing of how the others would be written.
    is_titled = len(long) > 1 and all(word[0].isupper() or not word[0].isalpha() for word in long)
    is_loud = heading.isupper() and any(len(word) > 4 for word in long)
    written = heading
    for number, word in enumerate(words):
        shown = word.group()
        is_marked = not is_loud and any(char.isupper() or char.isdigit() for char in shown[1:])
        if not shown[0].isupper() or is_marked or _is_name(heading, words, number, text):
            continue
        if number == 0 or is_titled or is_loud:
            written = f"{written[: word.start()]}{shown.lower()}{written[word.end() :]}"
    return written


def _is_name(heading: str, words: list[re.Match[str]], number: int, text: str) -> bool:
    """Return True if the text capitalises the word within a sentence, alone or with the word beside it."""
    word = words[number].group()
    if word.casefold() in _SMALL:
        return False
    if word.lower() not in _WORD.findall(text):
        return _is_within(word, text)
    pairs = (words[number : number + 2], words[max(number - 1, 0) : number + 1])
    both = [
        heading[pair[0].start() : pair[1].end()]
        for pair in pairs
        if len(pair) == 2 and all(word.group()[0].isupper() for word in pair)
    ]
    return any(_is_within(name, text) for name in both)


def _is_within(words: str, text: str) -> bool:
    """Return True if a text contains these words in this form, and within a sentence."""
    found = text.find(words)
    while found >= 0:
        before, behind = text[max(found - 2, 0) : found], text[found + len(words) :][:1]
        if before[1:] == " " and (before[0].islower() or before[0] == ",") and not behind.isalnum():
            return True
        found = text.find(words, found + 1)
    return False
