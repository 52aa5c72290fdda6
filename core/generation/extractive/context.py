"""Add to chosen sentences the context that they need: the text after them. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from core.generation.extractive.selected import Selected, can_stand
from core.nlp.labels import find_labels
from core.nlp.layout import is_field
from core.nlp.structure import find_next

MOST_THAT_FOLLOW = 2  # sentences, behind the best one


def in_context(chosen: Sequence[Selected]) -> list[Selected]:
    """The chosen sentences, the best one with those that follow it in its paragraph.

    Reasons, explanations and events take more than one sentence (decision 0042 has the effect).
    """
    if not chosen or chosen[0].group is not None:
        return list(chosen)
    told = [chosen[0]]
    while len(told) <= MOST_THAT_FOLLOW:
        after = find_next(told[-1].passage.text, told[-1].text)
        if not can_stand(after) or is_field(after) or _of_another(after, chosen[0]):
            break
        told.append(replace(told[-1], text=after, leads=()))
    known = {one.text for one in told}
    return [*told, *(one for one in chosen[1:] if one.text not in known)]


def _of_another(text: str, best: Selected) -> bool:
    """Return True if a sentence names another class, bay or step than the best one does."""
    mine = find_labels(" ".join((*best.leads, best.text)))
    return any(kind in mine and values.isdisjoint(mine[kind]) for kind, values in find_labels(text).items())
