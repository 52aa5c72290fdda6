"""Drop statements that only say that the passages do not answer, which models write for "nothing". Pure.

"The maximum price is not mentioned in the given passages" has the words of its quotes and may pass for an answer.
"""

import re
from collections.abc import Sequence

from core.asking.verification.quote_normalisation import fold
from core.types import Statement

LONGEST = 800  # characters that are read of a statement; a longer one is not shown

# What a model calls what it was given. "The contract" and "the minutes" are things of documents and not among them.
_GIVEN = (
    r"(?:(?:the|these|those|this|any|my|your) )?"
    r"(?:(?:given|provided|available|above|following|retrieved|supplied|shown|numbered|source|context) ){0,2}+"
    r"(?:passages?|texts?|documents?|documentation|excerpts?|contexts?|sources?|snippets?|quotes?"
    r"|(?<=given )information|(?<=provided )information|(?<=available )information)"
)
_TOLD = (
    r"(?:mentioned|stated|specified|provided|given|found|included|discussed|described|addressed|covered|listed|defined"
    r"|available|contained|indicated|answered|explained|detailed)"
)
_TELL = (
    r"(?:mention|state|specify|say|provide|include|discuss|describe|address|cover|define|contain|indicate|answer"
    r"|explain|tell)"
)
_WHAT = r"(?:information|mention|details?|answer|indication)"
_CANNOT = r"(?:cannot|can not|can't|could not|couldn't|am unable to|was unable to)"
_IN_ENGLISH = (
    # "X is not mentioned in the given passages", "it cannot be determined from these documents"
    rf"\b(?:not|never|nowhere|isn't|aren't)(?: [a-z]+ly)? {_TOLD} (?:anywhere )?(?:in|by|within) {_GIVEN}\b",
    rf"\b{_CANNOT} be (?:determined|inferred|known|{_TOLD}) (?:from|in|by|using|based on) {_GIVEN}\b",
    # "The passages do not say when", "none of the documents mentions it"
    rf"\b{_GIVEN} (?:do not|does not|did not|don't|doesn't|didn't|fails? to)(?: [a-z]+ly)? {_TELL}\b",
    rf"\b(?:none of|neither of|nothing in) {_GIVEN} (?:{_TELL}e?s?|answers?)\b",
    rf"\bno (?:passages?|documents?|texts?|sources?) {_TELL}s?\b",
    rf"\b{_GIVEN} (?:has|have|give|{_TELL})s? (?:no|insufficient|not enough) (?:[a-z]+ )?{_WHAT}\b",
    rf"\b{_GIVEN} (?:is|are) silent\b",
    # "There is no information about X", "no details are given in the text"
    rf"\b(?:there (?:is|are|was)|i (?:have|found|find|see)) (?:no|not enough|insufficient) (?:[a-z]+ )?{_WHAT}\b",
    rf"\bno (?:[a-z]+ )?{_WHAT} (?:[\w-]+ ){{0,8}}?(?:is|are|was|were) {_TOLD}\b",
    # "I cannot find the price"
    rf"\bi {_CANNOT} (?:find|answer|determine|locate|see|tell|say)\b",
    r"\bi (?:do not|don't) (?:know|find|see)\b",
)
_IN_GERMAN = (
    r"\b(?:dokumente?n?|textstellen?|passagen?|texten?|quellen?) nicht (?:erwähnt|genannt|angegeben|enthalten)\b",
    r"\b(?:dokumente?|textstellen?|passagen?|texte?) (?:enthält|enthalten|nennt|nennen|sagt|sagen) (?:nichts|keine)\b",
    r"\bes gibt (?:dazu |darüber |hierzu )?keine (?:angaben|informationen?)\b",
)
_IN_FRENCH = (
    r"\b(?:documents?|passages?|extraits?|textes?) ne (?:mentionnent?|précisent?|disent|dit|indiquent?) (?:pas|rien)\b",
    r"\bn'est pas (?:mentionnée?|précisée?|indiquée?) dans (?:les|ces|le|ce) (?:documents?|passages?|textes?)\b",
)
_IN_SPANISH = (
    r"\b(?:documentos?|pasajes?|textos?|fragmentos?) no (?:mencionan?|indican?|dicen?|contienen?|especifican?)\b",
    r"\bno se (?:menciona|indica|especifica) en (?:los|las|el|la) (?:documentos?|pasajes?|textos?|fragmentos?)\b",
)
_REFUSAL = re.compile("|".join((*_IN_ENGLISH, *_IN_GERMAN, *_IN_FRENCH, *_IN_SPANISH)))


def says_nothing(statement: Statement) -> bool:
    """Return True if a statement only says that the given passages do not answer.

    A statement that a quote holds word for word is a document's own, and treated like any other.
    """
    said = _make_plain(statement.text[:LONGEST])
    if not _REFUSAL.search(said):
        return False
    return not any(said.strip(" .") in _make_plain(quote.text) for quote in statement.quotes)


def drop_refusals(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements without those that only say that nothing answers."""
    return [statement for statement in statements if not says_nothing(statement)]


def _make_plain(text: str) -> str:
    return " ".join(fold(text)[0].casefold().split())
