"""Find what minutes say of a matter: what was proposed, and what came of it. Pure."""

import re

from core.language.nlp.headings import drop_number, list_parts
from core.language.nlp.text import content_stems, is_of_a_date

_PROPOSES = re.compile(
    r"\b(?:proposed|moved|suggested|requested|asked (?:for|that|to)|put forward|a (?:motion|proposal) (?:to|that))\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:was|were) (?:lost|carried|rejected|refused|defeated|accepted|adopted|approved|withdrawn|turned down|agreed"
    r"|postponed|deferred)\b|\b(?:decided|resolved|agreed|voted) (?:to|that|not to|against|for)\b"
    r"|^(?:agreed|refused|rejected|carried|lost|approved|adopted|postponed)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\bwhat (?:was|were|has been) (?:decided|agreed|resolved)\b"
    r"|\bwhat (?:did|has|have) [^?]{1,40} (?:decided?|agreed?|resolved?)\b|\bwhat (?:came|became|has become) of\b",
    re.IGNORECASE,
)
_STEMS_OF_FRAMES = frozenset(
    content_stems(
        "decide decision agree resolve came become committee board council meeting idea members proposal plan"
    )
)


def says_proposal(sentence: str) -> bool:
    """Return True if a sentence says that somebody proposes something."""
    return bool(_PROPOSES.search(sentence))


def says_outcome(sentence: str) -> bool:
    """Return True if a sentence says what became of a proposal."""
    return bool(_OUTCOME.search(sentence))


def is_outcome_asked(question: str, heading: str) -> bool:
    """Return True if a question asks what was decided about the matter that a section is called by.

    heading: the document's name and its parts, with commas between them; the last part is the section's. The section
    has each word of the matter: "What was decided about solar panels?" is answered below "Solar panels on the barn".
    A question that names a time asks one of several meetings, and which is for a reader to say.
    """
    asked = content_stems(question)
    if not _ASKED.search(question) or any(map(is_of_a_date, asked)):
        return False
    parts = list_parts(heading)
    matter = set(asked) - _STEMS_OF_FRAMES
    return bool(matter) and len(parts) > 1 and matter <= set(content_stems(drop_number(parts[-1])))
