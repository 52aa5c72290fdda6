"""Find the places in a question that another thing can take: its subject, and the phrases behind prepositions. Pure."""

import re
from collections.abc import Sequence

from core.language.nlp.function_words import AUXILIARIES, INTERROGATIVES

_ASKS = re.compile(
    rf"^(?:(?:(?:in|for|at|on|by|to|from|until|since|with|of|within|up to)\s)?(?:{INTERROGATIVES})\b"
    rf"(?:\s(?!(?:{AUXILIARIES})\b)[\w'’-]+){{0,4}}\s)?(?P<auxiliary>{AUXILIARIES})\s(?P<rest>.+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
_BE = re.compile(r"is|are|was|were|am|has|have|had", re.IGNORECASE)
_PARTICIPLE = re.compile(
    r"\w+(?:ed|en)|built|bought|closed|cut|done|due|free|held|kept|known|left|lent|let|made|met|open|paid|put|sent|set|shown"
    r"|shut|sold|spent|taught|told|valid|worn",
    re.IGNORECASE,
)
# Words at which what a question is about ends: prepositions, and articles behind its first word.
_BOUND = re.compile(
    r"^(?:in|on|for|of|about|at|with|from|to|by|over|under|during|since|after|before|between|per|within|without|if|when|while"
    r"|the|an?|my|our|your|his|her|their|this|that)$",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?:i|you|we|they|it|he|she|one|there|people|somebody|someone|anyone|anybody)$", re.IGNORECASE
)
_OPENS_PHRASE = re.compile(
    r"^(?:the|an?|my|our|your|in|on|for|of|about|at|with|from|to|by|under|during|since)$", re.IGNORECASE
)


def find_subject(question: str) -> tuple[int, int] | None:
    """Return where a question's subject stands: "a tyre change" in "what does a tyre change cost".

    None where the question is not understood, or its subject is a pronoun.
    """
    asks = _ASKS.match(question.rstrip(" ?.!"))
    words = list(_WORD.finditer(question, *asks.span("rest"))) if asks else []
    if not asks or not words or _NO_SUBJECT.match(words[0].group()):
        return None
    return words[0].start(), _find_end(words, is_passive=_is_passive(asks))


def find_phrase_end(question: str, start: int) -> int:
    """Return where the phrase ends whose preposition begins at an offset: before a verb or the next phrase."""
    asks, subject = _ASKS.match(question.rstrip(" ?.!")), find_subject(question)
    words = list(_WORD.finditer(question.rstrip(" ?.!"), start))
    # "the shop in Millgate open" has its verb behind the phrase, "the manager report about markets" before it.
    is_of_subject = subject is not None and not question[subject[1] : start].strip()
    return _find_end(words, is_passive=not is_of_subject or _is_passive(asks))


def _is_passive(asks: re.Match[str] | None) -> bool:
    """Return True if a verb behind the subject looks like one; behind "why is" it may be any word."""
    return asks is None or (bool(_BE.fullmatch(asks["auxiliary"])) and not asks.group().casefold().startswith("why"))


def _find_end(words: Sequence[re.Match[str]], *, is_passive: bool) -> int:
    """Return where the phrase ends that begins with the first of these words.

    Behind "do" and "can" the last word before the next phrase is the verb, behind "is" where it looks like one: "a tyre
    change cost", "a child seat lent". A phrase of one word has no verb in it.
    """
    fewest = 1
    while fewest < len(words) and _OPENS_PHRASE.match(words[fewest - 1].group()):
        fewest += 1
    bounds = (n for n in range(fewest, len(words)) if _BOUND.match(words[n].group()))
    bound = next((n for n in bounds if words[n - 1].group() not in ("and", "or")), len(words))
    has_verb = bound > fewest and (not is_passive or _PARTICIPLE.fullmatch(words[bound - 1].group()))
    return words[bound - (2 if has_verb else 1)].end()
