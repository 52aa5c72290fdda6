"""Say a question in the words of a passage. Pure."""

from collections.abc import Iterator, Sequence

from core.language.nlp.text import span_words, stem
from core.language.query_understanding.synonyms import MOST_WORDS, list_alternatives

_COUNTED = ("how", stem("many"))  # what is counted may be measured: "28 days of annual leave"


def reword(question: str, text: str) -> str:
    """Return a question with what the text says otherwise in the text's words: "holidays", where it has "annual leave".

    A word or phrase that the text has stays, and so does one for which the text has none of the same meaning.
    """
    words, held = span_words(question), span_words(text)
    stems = [stem(question[start:end]) for start, end in words]
    held_stems = [stem(text[start:end]) for start, end in held]
    said, behind = "", 0
    for first, last, other, places in _list_replaced(stems, held_stems):
        said += question[behind : words[first][0]]
        if tuple(stems[first - 2 : first]) == _COUNTED:
            measures = [held[at - 2] for at in places if at >= 2 and held_stems[at - 1] == "of"]
            measure = text[slice(*measures[0])] if measures else ""
            said += f"{measure} of " if measure and stem(measure) not in stems else ""
        said += other
        behind = words[last][1]
    return said + question[behind:]


def _list_replaced(stems: Sequence[str], held: Sequence[str]) -> Iterator[tuple[int, int, str, list[int]]]:
    """Yield the first and last word of each phrase that is replaced, by what, and where the text has that, in order."""
    first = 0
    while first < len(stems):
        for length in range(min(MOST_WORDS, len(stems) - first), 0, -1):
            phrase = tuple(stems[first : first + length])
            if alternatives := list_alternatives(phrase):
                break
        else:
            first += 1
            continue
        if not _find(phrase, held):
            found = ((one.text, _find(one.stems, held)) for one in alternatives)
            other, places = next(((text, places) for text, places in found if places), ("", []))
            if other:
                yield first, first + length - 1, other, places
        first += length


def _find(phrase: Sequence[str], held: Sequence[str]) -> list[int]:
    """Return at which words of a text those of a phrase begin, side by side."""
    places = range(len(held) - len(phrase) + 1)
    return [at for at in places if tuple(held[at : at + len(phrase)]) == tuple(phrase)]
