"""Add to chosen sentences the context that they need: the text after them, and what tells similar ones apart. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import combinations

from core.asking.generation.extractive.selected import Selected, can_stand, ends_as_question
from core.asking.generation.markup import MarkedPassage
from core.language.nlp.headings import drop_number
from core.language.nlp.labels import find_labels
from core.language.nlp.layout import cells, is_field
from core.language.nlp.outcomes import says_outcome, says_proposal
from core.language.nlp.structure import find_beside
from core.language.nlp.text import content_stems

SAME = 0.6  # share of their words, figures left out, from which two sentences say the same of two things
MOST_THAT_FOLLOW = 2  # sentences, behind the best one

LONGEST_BEFORE = 200  # characters of a sentence that says what "it" is

_REFERS = re.compile(
    r"(?:it|its|they|their|he|she|his|her|this|these|both|such|otherwise)\s(?!(?:is|was)\s(?:\w+\s){0,2}(?:to|that)\b)"
    r"|(?:if|when|where)\b.{1,40}\bstill\b"
    r"|(?:(?:later|earlier|more|less) than|after|before|in) (?:that|this)\b(?! (?!nothing|anything|everything)\w+ing)",
    re.IGNORECASE,
)
# How a sentence begins, or what it says, that changes what the one before it says for some or for a time.
_EXCEPTS = re.compile(
    r"^(?:however|but|only|except|unless|exceptions?|whoever|(?:those|anyone|anybody|people|members|staff) who)\b"
    r"|\b(?:it|they|we) (?:(?:is|are) )?also\b|\b(?:may|can) (?:permit|allow|grant|approve|extend|make)\b"
    r"|\b(?:exempt|exceptions?|waived|(?:does|do) not apply)\b",
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+")
_EXCEPTION_WITHIN = 2  # sentences behind the rule
_OUTCOME_WITHIN = 3  # sentences behind what was proposed
_FIGURE = re.compile(r"\d[\d.,:/-]*")
_PAGE = re.compile(r"page \d+")


def tell_apart(chosen: list[Selected]) -> list[Selected]:
    """Return sentences that give different figures in the same words, each with what it is about."""
    told = list(chosen)
    for one, other in combinations(range(len(chosen)), 2):
        if _say_the_same(chosen[one], chosen[other]):
            told[one] = _add_subject(told[one], chosen[other])
            told[other] = _add_subject(told[other], chosen[one])
    return told


def _say_the_same(one: Selected, other: Selected) -> bool:
    if one.group is not None or other.group is not None:
        return False  # an item and a row bring along what they are about
    figures = [set(_FIGURE.findall(selected.text)) for selected in (one, other)]
    words = [set(content_stems(_FIGURE.sub(" ", selected.text))) for selected in (one, other)]
    if not all(figures) or figures[0] == figures[1] or not all(words):
        return False
    return len(words[0] & words[1]) >= SAME * len(words[0] | words[1])


def _add_subject(selected: Selected, other: Selected) -> Selected:
    """Return a sentence with what its passage is called and the other's is not.

    In one passage, behind the one before it.
    """
    if selected.passage.source != other.passage.source:
        named = _find_own_part(selected.passage, other.passage, known=selected.subject.split(", "))
        return replace(selected, subject=named) if named else selected
    before, _ = find_beside(selected.passage.text, selected.text)
    return replace(selected, leads=(before,)) if before and not selected.leads else selected


def in_context(chosen: Sequence[Selected]) -> list[Selected]:
    """Return the chosen sentences, the best one with those that follow it in its paragraph.

    Reasons, explanations and events take more than one sentence (decision 0042 has the effect).
    """
    if not chosen or chosen[0].group is not None:
        return list(chosen)
    told = [chosen[0]]
    while len(told) <= MOST_THAT_FOLLOW:
        _, after = find_beside(told[-1].passage.text, told[-1].text)
        if not can_stand(after) or is_field(after) or _is_of_another(after, chosen[0]):
            break
        told.append(replace(told[-1], text=after, leads=()))
    known = {one.text for one in told}
    return [*told, *(one for one in chosen[1:] if one.text not in known)]


def name_thing(chosen: Sequence[Selected]) -> list[Selected]:
    """Return the chosen sentences, the first one, if it begins with a pronoun, behind the sentence that says of what.

    "It cost 1,395 pounds" says nothing alone, nor "If the rent is still not paid". Later ones have the first one.
    """
    if not chosen:
        return []
    first, *others = chosen
    before = ""
    if first.group is None and not first.leads and _REFERS.match(first.text):
        before, _ = find_beside(first.passage.text, first.text)
    is_named = bool(before) and len(before) <= LONGEST_BEFORE and not ends_as_question(before)
    return [replace(first, leads=(before,)) if is_named else first, *(one for one in others if one.text != before)]


def add_exception(question: str, chosen: Sequence[Selected]) -> list[Selected]:
    """Return the chosen sentences, the first with one that makes an exception from it soon after in its paragraph.

    "Nobody stays more than four nights" is half the rule, where "The warden may permit a longer stay" follows. One that
    has a name of the question which the rule lacks answers with it: "In Paris the limit is 210 euros".
    """
    if not chosen or chosen[0].group is not None:
        return list(chosen)
    first, *others = chosen
    lacking = set(content_stems(question)) - set(content_stems(f"{first.passage.source} {first.text}"))
    after, is_named = first.text, False
    for _ in range(_EXCEPTION_WITHIN):
        after = find_beside(first.passage.text, after)[1]
        is_named = bool(lacking & set(content_stems(" ".join(_CAPITALISED.findall(after)))))
        if not after or is_named or _EXCEPTS.search(after):
            break
    else:
        return list(chosen)
    if not can_stand(after) or max(len(after), len(first.text) if is_named else 0) > LONGEST_BEFORE:
        return list(chosen)
    rest = [one for one in others if one.text != after]
    if is_named and not first.leads:
        return [replace(first, text=after, leads=(first.text,)), *rest]
    return [first, replace(first, text=after, leads=()), *rest]


def tell_outcome(chosen: Sequence[Selected]) -> list[Selected]:
    """Return the chosen sentences, one that proposes something first of all with what came of it.

    "The chair proposed to close it" reads as if it were to be closed, where "The proposal was lost" follows.
    """
    if not chosen or chosen[0].group is not None or not says_proposal(chosen[0].text):
        return list(chosen)
    first, *others = chosen
    after = first.text
    for _ in range(_OUTCOME_WITHIN):
        after = find_beside(first.passage.text, after)[1]
        if not after or says_outcome(after):
            break
    if not after or not can_stand(after) or len(first.text) > LONGEST_BEFORE or not says_outcome(after):
        return list(chosen)
    told = replace(first, text=after, leads=(first.text,))
    return [told, *(one for one in others if one.text != after)]


def name_sections(chosen: Sequence[Selected], passages: Sequence[MarkedPassage]) -> list[Selected]:
    """Return the chosen sentences, rows and fields of forms with their section where others look the same.

    "Sunday - April to September: closed" is of one shop, and its table does not say of which; nor does "Electricity
    used: 61,200 kWh" in a report on several buildings.
    """
    return [one if one.subject else _name_section(one, passages) for one in chosen]


def _name_section(one: Selected, passages: Sequence[MarkedPassage]) -> Selected:
    """Return a row beside a table with the same columns, or a field beside another section, behind its section."""
    others = (other for other in passages if other.source != one.passage.source)
    document = one.passage.source.partition(", ")[0]
    if one.header:
        alike = (other for other in others if one.header in other.text)
    elif one.group is None and is_field(one.text):
        alike = (other for other in others if other.source.partition(", ")[0] == document)
    else:
        return one
    other = next(alike, None)
    named = _find_own_part(one.passage, other, known=(*cells(one.text), *one.leads)) if other else ""
    return replace(one, subject=drop_number(named)) if named else one


def _find_own_part(passage: MarkedPassage, other: MarkedPassage, *, known: Collection[str]) -> str:
    """Return the last part of a passage's heading that is neither known nor in the other heading, and no page."""
    others = {*other.source.split(", "), *known}
    own = [part for part in passage.source.split(", ") if part not in others and not _PAGE.match(part)]
    return own[-1] if own else ""


def _is_of_another(text: str, best: Selected) -> bool:
    """Return True if a sentence names another class, bay or step than the best one does."""
    mine = find_labels(" ".join((*best.leads, best.text)))
    return any(kind in mine and values.isdisjoint(mine[kind]) for kind, values in find_labels(text).items())
