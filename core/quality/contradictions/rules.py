"""Find what passages allow and forbid, need and do not need, and whether two of them exclude each other. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from core.language.nlp.structure import Span
from core.language.nlp.text import content_stems
from core.quality.contradictions.claims import find_sentences

_NOT = r"(?:\s(?:not|never)|n['’]t)"


class Demand(Enum):
    """Lists what a sentence can say of something."""

    FORBIDDEN = "forbidden"
    ALLOWED = "allowed"
    UNNEEDED = "not needed"
    NEEDED = "needed"


# In this order: what is "not allowed" is forbidden, though it has "allowed".
_FORMS = {
    Demand.FORBIDDEN: re.compile(
        rf"\b(?:may|must|shall|should|can|is|are){_NOT} (?:be )?(?:allowed|permitted)\b|\b(?:may|must|shall){_NOT}\b"
        r"|\bcannot\b|\bcan['’]t\b|\b(?:forbidden|prohibited|banned|not welcome)\b"
        r"|\bno [\w -]{{2,40}} (?:is|are) (?:allowed|permitted)\b",
        re.IGNORECASE,
    ),
    Demand.UNNEEDED: re.compile(
        rf"\b(?:need|is|are|does|do|has|have){_NOT}(?: to)? (?:be )?(?:need(?:ed)?|required|necessary|have to)\b"
        r"|\bneed not\b|\bneedn['’]t\b|\b(?:optional|voluntary|unnecessary)\b"
        r"|\bno [\w -]{2,40} (?:is|are) (?:needed|required|necessary)\b|\b(?:needs?|requires?) no\b",
        re.IGNORECASE,
    ),
    Demand.ALLOWED: re.compile(
        r"\b(?:allowed|permitted|welcome)\b|\bmay\b(?! (?:be|have) [a-z]+ed by)|\bcan\b|\bfree to\b", re.IGNORECASE
    ),
    Demand.NEEDED: re.compile(
        r"\b(?:needs?|needed|required|requires?|compulsory|mandatory|obligatory|must|ha(?:ve|s) to)\b", re.IGNORECASE
    ),
}
_EXCLUDES = {
    Demand.FORBIDDEN: Demand.ALLOWED,
    Demand.ALLOWED: Demand.FORBIDDEN,
    Demand.UNNEEDED: Demand.NEEDED,
    Demand.NEEDED: Demand.UNNEEDED,
}
# Words that say the demand, or that people say along with it; what is left is what it is about.
_SAYS_IT = frozenset(
    content_stems(
        "allowed permitted forbidden prohibited banned welcome may must shall should can cannot need needs needed "
        "required requires compulsory mandatory obligatory optional voluntary unnecessary necessary never yes please "
        "sorry only always use used using bring brought take taken"
    )
)
_LEAST_SHARE, _LEAST_OF_LONGER = 0.6, 0.4  # of the words of the shorter one, and of the longer one


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Holds what a sentence allows, forbids or needs."""

    demand: Demand
    about: frozenset[str]  # stems of what it is about
    start: int  # of the sentence, in characters of the passage
    end: int
    says: Span  # the words that say the demand
    leads: tuple[Span, ...]


def find_rules(text: str) -> Iterator[Rule]:
    """Yield the rules of a passage."""
    for start, end, leads in find_sentences(text):
        sentence = text[start:end]
        for demand, form in _FORMS.items():
            if match := form.search(sentence):
                about = frozenset(content_stems(sentence)) - _SAYS_IT
                says = (start + match.start(), start + match.end())
                yield Rule(demand=demand, about=about, start=start, end=end, says=says, leads=leads)
                break


def exclude(one: Rule, other: Rule) -> bool:
    """Return True if two rules about the same demand the opposite."""
    shared = one.about & other.about
    fewer, more = sorted((len(one.about), len(other.about)))
    is_alike = len(shared) >= _LEAST_SHARE * fewer and len(shared) >= _LEAST_OF_LONGER * more
    return other.demand is _EXCLUDES[one.demand] and bool(shared) and is_alike
