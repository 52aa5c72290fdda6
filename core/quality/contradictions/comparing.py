"""Say whether two claims that answer one question contradict each other, or only seem to. Pure.

What decides between values of answers (core.asking.answering.contradictions) decides here, too: other years, series,
places, roles, the least and the most. Here nobody asked, so that more may lie between two claims: one tells what was,
or what somebody proposes, one is with tax, one is rounded, one is of a document that the other replaces.
"""

import re
from fractions import Fraction

from core.asking.answering.contradictions import Told, have_other_values, speak_of_the_same
from core.asking.verification.values import Value
from core.language.nlp.known_words import is_english_word
from core.language.nlp.text import content_stems, stem
from core.types import Passage

# What a document says of itself. "Lost books are replaced" says nothing of it.
_ITSELF = r"(?:\b(?:this|these|it|they)\b[^.;]{0,60}?\b|(?:\A|[.:;*(\[\n])\W{0,4})"
_NO_LONGER = re.compile(
    rf"{_ITSELF}(?:superseded|obsolete|out of date|outdated|archived|replaced by|withdrawn|repealed"
    r"|no longer (?:in force|valid|appl(?:y|ies)|current|in use)|(?:kept|only) for reference)\b",
    re.IGNORECASE,
)
_TAKES_PLACE = re.compile(
    r"\b(?:this|these|it|they|which)\b[^.;]{0,60}?\b(?:replaces?|supersedes?|takes? the place of|repeals?)\b",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:propos(?:e[ds]?|als?|ing)|suggest(?:s|ed|ion)?|recommend(?:s|ed|ation)?|moved that|motion|draft"
    r"|under (?:discussion|consideration|review)|to be (?:discussed|decided)|would like|is considering|considered"
    r"|could be|might be)\b",
    re.IGNORECASE,
)
# What was, as far as no word for it also stands behind "is" or "has".
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|had|did|went|came|began|took|gave|got|saw|cost (?:\S+ ){0,3}(?:that|in) |(?:last|that|previous) "
    r"(?:year|season|summer|winter|spring|autumn|month|week)|at the time|used to|formerly|previously|until now)\b",
    re.IGNORECASE,
)
_NET = re.compile(
    r"\b(?:plus|excl(?:uding|usive of|\.)?|before|without|net of|ex)\s+(?:VAT|tax(?:es)?)\b|\bnet\b", re.IGNORECASE
)
_GROSS = re.compile(r"\b(?:incl(?:uding|usive of|\.)?|with|after)\s+(?:VAT|tax(?:es)?)\b|\bgross\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|around|almost|nearly|approximately|approx\.?|roughly|some|circa|ca\.|c\.|just (?:over|under)|over"
    r"|well over|more than)\s*[£$€]?\Z|~\s?\Z",
    re.IGNORECASE,
)
_ISSUED = re.compile(
    r"\b(?:adopted|approved|passed|issued|posted|published|printed|updated|changed|revised|signed|dated|version|edition"
    r"|as of|status|in force|effective|valid (?:from|since))\b",
    re.IGNORECASE,
)
_ROUNDED = Fraction(1, 10)  # share by which a rounded value may differ
_CAPITALISED = re.compile(r"[^\W\d_a-z][\w'’-]+")
_CONTACTS = frozenset({"telephone", "extension", "address", "name"})  # which are the same for all who ask
# Words of how somebody is reached, and of any place where people are.
_REACHING = frozenset(
    content_stems(
        "address call contact department desk dial e-mail email information line mail message number office phone "
        "reach reached ring send team telephone write"
    )
)
# "Nobody may take more than 15 days": the most, as "at most 15 days".
_NO_MORE = re.compile(r"\b(?:nobody|no one|none|never|no [a-z]{2,20}|not)\b[^.;]{0,40}\bmore than\b", re.IGNORECASE)
_NO_LESS = re.compile(r"\b(?:at least|minimum|no less than)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?P<how>before|after|during|in|within|outside|until|since)\s(?:the\s|your\s)?(?P<what>[a-z]{4,30})",
    re.IGNORECASE,
)
_DURING = frozenset({"during", "in", "within"})
_BEGINNING = 400  # characters of a document in which it says what holds instead of what
_LOOKED_AT = 20  # characters before a value
# For whom a rule is. Of these somebody's claim speaks, or does not; employees are whom a rule is for that names nobody.
_CLASSES = {
    stem(word): group
    for group, words in {
        "volunteer": "volunteer",
        "visitor": "visitor guest",
        "member": "member",
        "adult": "adult",
        "child": "child children kid toddler baby",
        "student": "student pupil undergraduate postgraduate",
        "senior": "senior pensioner retiree",
        "apprentice": "apprentice trainee intern",
        "manager": "manager director executive supervisor",
        "part-time": "part-timer",
        "freelancer": "freelancer contractor temp agency",
        "group": "group",
        "school": "school class teacher",
        "family": "family families",
        "supplier": "supplier vendor",
        "customer": "customer client",
        "tenant": "tenant lodger",
        "landlord": "landlord",
    }.items()
    for word in words.split()
}


def contradict(one: Told, other: Told) -> bool:
    """Return True if two claims that answer a question exclude each other, as far as their words say."""
    return (
        have_other_values(one, other)
        and not _are_the_same_roughly(one, other)
        and _hold_both(one, other)
        and not any(_date_the_document(told) for told in (one, other))
        and _reach_the_same(one, other)
        and not _have_other_names_in_titles(one.passage, other.passage)
        and speak_of_the_same(one, other, whoever=one.values[0].kind in _CONTACTS)
    )


def contradict_rules(one: Told, other: Told) -> bool:
    """Return True if nothing tells apart two rules of which one forbids what the other allows, or needs not."""
    return (
        _hold_both(one, other)
        and not _have_other_names_in_titles(one.passage, other.passage)
        and speak_of_the_same(one, other)
    )


def _have_other_names_in_titles(one: Passage, other: Passage) -> bool:
    """Return True for "Handbook Berlin" and "Handbook Hamburg": alike in a word, and each with a name of its own.

    A name is what has a capital within a title, or is no English word.
    """
    titles = [passage.document_name for passage in (one, other)]
    names = [
        {
            match.group().casefold()
            for match in _CAPITALISED.finditer(title)
            if match.start() or not is_english_word(match.group().casefold())
        }
        for title in titles
    ]
    stems = [set(content_stems(title)) for title in titles]
    texts = [f"{passage.document_name} {passage.content}".casefold() for passage in (other, one)]
    alone = [{name for name in each if name not in text} for each, text in zip(names, texts, strict=True)]
    return bool(stems[0] & stems[1]) and all(alone)


def _hold_both(one: Told, other: Told) -> bool:
    """Return True if both claims are about how things are now, for the same people, with or without tax alike."""
    sentences = (one.sentence, other.sentence)
    if any(_PROPOSED.search(text) or _OF_THE_PAST.search(text) for text in sentences):
        return False
    is_contact = bool(one.values) and one.values[0].kind in _CONTACTS
    if (not is_contact and _are_of_other_classes(one, other)) or _are_at_other_times(*sentences):
        return False
    if any(_NO_MORE.search(text) and _NO_LESS.search(beside) for text, beside in (sentences, sentences[::-1])):
        return False
    net, gross = ([bool(form.search(text)) for text in sentences] for form in (_NET, _GROSS))
    return not ((net[0] and gross[1]) or (net[1] and gross[0]))


def _date_the_document(told: Told) -> bool:
    """Return True for the day on which a document was adopted, issued or changed."""
    return told.values[0].kind == "date" and bool(_ISSUED.search(told.sentence))


def _reach_the_same(one: Told, other: Told) -> bool:
    """Return False for numbers and addresses of which nothing names the same desk or subject."""
    if one.values[0].kind not in _CONTACTS - {"name"}:
        return True
    mine, theirs = (
        set(content_stems(f"{told.passage.section or told.passage.document_name} {told.without_values}")) - _REACHING
        for told in (one, other)
    )
    return not mine.isdisjoint(theirs)


def _are_at_other_times(one: str, other: str) -> bool:
    """Return True for "in probation" and "after probation"."""
    mine, theirs = (
        {stem(match["what"]): _name_side(match["how"]) for match in _WHEN.finditer(text)} for text in (one, other)
    )
    return any(what in theirs and theirs[what] != side for what, side in mine.items())


def _name_side(how: str) -> str:
    return "during" if how.casefold() in _DURING else how.casefold()


def _are_of_other_classes(one: Told, other: Told) -> bool:
    """Return True if each names people of whom the other does not speak, or one does and the other names nobody."""
    mine, theirs = (
        {_CLASSES[word] for word in content_stems(f"{told.lead} {told.sentence}") if word in _CLASSES}
        for told in (one, other)
    )
    if mine == theirs:
        return False
    around, around_theirs = (
        {_CLASSES[word] for word in content_stems(f"{told.place} {told.passage.content}") if word in _CLASSES}
        for told in (one, other)
    )
    return bool(mine - around_theirs or theirs - around)


def _are_the_same_roughly(one: Told, other: Told) -> bool:
    """Return True if the values are the same but for rounding, where one is said to be rounded."""
    is_rounded = any(
        _ABOUT.search(told.passage.content[max(0, value.start - _LOOKED_AT) : value.start])
        for told in (one, other)
        for value in told.values
    )
    return is_rounded and all(_is_near(*pair) for pair in zip(one.values, other.values, strict=True))


def _is_near(one: Value, other: Value) -> bool:
    mine, theirs = one.what[0], other.what[0]
    if not isinstance(mine, Fraction) or not isinstance(theirs, Fraction):
        return False
    return abs(mine - theirs) <= _ROUNDED * max(abs(mine), abs(theirs))


def is_superseded(older: Passage, newer: Passage) -> bool:
    """Return True if one document says at its beginning that it no longer holds, or the newer that it replaces another.

    older, newer: the first passages of both.
    """
    if _NO_LONGER.search(older.content[:_BEGINNING]) or _NO_LONGER.search(newer.content[:_BEGINNING]):
        return True
    names = [set(content_stems(passage.document_name)) for passage in (older, newer)]
    return bool(names[0] & names[1]) and bool(_TAKES_PLACE.search(newer.content[:_BEGINNING]))
