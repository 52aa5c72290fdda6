"""Put what holds today before what has ended, or is to come. Pure."""

import datetime as dt
from collections.abc import Sequence

from core.asking.generation.extractive.selected import Selected
from core.language.nlp.structure import units
from core.language.nlp.text import content_stems
from core.language.nlp.validity import asks_about_past, find_validity, says_change

NEARBY = 2  # sentences between a rule and the one that takes its place
SHARED = 0.5  # of the question's words in a rule, that the one in its place elsewhere has


def put_current_first(
    question: str, chosen: Sequence[Selected], scored: Sequence[Selected], *, today: dt.date
) -> list[Selected]:
    """Return the chosen sentences, the first of them one that holds today, if any does.

    Where the best sentence holds until a day that is over, or from one that has not come, the sentence that holds now
    goes before it, also one that is not chosen. So does a chosen one of a document that is not older which says that
    the rule has changed. Not where the question is about another time.

    scored: all sentences, best first.
    """
    if not chosen or asks_about_past(question):
        return list(chosen)
    best, *others = chosen
    wanted = set(content_stems(question))
    if not _is_off(best, today):
        changed = next((one for one in others if _says_changed(one, best, wanted)), best)
        return [changed, *(one for one in chosen if one != changed)]
    found = (one for one in scored if find_validity(one.text).holds(today) and _takes_its_place(one, best, wanted))
    current = next(found, None) or next((one for one in chosen if not _is_off(one, today)), None)
    return [current, *(one for one in chosen if one != current)] if current else list(chosen)


def _is_off(one: Selected, today: dt.date) -> bool:
    validity = find_validity(one.text)
    return validity.has_ended(today) or validity.is_to_come(today)


def _says_changed(one: Selected, best: Selected, wanted: set[str]) -> bool:
    """Return True if a sentence of another document says that what the best one says is so no longer."""
    if one.passage.source == best.passage.source or not says_change(one.text) or says_change(best.text):
        return False
    is_older = best.passage.date is not None and (one.passage.date is None or one.passage.date < best.passage.date)
    return not is_older and _takes_its_place(one, best, wanted)


def _takes_its_place(one: Selected, best: Selected, wanted: set[str]) -> bool:
    """Return True if a sentence is near another in its passage, or about the same."""
    if one.passage == best.passage:
        places = {one.passage.text[unit.start : unit.end]: n for n, unit in enumerate(units(one.passage.text))}
        if one.text in places and best.text in places:
            return abs(places[one.text] - places[best.text]) <= NEARBY
    about = wanted & set(content_stems(best.text))
    return bool(about) and len(about & set(content_stems(one.text))) >= SHARED * len(about)
