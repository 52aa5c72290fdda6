"""List what a follow-up may mean: questions that stand alone, of which reading chooses one. Pure.

A follow-up takes its place in an earlier question ("and for class C?"), asks further about what that was about ("how
thick?"), or stands alone. Words do not tell which of them; what the documents answer does. About what an earlier
question was is put behind the follow-up in brackets. Of 59 follow-ups (half build of evaluation/follow_ups.jsonl) the
packaged reader so finds the sentence that answers for 44; behind the whole earlier question, which it then answers
instead, for 23 to 25, and alone for 32.
"""

import datetime as dt
import re
from collections.abc import Sequence

from core.language.nlp.function_words import AUXILIARIES, INTERROGATIVES
from core.language.nlp.text import content_stems, one_line, sentences
from core.language.query_understanding.follow_ups import (
    TOPIC_BEHIND,
    Turn,
    fill_slot,
    find_whole,
    names_only_dates,
    refers_back,
    without_opener,
)

MOST_WORDS = 6  # content words of a question that may be a follow-up; longer ones say what they are about
_FEWEST_OF_WHOLE = 3  # content words of a question that may well stand alone
_LONGEST_TOPIC = 150  # characters; the reader takes 64 tokens of a question

# Of the answer that was just given, and of nothing else in it.
_OTHER_WORDS = r"(?:in )?(?:simpler|other|plain|easier) (?:words|terms)"
_ABOUT_ANSWER = re.compile(
    r"^\W*(?:(?:and|but|so|hm+|oh|ok(?:ay)?|wait|sorry)\b[\s,.]*)*(?:"
    r"(?:are|r) (?:you|u) (?:really |quite |very )?(?:sure|certain)(?: (?:about|of) (?:that|this|it))?"
    r"|(?:is|was) (?:that|this|it) (?:really |still )?(?:so|true|right|correct|certain|up to date)|really|sure"
    r"|says who|who says(?: so| that| this)?|(?:what(?:'s| is) )?(?:the|your) source"
    r"|where (?:does|did) (?:it|that) say (?:so|that|this)|where did (?:you|u) (?:get|find|read) (?:that|this|it)"
    r"|where (?:is|was) (?:that|this) (?:from|written(?: down)?|said|stated)|how do (?:you|u) know(?: that| this)?"
    rf"|(?:(?:can|could|would) you )?(?:please )?(?:explain|say|repeat|put)(?: (?:that|this|it))?"
    rf"(?: again| (?:more )?simply| {_OTHER_WORDS})?|(?:again|once more|simpler|in short)(?: please)?"
    r")\W*$",
    re.IGNORECASE,
)
# What a question asks with, and says of nothing: the rest says what it is about.
_ASKS_WITH = re.compile(
    r"\b(?:how (?:much|many|long|often|far|early|late|old|big|soon|high)"
    rf"|(?:(?:from|by|until|since|up to|within|at|on|in|for) )?(?:{INTERROGATIVES})(?:['’]?s)?|{AUXILIARIES}"
    r"|i|you|we|they|it|he|she|there|my|your|our)\b",
    re.IGNORECASE,
)


def asks_about_answer(question: str) -> bool:
    """Return True if a question only doubts the last answer, or wants its source or other words for it."""
    return bool(_ABOUT_ANSWER.match(question))


def list_meanings(question: str, turns: Sequence[Turn], *, today: dt.date) -> tuple[str, ...]:
    """Return what a short question behind others may mean, likeliest first; nothing for a long one.

    turns: the earlier ones, the newest first. today: what "last year" is counted from.
    """
    if not turns or len(set(content_stems(question))) > MOST_WORDS:
        return ()
    bare = without_opener(question).strip(" ?.!") or question.strip(" ?.!")
    behind = f"{bare[:1].upper()}{bare[1:]}? ({_find_topic(turns[0].question)})"
    if len(set(content_stems(question))) >= _FEWEST_OF_WHOLE and not refers_back(question):
        return question, behind
    filled = fill_slot(question, turns[find_whole(turns)].question, today)
    if filled and names_only_dates(question, today=today):
        return (filled,)  # behind the earlier question's own date, it would name two
    return tuple(dict.fromkeys(filter(None, (filled, behind, question))))


def _find_topic(question: str) -> str:
    """Return what a question is about: what was put behind it, or its words without those that ask."""
    if behind := TOPIC_BEHIND.search(question):
        return behind["topic"]
    first = question[slice(*found[0])] if (found := sentences(question)) else question
    return one_line(_ASKS_WITH.sub(" ", first)).strip(" ?.!")[:_LONGEST_TOPIC]
