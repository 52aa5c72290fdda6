"""Decide by rules whether two questions ask for the same: each part of one must be in the other. Pure.

It is used beside the embeddings, in which "in 2023" and "in 2024" are near to each other. It errs on the side of no: a
question in words unknown to it gets an answer of its own.
"""

import re
from collections import Counter
from collections.abc import Set

from core.asking.verification import dates, numbers
from core.asking.verification.names import find_names, have_changed_places
from core.asking.verification.polarity import are_turned_round
from core.language.nlp.answer_types import find_kind_asked
from core.language.nlp.function_words import AUXILIARIES, NEGATION
from core.language.nlp.labels import find_marks
from core.language.nlp.text import content_stems, stem, words_of

# Words that say nothing of what is asked for: of asking, of getting, and of whoever is asked about when it is anybody.
_IGNORED = frozenset(
    stem(word)
    for word in """actual actually allow allowed anybody anyone employee employees entitled everybody everyone exactly
    find get gets getting give given got happen happens hello here hey hi kindly know like look need
    needed obliged ok okay one people permit permitted person please possible question quickly really
    receive require required say show somebody someone staff supposed take taken thank thanks there
    thing us use using want wanted wonder wondering worker workers yes""".split()  # noqa: SIM905
)
# Words that may replace each other wherever they are used at work. No relatives, no days, no meals: what only comes
# near is a different question.
_ALIKE = """vacation holiday|start begin commence|end finish|buy purchase|repair fix mend|phone telephone|
rule regulation|car vehicle|reimburse refund repay|supervisor boss manager|doctor physician|salary wage|
allow permit|forbidden prohibited banned|maximum max most limit|minimum min least|notify inform tell|
return bring|e-mail email mail|annual yearly year|monthly month|weekly week|daily day|child kid|
illness sickness ill sick|colleague coworker|canteen cafeteria|lab laboratory|lift elevator|
rubbish garbage trash waste|photo picture|submit send file hand|cancel abandon|store keep kept stored|big large|
quit resign|choose select pick|job position|pick collect|customer client|supplier vendor|purpose aim goal|
author write writer wrote|decide decision|vote voter|propose proposal|require requirement|
request ask apply application|approve approval|install installation|replace replacement exchange|
inspect inspection|clean cleaning|pay payment|park parking|open opening|close closing|deadline due|cost price|
mean meaning definition define|paper article|method approach way|password passcode"""
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|nowadays|current(?:ly)?|presently|latest|newest|most recent(?:ly)?"
    r"|recent(?:ly)?|lately|so far|upcoming|at the moment|at present|these days"
    r"|(?:this|last|next|past|coming|previous|following) (?:\w+ ){0,2}?(?:minutes?|hours?|days?|nights?|weeks?|weekend"
    r"|months?|quarters?|years?|time|meetings?|decisions?|statements?|reports?|issues?|versions?|editions?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|spring|summer|autumn|fall|winter)|ago|anymore|any more|still|already|yet)\b",
    re.IGNORECASE,
)
# What is said in several ways, and how it is said here.
_FORMS = tuple(
    (re.compile(form, re.IGNORECASE), plain)
    for form, plain in (
        (r"\b(what|who|where|when|how)['’]s\b", r"\1 is"),
        (r"\bwhat does ([^,?]{1,80}?) (?:mean|stand for)\b", r"what is \1"),
        (r"\bthe (?:meaning|definition) of\b", ""),
        (r"\bdays of (vacation|holidays?|leave)\b", r"\1"),
        (r"\b(vacation|holiday|leave) days\b", r"\1"),
        (
            r"\bhow many ((?:\w+ )?)(?:minutes|hours|days|weeks|months|years)\b(?! (?:per|an?|each|every) )",
            r"how long \1",
        ),
        (r"\bhand(?:ed)? in\b", "submit"),
        (
            r"\A((?:when|if|on|in|at|during)\b[^,?]{1,100}),\s*((?:what|where|who|whom|how|which)\b[^,?]{1,200})\?*\Z",
            r"\2 \1?",
        ),
        (r"\binto\b", "to"),
        (r"\bover (?=\d)", "above "),
    )
)
_PARTICLES = frozenset("off out up down away back".split())  # noqa: SIM905
_RELATIONS = frozenset("before after since until except without between during despite".split())  # noqa: SIM905
_OBLIGED = re.compile(
    r"\b(?:must|shall|should|ought|obliged|obligatory|mandatory|compulsory|required|have to|has to|needs?|needed)\b",
    re.IGNORECASE,
)
_ALLOWED = re.compile(r"\b(?:may|can|could|allowed|permitted|possible|optional)\b", re.IGNORECASE)
_NEGATED = re.compile(NEGATION, re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:(?P<least>at least|minimum|min|fewest|least)|(?P<most>at most|maximum|max|most|up to|limit))\b",
    re.IGNORECASE,
)
# What joins what is asked for to what it is asked of: "from Berlin" is not "to Berlin".
_JOINED = re.compile(
    r"\b(?P<by>from|to|into|than|before|after|by|without|with|above|below|over|under|until|since|except|during|outside"
    r"|inside|against|for)\s+(?:(?:the|a|an|my|our|your|their|his|her)\s+)?(?P<word>[\w-]+)",
    re.IGNORECASE,
)
_PEOPLE = r"person|people|members?|participants?|colleagues?|employees?|officials?|governors?"
_ASKS_LATER = r"[^,]*,\s?(?:what|where|who|how|which)\b"
# "What is the allowance" and "how much is the allowance" ask for the same; "what is the course" and "how long" do not.
_VALUE = re.compile(
    r"\b(?:what|how (?:much|high|long|large|big)) (?:(?:is|was|are|were|has|have) )?(?:[\w'’-]+ ){0,5}?"
    r"(?:rate|cap|allowance|period|fee|fine|salary|price|amount|level|share|size|height|length|weight|temperature|speed"
    r"|distance|duration|forecast|budget|inflation|unemployment|password|number)s?\b"
)
_KINDS = (
    (
        "reason",
        re.compile(r"\bwhy\b|\bhow come\b|\b(?:for )?what(?: is| was| are| were)?(?: the)? reasons?\b|\bwhat for\b"),
    ),
    ("frequency", re.compile(r"\bhow (?:often|frequently)\b|\bhow many times\b")),
    ("duration", re.compile(r"\bhow long\b")),
    ("cost", re.compile(r"\bhow much (?:does|do|did|is|are|was|were|will)\b|\bwhat (?:does|do|did) .{1,60} cost\b")),
    ("amount", re.compile(r"\bhow (?:many|much)\b")),
    ("degree", re.compile(r"\bhow (?:old|far|high|deep|large|big|fast|tall|heavy|wide|hot|cold|loud|late|accurate)\b")),
    ("person", re.compile(rf"\bwho(?:m|se)?\b|\b(?:which|what) (?:{_PEOPLE})\b")),
    (
        "time",
        re.compile(
            rf"(?:\A|\b(?:until|till|by|since|from) )when\b(?!{_ASKS_LATER})"
            r"|\b(?:what|which) (?:time|date|day|month|year)s?\b"
        ),
    ),
    ("place", re.compile(r"\bwhere\b|\b(?:what|which) (?:place|room|location|building|floor)\b")),
    ("manner", re.compile(r"\bhow\b|\bwhat (?:is|are) the (?:steps?|procedure|process|way)s?\b")),
    ("thing", re.compile(r"\b(?:what|which)\b|\A\W*(?:please )?(?:tell|explain|describe|list|name|define)\b")),
    ("whether", re.compile(rf"\A\W*(?:{AUXILIARIES})\b|,\s*(?:{AUXILIARIES})\s+(?:i|we|you|it|they|there)\b")),
)
# Words that say which kind of thing is asked for, once the kinds are known to be the same.
_OF_KIND = {
    "reason": {"reason", "come"},
    "frequency": {"often", "time", "frequent", "frequenc"},
    "duration": {"long", "last"},
    "cost": {"cost", "price", "much"},
    "person": {"member", "particip", "colleagu", "offici", "governor"},
    "time": {"time", "date", "day"},
    "place": {"place", "locat"},
    "degree": {"high", "larg", "big"},
    "manner": {"step", "procedur", "process", "way"},
    "thing": {"list", "name"},
}


def asks_the_same(one: str, other: str) -> bool:
    """Return True if two questions, each understandable by itself, ask for the same thing."""
    return find_difference(one, other) == ""


def depends_on_today(question: str) -> bool:
    """Return True if the answer to a question depends on the day: "the last meeting", "this year"."""
    return bool(_RELATIVE.search(question))


def find_difference(one: str, other: str) -> str:
    """Return the first thing in which two questions differ, as the name of a check.

    Empty when they ask for the same.
    """
    one, other = _make_plain(one), _make_plain(other)
    if _fold_words(one) == _fold_words(other):
        return "time" if depends_on_today(one) else ""
    return next((name for name, differ in _CHECKS.items() if differ(one, other)), "")


def differ_in_detail(one: str, other: str) -> bool:
    """Return True if two questions differ in a date, number, mark or negation, or ask for opposites.

    Models that compare meanings overlook that; other words may still mean the same.
    """
    one, other = _make_plain(one), _make_plain(other)
    if set(dates.split_dates(one)[0]) != set(dates.split_dates(other)[0]):
        return True
    return any(_CHECKS[name](one, other) for name in _DETAILS)


def _fold_words(question: str) -> list[str]:
    return [word.casefold() for word in words_of(question)]


def _make_plain(question: str) -> str:
    """Return a question without short forms, and with what is said in several ways said in one."""
    for form, plain in _FORMS:
        question = form.sub(plain, question)
    return question


def find_kinds(question: str) -> set[str]:
    """Find the kind of thing that a question asks for; two kinds where it asks for the value of something."""
    folded = question.casefold()
    found = next((name for name, asks in _KINDS if asks.search(folded)), "thing")
    if found == "thing" and find_kind_asked(question) is find_kind_asked("how many"):
        found = "amount"
    of_value = found in {"thing", "amount", "cost", "degree", "duration"} and _VALUE.search(folded)
    return {found, "value"} if of_value else {found}


def _differ_in_time(one: str, other: str) -> bool:
    if depends_on_today(one) or depends_on_today(other):
        return True
    return set(dates.split_dates(one)[0]) != set(dates.split_dates(other)[0])


def _differ_in_numbers(one: str, other: str) -> bool:
    return _list_numbers(one) != _list_numbers(other)


def _list_numbers(question: str) -> Counter[tuple[object, str]]:
    found = numbers.find_numbers(dates.split_dates(question)[1])
    return Counter((number.value, number.unit) for number in found)


def _differ_in_marks(one: str, other: str) -> bool:
    return set(find_marks(one)) != set(find_marks(other))


def _differ_in_names(one: str, other: str) -> bool:
    """Return True if one has a name that the other does not have in whatever case."""
    for here, there in _pair_both_ways(one, other):
        named = {stem(word) for run in find_names(here) for word in run}
        if not named <= {stem(word) for word in words_of(there)}:
            return True
    return False


def _differ_in_negation(one: str, other: str) -> bool:
    first, second = (len(_NEGATED.findall(question)) for question in (one, other))
    return first != second


def _differ_in_modality(one: str, other: str) -> bool:
    """Return True if one asks what must be, and the other what may be."""
    obliged = [bool(_OBLIGED.search(question)) for question in (one, other)]
    allowed = [bool(_ALLOWED.search(question)) for question in (one, other)]
    return obliged[0] != obliged[1] and (allowed[0] != allowed[1] or "whether" in find_kinds(one))


def _differ_in_bounds(one: str, other: str) -> bool:
    bounds = [
        {name for match in _BOUND.finditer(q) for name, v in match.groupdict().items() if v} for q in (one, other)
    ]
    return bounds[0] != bounds[1]


def _are_opposites(one: str, other: str) -> bool:
    first, second = (frozenset(stem(word) for word in words_of(question)) for question in (one, other))
    return are_turned_round(first, second) or are_turned_round(second, first)


def _differ_in_kind(one: str, other: str) -> bool:
    return not find_kinds(one) & find_kinds(other)


def _differ_in_particles(one: str, other: str) -> bool:
    """Return True for "turn on" and "turn off"."""
    return _PARTICLES & set(_fold_words(one)) != _PARTICLES & set(_fold_words(other))


def _differ_in_relations(one: str, other: str) -> bool:
    """Return True for "before 2021" and "in 2021"."""
    first, second = (_RELATIONS & set(_fold_words(question)) for question in (one, other))
    return first != second


def _differ_in_order(one: str, other: str) -> bool:
    """Return True if the same words are joined otherwise: "from Berlin to Hamburg", "from Hamburg to Berlin"."""
    words = set(content_stems(one)) & set(content_stems(other))
    first, second = _list_joined(one, words), _list_joined(other, words)
    moved = any(first[by] != second[by] for by in set(first) & set(second))
    # Subject and object may have changed places as well.
    orders = [[stem(word) for word in words_of(question) if stem(word) in words] for question in (one, other)]
    return moved or have_changed_places(one, [other]) or orders[0] != orders[1]


def _list_joined(question: str, words: Set[str]) -> dict[str, set[str]]:
    """Group some of the words by the joining word before them."""
    found: dict[str, set[str]] = {}
    for match in _JOINED.finditer(question):
        if (word := stem(match["word"])) in words:
            found.setdefault(match["by"].casefold(), set()).add(word)
    return found


def _differ_in_words(one: str, other: str) -> bool:
    """Return True if a word of one says something, and the other has it in no form."""
    kind = set().union(*(_OF_KIND.get(name, set()) for name in find_kinds(one) | find_kinds(other)))
    return any(
        not _hold_all(_list_telling(here) - kind, set(content_stems(there)))
        for here, there in _pair_both_ways(one, other)
    )


def _list_telling(question: str) -> set[str]:
    rest = dates.split_dates(question)[1]
    for number in reversed(numbers.find_numbers(rest)):
        rest = f"{rest[: number.start]} {rest[number.start : number.end] if number.unit else ''} {rest[number.end :]}"
    return {word for word in content_stems(rest) if word not in _IGNORED and not word[0].isdigit()}


def _hold_all(words: Set[str], have: Set[str]) -> bool:
    joined = {word.replace("-", "") for word in have}
    return all(
        word in have or word.replace("-", "") in joined or _SYNONYMS.get(word, frozenset()) & have for word in words
    )


def _pair_both_ways(one: str, other: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (one, other), (other, one)


def _read_synonyms() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _ALIKE.replace("\n", "").split("|"):
        stems = {stem(word) for word in line.split()}
        for word in stems:
            found.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in found.items()}


_SYNONYMS = _read_synonyms()
_CHECKS = {
    "time": _differ_in_time,
    "numbers": _differ_in_numbers,
    "marks": _differ_in_marks,
    "names": _differ_in_names,
    "negation": _differ_in_negation,
    "modality": _differ_in_modality,
    "bounds": _differ_in_bounds,
    "opposites": _are_opposites,
    "kind": _differ_in_kind,
    "particles": _differ_in_particles,
    "relations": _differ_in_relations,
    "order": _differ_in_order,
    "words": _differ_in_words,
}
_DETAILS = ("numbers", "marks", "negation", "opposites")
