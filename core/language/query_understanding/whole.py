"""Questions about a document as a whole, and the words by which they name it. Pure."""

import re
from dataclasses import dataclass

from core.language.nlp.document_types import TYPES
from core.language.nlp.text import content_stems, is_of_a_date, stem, words_of
from core.language.nlp.written_numbers import CARDINALS
from core.language.query_understanding.annotations import ARXIV_ID

MOST_WORDS = 8  # of a name

_SUMMARY = r"(?:summary|overview|outline|gist|synopsis|recap|run-?down|tl;?dr)"
_POINTS = (
    r"(?:main|key|central|most important) (?:points?|messages?|ideas?|themes?|topics?|findings?|takeaways?|contents?)"
)
_WORDS = r"(?:[^?.!]|\.(?=\d)){3,80}"  # a full stop within a number is none
_NAME = rf"(?P<name>{_WORDS})"
_OPENING = r"\A\W{0,3}(?:please )?(?:(?:can|could|would) you (?:please )?)?"
_GIVING = (
    r"(?:(?:give|write|show|get|send) (?:me |us )?|(?:can|could|may) i (?:have|get) "
    r"|i(?: would|'d)? (?:need|want|like) )"
)
_ASKED = (
    # "Summarise the safety manual", "give me a short overview of the travel rules", "the main points of the report".
    re.compile(rf"{_OPENING}(?:summari[sz]e|outline|sum up|recap) {_NAME}", re.IGNORECASE),
    re.compile(
        rf"{_OPENING}{_GIVING}?(?:an? |the )?(?:(?:short|brief|quick|general|high-level|rough) )?{_SUMMARY}"
        rf"(?: (?:of|on|over|about|for))? {_NAME}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_OPENING}(?:{_GIVING}|what(?: are|'re| is|'s|’s) )?(?:the )?{_POINTS} (?:of|in|from) {_NAME}", re.IGNORECASE
    ),
    re.compile(
        rf"\Awhat(?: is|'s|’s| does| do| are) (?P<name>{_WORDS}?) (?:all )?(?:about|say|cover|contain)\W{{0,3}}\Z",
        re.IGNORECASE,
    ),
    re.compile(rf"\Awhat(?: is|'s|’s) in {_NAME}\W{{0,3}}\Z", re.IGNORECASE),
)
# "Which paper has the arXiv id 2212.11772 and what does it propose?", "what does arXiv 2212.11772 propose?"
_PROPOSES = r"(?:contribute|cover|describe|discuss|do|find|introduce|present|propose|report|say|show|study|tell)"
_ID = rf"(?P<name>{ARXIV_ID})"
_BY_ITS_ID = (
    re.compile(
        r"\A(?:which|what) (?:paper|preprint|article|document) (?:has|is|carries) (?:the )?(?:arxiv )?"
        rf"(?:id|identifier|number)? ?{_ID}(?:,? and what (?:is it about|(?:does|did) it {_PROPOSES}))?\W{{0,3}}\Z",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\Awhat (?:does|did) (?:the )?(?:paper |preprint )?(?:arxiv[ :]?)?(?:id )?{_ID} {_PROPOSES}\W{{0,3}}\Z",
        re.IGNORECASE,
    ),
)
# What may as well be asked of a thing: of a document only where a word says that it is one.
_TOLD = re.compile(rf"{_OPENING}tell (?:me|us) (?:more |something )?about {_NAME}", re.IGNORECASE)
_HOW_SHORT = re.compile(
    r"\s(?:(?:for (?:me|us)|please|briefly|quickly|shortly|in (?:short|brief|general)"
    rf"|in (?:a few|an?|{'|'.join(CARDINALS)}|\d{{1,2}}) (?:short )?"
    r"(?:sentences?|words?|lines?|points?|bullets?|bullet points?|paragraphs?))\W{0,3}){1,3}\Z",
    re.IGNORECASE,
)

# Words for a sort of document. A type's own name has to be the document's; the others, "memo" and "preprint" among
# them, people use for whatever they read.
_OF_A_TYPE = frozenset(map(stem, (*TYPES, "textbook"))) - {stem("page"), stem("other")}
_ANY = """handbook guide guideline policy rule regulation procedure instruction document page article memo draft plan
    agreement contract leaflet brochure faq readme text file publication arxiv id identifier preprint circular letter
    newsletter bulletin notice announcement email mail presentation slides spreadsheet"""
_OF_ANY = frozenset(map(stem, _ANY.split()))
_LATEST = frozenset(map(stem, ("latest", "newest", "recent", "last", "current")))


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """The words by which a question names a document."""

    own: tuple[str, ...]  # that its title has to hold
    types: tuple[str, ...] = ()  # that say which type of document it is: "report"
    has_kind: bool = False  # a word says that it is a document: "report", "rules"


def find_id_asked(question: str) -> str:
    """Return the arXiv id of a paper of which a question asks only which it is and what it says; else nothing."""
    found = next(filter(None, (pattern.search(question) for pattern in _BY_ITS_ID)), None)
    return found["name"] if found else ""


def find_whole_document(question: str) -> str:
    """Return the words by which a question names a document that it asks about as a whole; nothing for any other."""
    found = next(filter(None, (pattern.search(question) for pattern in _ASKED)), None)
    if found is None:
        found = _TOLD.search(question)
        if found is None or not read_name(found["name"]).has_kind:
            return ""
    return _HOW_SHORT.sub("", found["name"]).strip()


def read_name(words: str, *, is_dated: bool = False) -> Name:
    """Read the name that some words are. is_dated: their dates, and words such as "latest", have become filters."""
    told = [word for word in words_of(words) if content_stems(word)]
    if is_dated:
        told = [word for word in told if not is_of_a_date(stem(word)) and stem(word) not in _LATEST]
    types = tuple(word for word in told if stem(word) in _OF_A_TYPE)
    own = [word for word in told if stem(word) not in _OF_A_TYPE | _OF_ANY]
    has_kind = len(own) < len(told) or "document" in words.casefold()
    return Name(own=tuple(own[:MOST_WORDS]), types=types, has_kind=has_kind)
