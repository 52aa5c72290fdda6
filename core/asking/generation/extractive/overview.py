"""Write an overview of a document: the headings of its parts, each with the sentence that the part begins with.

Words do not show which sentences say most; authors put the subject of a part first. Nothing is scored. Pure.
"""

import re
from collections.abc import Iterator, Sequence

from core.asking.generation.extractive.selected import Selected
from core.asking.generation.markup import MarkedPassage
from core.language.nlp.headings import drop_number
from core.language.nlp.layout import BlockKind
from core.language.nlp.structure import TextUnit, introduces, units
from core.language.nlp.text import is_code, is_data, one_line

MOST_LINES = 12  # a screen
FEW_PARTS = 4  # with fewer passages than these each gives more than one line ...
LINES_OF_FEW = 6  # ... so that there are about so many
FEWEST_WORDS = 3  # of a lead sentence
LONGEST = 400  # characters of a lead sentence
LONGEST_HEADING = 100  # characters; what is longer is a sentence itself

_FINISHED = re.compile(r"[.!][\"'”’)\]]*\Z")
_ASSIGNS = re.compile(r"\w=\S")


def overview(passages: Sequence[MarkedPassage]) -> list[Selected]:
    """Return the lead sentences of passages that open the parts of a document, in its order, with the parts' headings.

    At most MOST_LINES. Nothing where no passage opens a part, which is so for all questions but those about a document
    as a whole, or where none has a sentence.
    """
    opening = [passage for passage in passages if passage.opens][:MOST_LINES]
    each = 1 if len(opening) >= FEW_PARTS else max(1, LINES_OF_FEW // max(1, len(opening)))
    chosen: list[Selected] = []
    headed: set[str] = set()
    for passage in opening:
        for unit in _find_lead_sentences(passage.text, most=each):
            text = passage.text[unit.start : unit.end]
            if any(one_line(text) == one_line(known.text) for known in chosen):
                continue
            subject = heading_of(passage)
            chosen.append(
                Selected(
                    passage=passage,
                    text=text,
                    score=1.0,
                    leads=tuple(passage.text[start:end] for start, end in unit.leads),
                    subject="" if subject in headed else subject,
                )
            )
            headed.add(subject)
    return chosen


def heading_of(passage: MarkedPassage) -> str:
    """Return a part's heading as the subject of its lead sentence; "" for a part below no heading of its own."""
    if passage.source.startswith(passage.opens):  # the document's name
        return ""
    heading = drop_number(one_line(passage.opens)).rstrip(" .:")
    return heading if len(heading) <= LONGEST_HEADING else ""


def _find_lead_sentences(text: str, *, most: int) -> list[TextUnit]:
    """Return the first sentences of a text's paragraphs, in order, at most so many.

    Further sentences where they are fewer.

    A text that is a list alone gives its first item that is a sentence; one of tables or code gives nothing.
    """
    found = [unit for unit in units(text) if _is_sentence(text[unit.start : unit.end])]
    prose = [unit for unit in found if unit.kind is BlockKind.PROSE]
    if not prose:
        return [unit for unit in found if unit.kind is BlockKind.ITEM][:1]
    first = list(_list_first_of_paragraphs(prose, text))
    others = [unit for unit in prose if unit not in first]
    return sorted([*first, *others][:most], key=lambda unit: unit.start)


def _list_first_of_paragraphs(prose: Sequence[TextUnit], text: str) -> Iterator[TextUnit]:
    """Yield the first sentence of each paragraph."""
    end = None
    for unit in prose:
        if end is None or "\n\n" in text[end : unit.start]:
            yield unit
        end = unit.end


def _is_sentence(text: str) -> bool:
    """Return True if the text is a whole sentence: no heading, row, question, code or lead-in of a list."""
    if len(text.split()) < FEWEST_WORDS or len(text) > LONGEST or " | " in text:
        return False
    is_said = bool(_FINISHED.search(text)) and not introduces(text)
    return is_said and not (is_code(text) or is_data(text) or _ASSIGNS.search(text))
