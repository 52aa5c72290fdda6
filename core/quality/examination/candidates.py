"""Find questions that a passage answers by its form: a definition, a counted thing, a cell, a line with a label. Pure.

They are candidates only: whether a passage answers one, and where, is for the reader to say.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.asking.reading.tables import write_tables
from core.language.nlp.structure import units

_MOST_WORDS = 12  # of an answer that is asked for by itself
_LONGEST_SENTENCE = 260  # characters
_DEFINITION = re.compile(
    r"(?:An?|The)?\s?(?P<what>[A-Za-z][\w-]{1,30}(?: [\w-]{2,30}){0,4}) (?P<verb>is|are|means) "
    r"(?P<answer>(?:an?|the|any) \S.+)"
)
_COUNT = re.compile(
    r"(?P<before>\A(?:At most|At least|Up to|No more than|A maximum of)?\s?)"
    r"(?P<answer>\d[\d,.]{0,8}|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Tt]en|[Tt]welve)"
    r" (?P<unit>[a-z]{3,20}s)\b(?P<rest>[^.,;:()=]{8,90})(?=[.,;:()]|\Z)"
)
_AMONG = re.compile(
    r"\b(?P<answer>\d[\d,.]{0,8}|two|three|four|five|six|seven|eight|nine|ten|twelve)"
    r" (?P<unit>(?:working |calendar )?[a-z]{3,20}s)\b(?P<rest>[^.,;:()=]{0,80})(?=[.,;:()]|\Z)"
)
_LABEL = re.compile(r"\A(?:[-*•]\s{1,3})?\**(?P<label>[A-Z][A-Za-z ]{2,30})\**:\**\s+(?P<answer>\S[^\n]{1,100})\Z")
_NOT_A_THING = frozenset(
    {
        *("this", "that", "these", "those", "it", "they", "there", "he", "she"),
        *("we", "you", "i", "here", "what", "which", "who"),
    }
)

_ARTICLES = frozenset({"A", "An", "The"})
_PARTS = frozenset(
    {"thirds", "quarters", "times", "others", "pages", "sections"}
)  # that are not counted for themselves
_FEWEST_WORDS = 3  # before a number, that a question can be made of


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A question, and where the passage should answer it."""

    kind: str  # of ExaminationLine.Kind
    question: str
    start: int  # of the answer in the passage, in characters
    end: int
    words: str  # of the answer, where a right answer has to hold them; else empty


def find_candidates(text: str, *, place: str) -> Iterator[Candidate]:
    """Yield the questions of a passage, cells and labels first. place: the heading or name that a question may need."""
    yield from _find_cells(text, place)
    for unit in units(text):
        sentence = text[unit.start : unit.end]
        if len(sentence) > _LONGEST_SENTENCE or "|" in sentence:
            continue
        found = (
            _read_label(sentence, unit.start, place)
            or _read_definition(sentence, unit.start)
            or _read_count(sentence, unit.start)
            or _read_count_among(sentence, unit.start, place)
        )
        if found:
            yield found


def _find_cells(text: str, place: str) -> Iterator[Candidate]:
    written = write_tables(text)
    for row in written.rows if written else ():
        name, _, rest = row.text.partition(": ")
        for pair in rest.rstrip(".").split("; "):
            column, _, value = pair.partition(" = ")
            start = text.find(value, row.start, row.end) if value else -1
            if start < 0 or not _is_short(value) or not _is_short(name) or value == name:
                continue
            question = f"What is the {_lower_first(column)} for {name} ({place})?"
            yield Candidate(kind="cell", question=question, start=start, end=start + len(value), words=value)


def _read_label(sentence: str, offset: int, place: str) -> Candidate | None:
    match = _LABEL.match(sentence)
    if not match or not _is_short(match["answer"]) or not place or not _is_label(match):
        return None
    question = f"What is the {_lower_first(match['label'])} of {place}?"
    return _make_candidate(match, offset, "label", question, words=match["answer"].rstrip(".* "))


def _read_definition(sentence: str, offset: int) -> Candidate | None:
    match = _DEFINITION.fullmatch(sentence)
    if not match or match["what"].split()[0].casefold() in _NOT_A_THING:
        return None
    verb = "are" if match["verb"] == "are" else "is"
    return _make_candidate(match, offset, "definition", f"What {verb} {_lower_first(match['what'])}?", words="")


def _read_count(sentence: str, offset: int) -> Candidate | None:
    match = _COUNT.match(sentence)
    if not match or not _counts_one_thing(match):
        return None
    question = f"How many {match['unit']}{match['rest'].rstrip()}?"
    return _make_candidate(match, offset, "figure", question, words=match["answer"])


def _read_count_among(sentence: str, offset: int, place: str) -> Candidate | None:
    match = _AMONG.search(sentence)
    if not match or not place or not _counts_one_thing(match):
        return None
    subject = " ".join(sentence[: match.start()].split())
    words = subject.split()
    is_one_thing = not {*":="} & {*subject} and "and" not in words
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or words[0].casefold() in _NOT_A_THING or not is_one_thing:
        return None
    question = f"{place}: {_lower_first(subject)} how many {match['unit']}{match['rest'].rstrip()}?"
    return _make_candidate(match, offset, "figure", question, words=match["answer"])


def _is_label(match: re.Match[str]) -> bool:
    """Return True for "Deposit: 75 euros", and not for a sentence with a colon in its middle."""
    words = match["label"].split()
    has_figure = any(character.isdigit() for character in match["answer"])
    return words[0] not in _ARTICLES and (len(words) <= 2 or (has_figure and len(words) <= 5))


def _counts_one_thing(match: re.Match[str]) -> bool:
    return match["unit"] not in _PARTS and " and " not in match["rest"]


def _make_candidate(match: re.Match[str], offset: int, kind: str, question: str, *, words: str) -> Candidate:
    start, end = match.span("answer")
    return Candidate(kind=kind, question=question, start=offset + start, end=offset + end, words=words)


def _is_short(text: str) -> bool:
    return 0 < len(text.split()) <= _MOST_WORDS and any(character.isalnum() for character in text)


def _lower_first(words: str) -> str:
    """Return words as they stand inside a sentence: names and abbreviations keep their capitals."""
    first, _, rest = words.partition(" ")
    is_name = not first[1:].islower() or rest[:1].isupper()
    return words if is_name else f"{first.lower()} {rest}".strip()
