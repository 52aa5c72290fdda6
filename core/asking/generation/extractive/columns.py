"""Keep of a table's row the columns that a question names. Pure."""

from dataclasses import replace

from core.asking.generation.extractive.selected import Selected
from core.language.nlp.layout import BAR, cells
from core.language.nlp.text import content_stems

_FEWEST = 3  # columns, the first included: of two there is nothing to leave out


def keep_columns_asked(question: str, one: Selected) -> Selected:
    """Return a row with those columns alone that have the most of the question's words; as it is where none has any.

    "What does the trailer cost for a weekend?" needs neither the price of half a day nor that of a day. The words of
    the row's first cell, and those that several columns share ("2025 (actual)", "2024 (actual)"), tell none apart.
    """
    names = [set(content_stems(name)) for name in cells(one.header)]
    own = cells(one.text)
    if BAR not in one.text or len(names) < _FEWEST or len(own) > len(names):
        return one
    own += [""] * (len(names) - len(own))
    asked = set(content_stems(question)) - set(content_stems(own[0])) - names[0]
    shared = [len(asked & name) for name in names]
    if not any(shared[1:]):
        return one
    most = max(shared[1:])
    kept = tuple(place for place in range(1, len(names)) if shared[place] == most and own[place].strip())
    return replace(one, columns=kept) if kept and len(kept) < len(names) - 1 else one
