"""Tell questions from other messages, for places where people say both. Pure."""

import re

from core.language.nlp.function_words import AUXILIARIES, INTERROGATIVES

# Words that begin what wants an answer, after "and", "ok" and the like.
_BEGINNING = re.compile(
    r"^\W*(?:(?:and|but|so|also|then|ok(?:ay)?|please|now|sorry|hey|hi|hello)\b[\s,]*)*"
    rf"(?:{INTERROGATIVES}|whats|{AUXILIARIES}"
    r"|tell|show|list|give|find|explain|compare|summari[sz]e|describe|define|name)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"^\W*(?:and|or)\b.{3,}", re.IGNORECASE | re.DOTALL)
# Of who made a text, when it came out and how it is cited; "author" alone also asks for them.
_OF_ORIGIN = re.compile(
    r"\b(?:(?:co-?)?author(?:s|ed|ship)?|wrote|writes?|writers?|written|cit(?:e|es|ed|ing|ations?)|publish(?:ed|er|ers)?)\b",
    re.IGNORECASE,
)
# Of how many there are, or of what several come to. How many days leave is, a document says.
_MEASURES = (
    "seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|times|metres?|meters?|kilomet(?:re|er)s?|miles?|feet"
    "|litres?|liters?|millilit(?:re|er)s?|grams?|kilograms?|kilos?|pounds?|euros?|dollars?|crowns?|points?|percent"
)
_OF_COUNT = re.compile(
    rf"\bhow many (?!(?:\w+ ){{0,2}}(?:{_MEASURES})\b)|\b(?:in total|altogether|in all|all together|on average)\b"
    r"|\b(?:total|sum|average|mean|number|count) of\b|^\W*(?:count|add up|sum up)\b",
    re.IGNORECASE,
)


def asks_for_count(text: str) -> bool:
    """Return True if a question may want something counted, added up or averaged."""
    return bool(_OF_COUNT.search(text))


def asks_of_origin(text: str) -> bool:
    """Return True if a question may be about a document's author, date or citation, and not about its content."""
    return bool(_OF_ORIGIN.search(text))


def is_question(text: str) -> bool:
    """Return True for a question or a request for information that stands alone."""
    return "?" in text or bool(_BEGINNING.match(text))


def wants_answer(text: str) -> bool:
    """Return True for a question, a request, or the rest of one ("and in March"); False for a remark."""
    return is_question(text) or bool(_AND.match(text))
