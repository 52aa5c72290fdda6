"""A question that asks for two things at once, taken apart."""

import re

from core.language.nlp.question_words import AUXILIARIES, INTERROGATIVES
from core.language.nlp.text import split_questions

_WH = rf"(?:by |to |in |on |at |of |from |for |with |under )?(?:{INTERROGATIVES})\b"
# "And is it closed on Sundays": only before a pronoun, since "and are the staff" may go on in a list.
_YES_OR_NO = rf"(?:{AUXILIARIES})\s(?:it|they|he|she|i|we|you|there)\b"
_JOINT = re.compile(rf"(?:,\s?(?:and|but)|;(?:\sand)?|\sand)\s(?={_WH}|{_YES_OR_NO})", re.IGNORECASE)
_BEGINS_YES_OR_NO = re.compile(_YES_OR_NO, re.IGNORECASE)
_ASKS = re.compile(rf"\b(?:{INTERROGATIVES})\b|\A\W*(?:{AUXILIARIES})\b", re.IGNORECASE)
# "How will that change in 2027", and not "what is that rate in 2027".
_BEHIND = r"after|at|before|by|for|from|in|less|more|next|on|since|to"
_THAT = rf"\b(?:{AUXILIARIES})\s(?:that|this)(?=\s\w+(?:\s(?:{_BEHIND})\b|\Z))"
_REFERS = re.compile(rf"\b(?:it|its|they|them|their|theirs|he|she|his|her|him)\b|{_THAT}", re.IGNORECASE)
# What these stand for cannot be told by putting the first part before them.
_REFERS_OTHERWISE = re.compile(r"\b(?:this|that|these|those|there|then|so|one|ones|both|each|same)\b", re.IGNORECASE)
FEWEST_WORDS = 3  # of a part that is a question by itself
MOST_PARTS = 3


def split_parts(question: str) -> tuple[str, ...]:
    """The questions that one question joins: "Who wrote A, and when was B built?". One alone is none.

    A part that is too short to stand alone, or refers to another in a way that `set_behind` cannot mend, leaves the
    question whole; so do several questions one after the other, of which the earlier ones set the scene for the last.
    """
    if len(split_questions(question)) > 1:
        return ()
    parts = tuple(part.strip(" ,;?") for part in _JOINT.split(question.strip()))
    alone = all(len(part.split()) >= FEWEST_WORDS for part in parts)
    refers = any(_REFERS_OTHERWISE.search(_REFERS.sub("", part)) for part in parts[1:])
    is_asked = bool(_ASKS.search(parts[0])) or not any(map(_BEGINS_YES_OR_NO.match, parts))
    return parts if 1 < len(parts) <= MOST_PARTS and alone and is_asked and not refers else ()


def set_behind(first: str, part: str) -> str:
    """A later part in words that stand alone: "it" is what the first part asked about, which then sets the scene."""
    return f"{first}? {part[:1].upper()}{part[1:]}?" if _REFERS.search(part) else part
