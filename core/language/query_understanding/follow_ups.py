"""Follow-up questions made to stand alone, by rules, from what was asked and answered before."""

import datetime as dt
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.nlp.function_words import AUXILIARIES, INTERROGATIVES
from core.language.nlp.seasons import TIMES_OF_YEAR
from core.language.nlp.text import content_stems, drop_citations, sentences, words_of
from core.language.nlp.written_numbers import ORDINALS
from core.language.query_understanding.choices import add_choice
from core.language.query_understanding.dates import find_date_mentions, find_periods
from core.language.query_understanding.frames import Frame, find_frame
from core.language.query_understanding.places import find_phrase_end, find_subject

FEW_WORDS = 4  # content words up to which a question with a pronoun is taken for a follow-up
LONGEST_SLOT = 6  # words of "and what about ..." that take the place of others
LONGEST_ITEM = 200  # characters of an earlier statement that stand in for "the second one"

_OPENER = re.compile(
    r"^\s?(?:(?:and|but|or|so|also|then|ok(?:ay)?)\b[\s,]*)*(?:(?:what|how)\sabout\b\s?)?", re.IGNORECASE
)
# What announces a question about something else: "ok, something else: where are the keys?".
_CHANGES_SUBJECT = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|right|alright|well|thanks|thank you|thx|great|and|now|so)\b[\s,.!]*)*"
    r"(?:(?:by the way|btw)\b[\s,:;.!–—-]*|(?:(?:now |on )?something (?:else|(?:(?:quite|totally) )?different)"
    r"|(?:(?:an?|one|my) )?(?:other|another|different|new|unrelated|next) (?:question|topic|subject|thing|matter)"
    r"|on another (?:note|matter|subject))(?: (?:now|please|then))?\s?[:,;.!–—-]+\s*)(?=\w)",
    re.IGNORECASE,
)
# Nothing but what is asked for: "since when?", "why is that so?", "and how often".
_ELLIPSIS = re.compile(
    r"^\s?(?:(?:(?:since|until|till|by|from) )?when(?: exactly)?|why(?: not| so| is that| is that so| exactly)?"
    r"|how come|how so|where(?: exactly)?|(?:by |for |to |with )?who(?:m)?|how(?: exactly)?"
    r"|how (?:many|much|long|often|far|early|late|old|big|soon)|(?:at )?what (?:time|date|day|else|for|if not|then)"
    r"|who else|which(?: one| ones)?|for how (?:long|many|much)|(?:any|what) (?:exceptions?|limits?)|is there a limit"
    r"|since what date|says who|(?:what|which) (?:page|document|rule|form)|(?:tell me )?more|go on|anything else"
    r"|more (?:details?|about (?:it|that)))\s?[?.!]*$",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|hers|the same|(?:that|this|these|those)(?=\s?[?.!,]|\s"
    r"(?:is|are|was|were|mean|means|happen|happened|work|works|change|changed|apply|applies|affect|compare|differ|one|ones)\b))\b",
    re.IGNORECASE,
)
# "It" that stands for nothing: "Is it allowed to ...", "when it rains".
_EXPLETIVE = re.compile(
    r"\b(?:is|was|will|would|does)\sit\s(?:\w+\s)?(?:to|that|if|when|take|matter)\b|\bit\s(?:is|was|takes?|rains?|snows?)"
    r"\b(?!\s?\?)",
    re.IGNORECASE,
)
# Choices: "which of the following is true?"; and what names them.
_CHOICES = re.compile(
    r"\b(?:which|what)\s(?:ones?\s)?of\s(?:the\s(?:following|above)|them|(?:these|those)(?=\s(?:statements?|claims?"
    rf"|options?|answers?|choices?|sentences?|appl(?:y|ies)|costs?|counts?|needs?|{AUXILIARIES})\b|\W*$))",
    re.IGNORECASE,
)
_NAMES_CHOICES = re.compile(r"[:\n]|\bor\b", re.IGNORECASE)
_INSIDE = re.compile(r"\b(?:and|but|when|if|because|while|before|after|or)\b|,")
_WHICH = "|".join([*ORDINALS, "last", "former", "latter"])
_ORDINAL = re.compile(
    rf"\b(?:the\s)?(?P<which>{_WHICH}|1st|2nd|3rd|4th|5th|[1-5])"
    r"(?:\s(?:one|item|point|option|of (?:them|these|those)))?(?=\s?[?.!,]*$|\s(?:mean|do|does|say|is|was)\b)",
    re.IGNORECASE,
)
_ORDINAL_ONE = re.compile(rf"\b(?:the\s)?(?P<which>{_WHICH})\s(?:one|item|point)\b", re.IGNORECASE)
_PLACES = {word: place - 1 for word, place in ORDINALS.items()} | {"last": -1, "former": 0, "latter": 1}
_PLACES |= {"1st": 0, "2nd": 1, "3rd": 2, "4th": 3, "5th": 4} | {str(place + 1): place for place in range(5)}
_ARTICLE = re.compile(r"^(?:the|a|an)\s", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?P<word>in|on|for|of|about|at|with|from|to|by|under|during|since)\s", re.IGNORECASE)
_PREPOSITIONS = {
    word: re.compile(rf"\b{word}\s", re.IGNORECASE)
    for word in "about on of for in at with from to by under during since".split()  # noqa: SIM905 - a sentence's words
}
_TOPICS = ("about", "on", "of")
_SEASON = re.compile(
    rf"\b(?P<before>(?:in|during|over|at|for|through|throughout) (?:the )?)?(?P<name>{TIMES_OF_YEAR})\b",
    re.IGNORECASE,
)
_DOING = re.compile(r"\w+ing\s(?=(?:the|an?|my|our|your|this|that|some|one)\s)", re.IGNORECASE)  # "for borrowing the X"
_NAME = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-Z][\w'’+-]+(?:\s[A-Z][\w'’+-]+)*")
_WHO = re.compile(r"^(?:and\s|but\s|so\s)*(?=who\b|how many\b)", re.IGNORECASE)
# With a capital behind "and", May and Will are a month and a name.
_CLAUSE = re.compile(rf"(?!May\b|Will\b)(?i:{INTERROGATIVES}|{AUXILIARIES})\b")
# A statement that enumerates: "the rules are: a, b and c", "they include a, b, or c".
_PART = re.compile(r"(?P<colon>:\s)?(?P<words>[^.:]+)")
_OPENS_LIST = re.compile(r"\b(?:are|includ(?:e|es|ing))\s")
_ENUMERATION = Frame(opens=re.compile(r",\s"), joins=re.compile(r",?\s(?:and|or)\s(?=[^,])"))
_BETWEEN_ITEMS = re.compile(r",\s(?:and\s|or\s)?|\s(?:and|or)\s")
_OF_DOCUMENT = re.compile(r"\s(?!(?:and|or|in|on|for|of|about|to|from|with|by)\b)[A-Za-z]")
TOPIC_BEHIND = re.compile(r"\?\s\((?P<topic>[^()]+)\)$")  # what an earlier question was about, behind a follow-up


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """An earlier question, and of what came of it only that which may be used now."""

    question: str  # as it stood alone
    answer: str = ""  # empty when there was none, or when not all who read now may read what it cites
    options: tuple[str, ...] = ()  # what was offered when it was asked which of them is meant


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewritten:
    """A question that stands alone."""

    text: str
    used_answer: bool = False  # words of the last turn's answer are in it
    used_option: bool = False  # it is the last turn's question with one of the options that were offered
    lacks: bool = False  # it refers to something, and nothing is there to which it could
    is_joined: bool = False  # it stands behind another question, which a reader may answer in its place
    turn: int = 0  # the place of the earlier turn whose question is in it


def refers_back(question: str) -> bool:
    """Return True if a question cannot be understood without the turns before it."""
    if _ELLIPSIS.match(question):
        return True
    opener = _OPENER.match(question)
    if opener and opener.group().strip():
        return True
    if _ORDINAL_ONE.search(question) and len(content_stems(question)) <= FEW_WORDS + 1:
        return True
    return _has_open_pronoun(question)


def without_change_of_subject(question: str) -> str:
    """Return a question without what announces that it is about something else; as it is where nothing does."""
    return _CHANGES_SUBJECT.sub("", question, count=1)


def find_whole(turns: Sequence[Turn]) -> int:
    """Return the place of the newest question that says itself what it is about; 0 where none does."""
    return next((place for place, turn in enumerate(turns) if not TOPIC_BEHIND.search(turn.question)), 0)


def without_opener(question: str) -> str:
    """Return a question without "and", "but what about" and the like before it."""
    return _OPENER.sub("", question, count=1)


def find_new_thing(question: str) -> str:
    """Return what a question names that is a thing and no question: "and a bell?", "for trailers"; or nothing."""
    slot = without_opener(question).strip(" ?.!")
    is_short = slot and len(slot.split()) <= LONGEST_SLOT
    asks = _CLAUSE.match(slot) or _CLAUSE.match(_PREPOSITION.sub("", slot)) or _ELLIPSIS.match(slot)
    if not is_short or _PRONOUN.search(slot) or asks:
        return ""
    return slot


def stand_alone(question: str, turns: Sequence[Turn], *, today: dt.date) -> Rewritten:
    """Return the question in words that need no earlier turn; as it is where it stands alone.

    turns: the newest first.
    """
    last = turns[0] if turns else None
    if last and last.options and (chosen := _find_chosen(question, last.options)) is not None:
        return Rewritten(text=add_choice(last.question, chosen, today=today), used_option=True)
    choices = _CHOICES.search(question)
    if choices and (last is None or "following" in choices.group().casefold()):
        return Rewritten(text=question, lacks=not _NAMES_CHOICES.search(question, choices.end()))
    if not refers_back(question):
        return Rewritten(text=question)
    if last is None:
        return Rewritten(text=question, lacks=names_only_dates(question, today=today))
    item = _put_item(question, last)
    if item:
        return Rewritten(text=item, used_answer=True)
    place = find_whole(turns)
    earlier = turns[place].question
    opener = _OPENER.match(question)
    filled = fill_slot(question, earlier, today) if opener and opener.group().strip() else ""
    return Rewritten(text=filled or _join_questions(question, earlier, today), is_joined=not filled, turn=place)


def says_again(question: str, answer: str, before: Turn) -> bool:
    """Return True if an answer to another question says nothing that the turn before did not say."""
    if not before.answer or _fold_words(question) == _fold_words(before.question):
        return False
    return set(_list_said(answer)) <= set(_list_said(before.answer))


def _list_said(answer: str) -> list[str]:
    return [_fold_words(line) for line in list_items(answer)]


def _fold_words(text: str) -> str:
    return " ".join(words_of(text.casefold()))


def _has_open_pronoun(question: str) -> bool:
    """Return True if a pronoun refers to something outside of the question."""
    pronoun = _PRONOUN.search(question)
    if not pronoun or len(content_stems(question)) > FEW_WORDS or _EXPLETIVE.search(question):
        return False
    before = question[: pronoun.start()]
    inside = list(_INSIDE.finditer(before))
    return not (inside and content_stems(before[: inside[-1].start()]))


def names_only_dates(question: str, *, today: dt.date) -> bool:
    """Return True if a follow-up names nothing, or nothing but dates: "And in December?"."""
    rest = question
    for date in reversed(find_date_mentions(question, today=today)):
        rest = rest[: date.start] + rest[date.end :]
    return not content_stems(_ORDINAL_ONE.sub("", _OPENER.sub("", rest, count=1)))


def _find_chosen(reply: str, options: Sequence[str]) -> str | None:
    """Return the one option that a short reply names, by its place or by words that no other option has."""
    place = _ORDINAL.search(reply)
    words = set(content_stems(_OPENER.sub("", reply, count=1))) - set(
        content_stems("one first option meeting document")
    )
    fitting = [option for option in options if words and words <= set(content_stems(option))]
    if len(fitting) == 1:
        return fitting[0]
    if place and len(words) <= 1:
        number = _PLACES[place["which"].casefold()]
        return options[number] if -1 <= number < len(options) else None
    return None


def _put_item(question: str, last: Turn) -> str:
    """Return the question with the statement or list item that "the second one" means in its place; or nothing."""
    ordinal = _ORDINAL_ONE.search(question)
    if not ordinal or not last.answer:
        return ""
    items = list_items(last.answer)
    number = _PLACES[ordinal["which"].casefold()]
    if not -1 <= number < len(items) or len(items) < 2:
        return ""
    item = items[number][:LONGEST_ITEM].rstrip(" .")
    rest = _OPENER.sub("", question, count=1)
    if len(content_stems(_ORDINAL_ONE.sub("", rest))) == 0:
        return f"What about {item}?"
    return _ORDINAL_ONE.sub(lambda match: item, rest, count=1)


def list_items(answer: str) -> list[str]:
    """List the items of the list that an answer is, or else its statements, without the marks of citations."""
    plain = [line for line in (drop_citations(line).strip() for line in answer.splitlines()) if line]
    if len(plain) == 1 and (listed := _find_enumeration(plain[0])):
        return [item.strip() for item in _BETWEEN_ITEMS.split(listed)]
    return plain


def _find_enumeration(statement: str) -> str:
    """Return the enumeration that a statement holds, "the keys, the badge and the form"; or nothing."""
    for part in _PART.finditer(statement):
        words = part["words"]
        opened = None if part["colon"] else _OPENS_LIST.search(words)
        if not (part["colon"] or opened):
            continue
        start = opened.end() if opened else 0
        found = find_frame(words, _ENUMERATION, start=start + 1)
        if found:
            last = found[-1].end()
            return words[start:last] + words[last:].partition(",")[0]
    return ""


def fill_slot(question: str, previous: str, today: dt.date) -> str:
    """Return the previous question with what a short follow-up names in the place of its like; or nothing."""
    slot = find_new_thing(question)
    if not slot:
        return ""
    periods = find_periods(slot, today=today)
    if periods:
        rest = (slot[: periods[0].start] + slot[periods[-1].end :]).strip()
        return _change_date(previous, slot, today) if not content_stems(rest) else ""
    if _ORDINAL_ONE.search(slot):
        return ""
    return _change_thing(previous, slot, today)


def _change_date(previous: str, slot: str, today: dt.date) -> str:
    """Return the previous question at another time; a month without a year keeps the year."""
    old, new = find_periods(previous, today=today), find_periods(slot, today=today)
    words = slot
    if not old:
        if changed := _change_season(previous, slot):
            return changed
        return f"{previous.rstrip(' ?.!')} {words if new[0].start < new[0].mentions[0].start else 'in ' + words}?"
    replaced = old[0]
    first = replaced.mentions[0].first
    if new[0].is_yearless and first:
        words = f"{words} {first.year}"
    if replaced.start == replaced.mentions[0].start or _OF_DOCUMENT.match(previous[replaced.end :]):
        # "the March 2024 minutes": only the date changes places.
        date = find_periods(words, today=today)[0]
        words = words[date.mentions[0].start : date.mentions[-1].end]
        return previous[: replaced.mentions[0].start] + words + previous[replaced.end :]
    if not _PREPOSITION.match(words):
        words = f"{previous[replaced.start : replaced.mentions[0].start]}{words}"
    return previous[: replaced.start] + words + previous[replaced.end :]


def _change_season(previous: str, slot: str) -> str:
    """Return the previous question about another time of the year: "in july" for "over winter"; or nothing."""
    old = next((one for one in _SEASON.finditer(previous) if one["before"]), None)  # no "sales fall"
    new = _SEASON.fullmatch(slot)
    if not old or not new:
        return ""
    return _put_words(previous, old.start() if new["before"] else old.start("name"), old.end(), slot)


def _change_thing(previous: str, slot: str, today: dt.date) -> str:
    """Return the previous question about another thing, in the place that fits it best; or nothing."""
    if changed := _change_season(previous, slot):
        return changed
    preposition = _PREPOSITION.match(slot)
    if preposition:
        same = _find_phrase(previous, preposition["word"].casefold())
        return _put_words(previous, same[0], same[2], slot) if same else f"{previous.rstrip(' ?.!')} {slot}?"
    dates = [(date.start, date.end) for date in find_date_mentions(previous, today=today)]
    if slot[0].isupper():
        names = [m for m in _NAME.finditer(previous) if not any(s < m.end() and m.start() < e for s, e in dates)]
        if len(names) == 1:
            return _put_words(previous, names[0].start(), names[0].end(), slot)
    topics = (phrase[1:] for word in _TOPICS if (phrase := _find_phrase(previous, word)))
    purpose = _find_phrase(previous, "for")
    of_purpose, subject = purpose[1:] if purpose else None, find_subject(previous)
    # In "the price for borrowing the saw" the saw is replaced, in "the fee for a visit" the fee.
    is_done = purpose is not None and purpose[1] > purpose[0] + len("for ")
    for place in itertools.chain(topics, (of_purpose, subject) if is_done else (subject, of_purpose)):
        if not place:
            continue
        start, end = place
        if not any(s < end and start < e for s, e in dates):
            return _put_words(previous, start, end, slot)
    return ""


def _find_phrase(text: str, preposition: str) -> tuple[int, int, int] | None:
    """Return where the first phrase with a preposition begins, where its words begin, and where they end."""
    opened = _PREPOSITIONS[preposition].search(text)
    if not opened or opened.end() == len(text) or _CLAUSE.match(text, opened.end()):
        return None
    if doing := _DOING.match(text, opened.end()):  # what is done stays, another thing can be done it to
        return opened.start(), doing.end(), find_phrase_end(text, doing.end())
    return opened.start(), opened.end(), find_phrase_end(text, opened.start())


def _put_words(text: str, start: int, end: int, words: str) -> str:
    """Return a text with other words in a place; what was "the X" stays so when the new words have no article."""
    return f"{text[:start]}{words}{text[end:]}"


def _join_questions(question: str, previous: str, today: dt.date) -> str:
    """Return the question behind the one that it follows; of a chain, behind the question that began it.

    "And who dissented?" needs no more than the time that was asked about.
    """
    found = sentences(previous)
    first = previous[slice(*found[0])] if found else previous
    rest = _OPENER.sub("", question, count=1).strip()
    own = rest[:1].upper() + rest[1:]
    periods = find_periods(previous, today=today)
    wants_time = _WHO.match(question) and not _PRONOUN.search(question) and content_stems(question)
    if wants_time and periods and not find_date_mentions(question, today=today):
        start, end = periods[0].mentions[0].start, periods[0].end
        time = f"in {previous[start:end]}" if periods[0].relation == "in" else previous[periods[0].start : end]
        return f"{own.rstrip(' ?.!')} {time}?"
    if not (_ELLIPSIS.match(rest) or _PRONOUN.search(rest) or _CLAUSE.match(rest)):
        own = f"What about {_ARTICLE.sub(lambda article: article.group().lower(), rest)}"
    return f"{first} {own}"
