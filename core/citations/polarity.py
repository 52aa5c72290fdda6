"""What a clause denies, and under which condition it holds. Pure."""

import re

from core.citations.clauses import Clause
from core.citations.opposites import turned_round
from core.text import stem

# Not counted: words that bound a number ("no more than"), that add ("not only"), and the abbreviation of "number".
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno (?:more|less|fewer|later|earlier|sooner) than\b|\bnot (?:more|less|fewer|later|earlier) than\b"
    r"|\bNo\.\s*\d|\bnot to exceed\b|\bno matter\b",
    re.IGNORECASE,
)
_DENIALS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|without|cannot|hardly|scarcely|barely|unable|seldom|rarely)\b"
    r"|n['’]t\b"
    r"|\b(?:fail(?:s|ed|ing)?|failure|refus(?:e|es|ed|ing|al)|declin(?:e|es|ed|ing)) to\b"
    r"|\b(?:lack(?:s|ed|ing)?|absence of|free (?:of|from)|instead of|rather than|far from)\b"
    r"|\b(?:den(?:y|ies|ied|ying)|doubt(?:s|ed|ing)?|disput(?:e|es|ed|ing)) (?:that|whether)\b"
    r"|\breject(?:s|ed|ing)? the \w+ that\b|\bit is (?:false|untrue|wrong) that\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:unless|except|excluding|only (?:if|when|where)|if and only if|provided(?: that)? (?=\w+ )"
    r"|as long as|so long as|other than|but not)\b",
    re.IGNORECASE,
)
_IF = re.compile(
    r"(?<!\bas )(?<!\beven )(?<!\bwhat )\bif\b(?!\s+(?:any|necessary|needed|possible|applicable|appropriate|so|not))",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|unless|except|excluding|only|when|whenever|where|provided|as long as|so long as|in case|until|should"
    r"|other than|but not|depending|subject to|without)\b",
    re.IGNORECASE,
)


def denials(text: str) -> int:
    """How often a text denies. Two denials are not taken for none: they need not cancel."""
    return len(_DENIALS.findall(_NO_DENIAL.sub(" ", text)))


def says_the_opposite(said: Clause, quoted: Clause) -> bool:
    """True when a word said has its opposite in what is quoted."""
    return turned_round(_all_stems(said), _all_stems(quoted))


def is_conditional(text: str) -> bool:
    """True when a text names a condition, an exception or an occasion."""
    return bool(_CONDITIONAL.search(text))


def has_condition(text: str) -> bool:
    """True when what a text says holds on a condition or with an exception."""
    return bool(_CONDITION.search(text) or _IF.search(text))


def begins_with_condition(text: str) -> bool:
    """True for a clause that is the condition of its neighbour: "unless the door is locked"."""
    found = _CONDITION.search(text) or _IF.search(text)
    return bool(found) and not re.search(r"\w", text[: found.start() if found else 0])


def _all_stems(part: Clause) -> frozenset[str]:
    """With the words as they are: the stem of "unlikely" is not that of "likely" with a prefix."""
    return frozenset(stem(word) for word in part.words) | frozenset(part.words)
