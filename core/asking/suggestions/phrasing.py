"""Phrase a heading as the question of somebody whom its section answers. Pure.

By rules of English, so that the same heading makes the same question; what fits no rule makes none.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from core.language.nlp.function_words import INTERROGATIVES
from core.language.nlp.headings import drop_number, is_of_form, write_in_sentence
from core.language.nlp.text import content_stems

LONGEST_HEADING = 50  # characters; a longer one makes a question that nobody reads
_FEWEST = 4
FEWEST_WORDS = 2  # of a subject that says enough where no document is named, function words left out

_VERBS = frozenset(
    """add adjust apply approve arrange ask assign attach avoid back book borrow build buy calculate call cancel change
    charge check choose claim clean close collect compare complete configure confirm connect contact convert cook copy
    correct create cut declare delete deliver deploy describe disable discard disconnect dispose download edit enable
    end enrol ensure enter erase escalate evacuate evaluate explain export extend file fill find fix follow gather get
    give grant handle help identify import improve inform ingest inspect install invite join keep launch leave
    lift load lock log maintain make manage mark measure mount move name notify obtain open operate order organise
    organize park pay perform pick plan post prepare prevent print process protect prove provide publish purchase put
    raise reach read rebuild receive recharge recognise recognize record recover recruit reduce register release remove
    renew rent repair replace replay report request reserve reset resolve restart restore retrieve return review revoke
    rotate run save say schedule search secure see select sell send set share ship shut sign start stop store submit
    switch tag take talk teach tell test track train transfer translate treat try turn uninstall unlock
    update upgrade upload use verify view visit wash wear withdraw work write""".split()  # noqa: SIM905 - a list of so many strings would be harder to read
)
# Of these a heading may as well mean the thing: "Report of the auditors", "Opening hours", "Work from home".
_ALSO_NOUNS = frozenset(
    """back book borrow build buy call change charge check claim clean close contact cook copy cut end file fix grant
    help leave lift load lock log mark name open operate order park pay pick plan post print process purchase raise
    read reach record release rent repair report request return review run sale schedule search set share ship sign
    start stop store switch tag talk teach test track train transfer treat try turn update upgrade use view visit wash
    wear work write""".split()  # noqa: SIM905
)
_TELLING = frozenset(
    "a an the your my our its it this these again in out up down off back to who what where when whether how".split()  # noqa: SIM905
)
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnprt]\Z")  # the last letter, as in "getting"
_BASES = {
    form: verb
    for verb in _VERBS
    for form in (
        verb + "ing",
        *((verb[:-1] + "ing",) if verb.endswith("e") else ()),
        *((verb + verb[-1] + "ing",) if _DOUBLED.search(verb) else ()),
    )
}
# "What are the opening hours?", "What is the dress code?": what one has a list or a value of.
_LISTED = frozenset(
    """addresses advantages aims allowances benefits causes charges codes conditions consequences contacts costs
    criteria dates deadlines differences disadvantages duties entitlements exceptions fees fines goals guidelines
    hazards hours limitations limits measures methods numbers objectives obligations options phases prerequisites
    prices principles priorities procedures rates reasons recommendations regulations requirements responsibilities
    restrictions rights risks roles rules salaries stages standards steps symptoms targets tasks terms times
    types values""".split()  # noqa: SIM905
)
_VALUED = frozenset(
    """address aim allowance budget cause code cost date deadline definition difference duration entitlement fee goal
    limit mission number objective password penalty period phone policy price procedure process purpose rate reason role
    salary schedule scope target temperature threshold""".split()  # noqa: SIM905
)
_PREPOSITIONS = r"about|above|across|against|among|as|at|below|between|beyond|by|for|from|in|into|like|of|on|over|per"
_PREPOSITIONS += r"|since|through|to|towards?|under|until|upon|via|with|within|without"
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|must|shall|may|can|cannot|could|will|would|should|does|did|do|not|n[o']t)\b"
)
_ODD = re.compile(r"[\[\]<>{}|=*`“”\"!;@#…]|://|\w\(|\.\w|:\s|\.\s|\s[-–—]\s|\A\d")
_INTERROGATIVE = re.compile(rf"(?:{INTERROGATIVES})\b", re.IGNORECASE)
_TO_DO = re.compile(r"(how|where|when|what|who|which) to (\w.*)", re.IGNORECASE)
_DONE_TO = {
    "how": "How do I {}?",
    "where": "Where can I {}?",
    "when": "When should I {}?",
    "what": "What should I {}?",
    "who": "Whom should I {}?",
    "which": "",
}
_OURS = re.compile(r"\b(?:we|us|our|this|here)\b", re.IGNORECASE)  # what the text calls so, a question does not
_OBJECTLESS = frozenset(("it", "them", "this", "that", "these", "one"))
_CASE = re.compile(r"(?:before|after|during|in case of|in the event of) \w", re.IGNORECASE)
_OF_SOMEBODY = re.compile(r"\b(?:you|we|i|they|it)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|an?|your|our) ", re.IGNORECASE)
_LEADING = re.compile(
    rf"(?:{_PREPOSITIONS}|if|and|or|not|no|more|most|many|several|some|few|one|two|three|all|both|either|each|every"
    r"|another|other)\b",
    re.IGNORECASE,
)
# Words that present a subject and are none of it.
_PRESENTING = re.compile(
    r"(?:(?:understanding|introducing|exploring|explaining|discovering|defining|an? (?:introduction|guide) to"
    r"|an? (?:overview|explanation) of)\s+)+(?=\w{3})",
    re.IGNORECASE,
)
# "How answers are made", "What an answer looks like", "When you are late".
_WORKS = re.compile(r"(\w[\w ]*?) works?")
_LOOKS = re.compile(r"(\w[\w ]*?) looks? like")
_BEING = re.compile(r"((?!there)\w[\w ]{0,40}?) (is|are) (\w[\w ]{0,40})")
_OF_YOU = re.compile(r"you (\w[^,]*)")
_VERB_SECOND = re.compile(r"(?:is|are|was|were|may|must|can|happens)\b")
_UNTURNED = re.compile(r"\b(?:we|you|they|this|it|who)\b|, ")
_YOU_ARE, _YOU, _LAST_YOU = re.compile(r"\Aare\b"), re.compile(r"\byou(?= \w)"), re.compile(r"\byou\Z")
_WHOLE = re.compile(r"(?:\w+ )?(\w+) of \w")  # "review of the budget"
_HEAD_ENDS = re.compile(rf" (?:{_PREPOSITIONS})\b|,| \(")
_SINGULAR = re.compile(r"(?:ss|us|is|ics)\Z")  # endings in s
_PERSONAL = {"your": "my", "yours": "mine", "yourself": "myself"}


class Sort(IntEnum):
    """The origin of a suggested question; the first would be asked by most people."""

    ASKED = 1  # the heading is one
    DONE = 2  # how something is done
    LOOKED_UP = 3  # a list or a value
    ABOUT = 4  # a subject


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrased:
    """A question that was made of a heading."""

    question: str
    sort: Sort
    is_vague: bool  # it says too little where no document is named: "What are the steps?"


def phrase(heading: str, text: str, *, is_of_rules: bool = False, defines: bool = False) -> Phrased | None:
    """Return the question that a section answers; None for a heading that makes none.

    text: of the section. is_of_rules: its document says what is allowed; defines: it says what things are.
    """
    bare = drop_number(heading).strip()
    is_asked = bare.endswith("?") and not _TO_DO.match(bare)
    topic = bare.rstrip("?").strip() if is_asked else name_topic(bare.rstrip("?"), text)
    if is_asked:
        is_whole = len(topic.split()) > 2 and not _ODD.search(topic) and not _OURS.search(topic)
        made = (Sort.ASKED, f"{topic[0].upper()}{topic[1:]}?") if is_whole else None
    elif _INTERROGATIVE.match(topic):
        asked = _ask_clause(topic)
        made = (Sort.DONE if asked.startswith("How do I") else Sort.ASKED, asked) if asked else None
    elif _CASE.match(topic):
        is_whole = len(content_stems(topic)) >= FEWEST_WORDS or not _OF_SOMEBODY.search(topic)
        made = (Sort.DONE, f"What should I do {_say_of_me(topic)}?") if is_whole else None  # "before you begin"
    elif done := find_instruction(topic):
        made = Sort.DONE, f"How do I {done}?"
    elif not topic or _STATES.search(topic) or _LEADING.match(topic) or _is_doing(topic):
        made = None
    else:
        made = _ask_about(topic, text, is_of_rules=is_of_rules, defines=defines)
    if made is None:
        return None
    sort, question = made
    is_definition = defines and sort is Sort.ABOUT
    is_vague = sort is not Sort.DONE and not is_definition and len(content_stems(topic)) < FEWEST_WORDS
    return Phrased(question=question, sort=sort, is_vague=is_vague)


def name_topic(heading: str, text: str) -> str:
    """Return the topic that a heading names, worded for use within a sentence; "" where it names none."""
    bare = drop_number(heading).strip().strip(" .:–—-")
    if not _FEWEST <= len(bare) <= LONGEST_HEADING or _ODD.search(bare):
        return ""
    presented = _PRESENTING.sub("", bare)
    if is_of_form(presented):
        return ""
    return write_in_sentence(f"{presented[0].upper()}{presented[1:]}", text)


def find_instruction(topic: str) -> str:
    """Return a heading's instruction, as the first person says it: "report my accident"; "" where it has none."""
    first, _, rest = topic.partition(" ")
    word, behind = first.casefold(), rest.partition(" ")[0].casefold()
    verb = _BASES.get(word, word)
    is_verb = verb in _VERBS and (verb not in _ALSO_NOUNS or behind in _TELLING)
    if not rest or not is_verb or behind == "and" or rest.casefold() in _OBJECTLESS:
        return ""
    return f"{verb} {_say_of_me(rest)}"


def _is_doing(topic: str) -> bool:
    """Return True if a heading names an activity whose verb is not known here: "untangling the cables"."""
    first, _, rest = topic.partition(" ")
    is_named = first.casefold().endswith("ing") and rest.partition(" ")[0].casefold() in _TELLING
    return is_named or rest.rpartition(" ")[2].casefold() in _OBJECTLESS


def _say_of_me(words: str) -> str:
    """Return words to somebody as that person says them: "are late with your claim" is "am late with my claim"."""
    mine = _LAST_YOU.sub("me", _YOU.sub("I", _YOU_ARE.sub("am", words)))
    return " ".join(_PERSONAL.get(part, part) for part in mine.split())


def _ask_clause(topic: str) -> str:
    """Return a heading that begins with a question word, as a question.

    Nothing where its order cannot be turned for sure.
    """
    if found := _TO_DO.fullmatch(topic):
        return _DONE_TO[found[1].casefold()].format(found[2])
    first, _, rest = topic.partition(" ")
    word = first.casefold()
    if word == "when" and (found := _OF_YOU.fullmatch(rest)):
        return f"What should I do when I {_say_of_me(found[1])}?"
    if word == "when" and len(rest.split()) > 2:
        return f"What happens when {rest}?"
    if found := _WORKS.fullmatch(rest):
        turned = f"How {_choose_do(found[1])} {found[1]} work?" if word == "how" else ""
    elif found := _LOOKS.fullmatch(rest):
        turned = f"What {_choose_do(found[1])} {found[1]} look like?" if word == "what" else ""
    elif found := _BEING.fullmatch(rest):
        turned = f"{word.capitalize()} {found[2]} {found[1]} {found[3]}?" if word in {"how", "why", "where"} else ""
    else:
        is_turned = word == "who" or (word == "what" and _VERB_SECOND.match(rest))
        turned = (
            f"{word.capitalize()} {rest}?" if is_turned and not _UNTURNED.search(rest) and len(rest.split()) > 1 else ""
        )
    return turned


def name_with_article(topic: str) -> str:
    """Return a subject as it follows "about": the review of the budget, opening hours."""
    is_whole = _WHOLE.match(topic)
    return f"the {topic}" if is_whole and not _ARTICLE.match(topic) and not _is_plural(is_whole[1]) else topic


def _ask_about(topic: str, text: str, *, is_of_rules: bool, defines: bool) -> tuple[Sort, str]:
    """Return a question about a thing that a heading names."""
    article = _ARTICLE.match(topic)
    thing = topic[article.end() :] if article else topic
    head = _HEAD_ENDS.split(thing)[0]
    last = head.rpartition(" ")[2].casefold()
    if last in _LISTED:
        return Sort.LOOKED_UP, f"What are the {thing}?"
    if last in _VALUED and " and " not in head:
        return Sort.LOOKED_UP, f"What is the {thing}?"
    if article and article.group().strip().casefold() == "the":
        return Sort.ABOUT, f"What {_choose_be(head)} the {thing}?"
    if defines and not article:
        article_of = next((f"{an} " for an in ("a", "an") if _is_counted(thing, an, text)), "")
        return Sort.ABOUT, f"What {_choose_be(head)} {article_of}{thing}?"
    if is_of_rules and not article:
        return Sort.ABOUT, f"What are the rules for {name_with_article(thing)}?"
    return Sort.ABOUT, f"What should I know about {name_with_article(topic)}?"


def _is_counted(thing: str, article: str, text: str) -> bool:
    """Return True if a text speaks of one of the things: "a loss function", and not "a similarity of 0.8"."""
    behind = f" {text}".partition(f" {article} {thing}")[2]
    return bool(behind) and not behind[0].isalnum() and not behind.startswith(" of ")


def _is_plural(words: str) -> bool:
    last = words.split()[-1].casefold()
    is_many = last in {"people", "data", "children", "criteria", "we", "you", "they", "i"}
    return " and " in words or is_many or (last.endswith("s") and not _SINGULAR.search(last))


def _choose_do(words: str) -> str:
    return "do" if _is_plural(words) else "does"


def _choose_be(words: str) -> str:
    return "are" if _is_plural(words) else "is"
