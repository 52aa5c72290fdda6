"""Hold a sentence that the extractive model has chosen, and say which sentences can be chosen. Pure."""

import re
from dataclasses import dataclass

from core.asking.generation.markup import MarkedPassage
from core.language.nlp.dates import MONTHS
from core.language.nlp.layout import BAR, is_field
from core.language.nlp.scripts import FULL_STOPS, count_words
from core.language.nlp.structure import TextUnit
from core.language.nlp.text import content_stems

# Words of a possible statement without a full stop; shorter ones are headings. An item is written behind what
# introduces it.
SHORTEST = 4
_SHORTEST_SENTENCE = 3  # words: "Parking is free."


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """A sentence chosen from a passage."""

    passage: MarkedPassage
    text: str  # verbatim
    score: float
    leads: tuple[str, ...] = ()  # verbatim: what introduces an item or a row, the outermost first
    group: int | None = None  # which list or table of the passage it belongs to
    of_kind: bool = True  # it holds the kind of thing that is asked for, if one is
    held: float = 0.0  # probability, 0..1, that it holds the answer, as a reader says
    columns: tuple[int, ...] = ()  # of a row, by their places: those that are asked for, where not all are
    subject: str = ""  # what its passage is called, where that alone tells it from another sentence that is chosen

    @property
    def header(self) -> str:
        """Return the names of the columns of a row, as they are written; "" where there are none."""
        return self.leads[-1] if self.leads and BAR in self.leads[-1] else ""


def select_unit(passage: MarkedPassage, unit: TextUnit, *, score: float) -> Selected:
    """Return a sentence, item or row of a passage as chosen, with what introduces it."""
    text = passage.text
    return Selected(
        passage=passage,
        text=text[unit.start : unit.end],
        score=score,
        leads=tuple(text[start:end] for start, end in unit.leads),
        group=unit.group,
    )


# What minutes say of a matter before they say what came of it: "Cameras were discussed."
_ONLY_NAMES = re.compile(
    r"(?:\w[\w'’-]{0,40}\s){1,5}(?:was|were) (?:also )?"
    r"(?:discussed|considered|debated|mentioned|raised|on the agenda)\W*",
    re.IGNORECASE,
)


def is_imprint(text: str, question: str) -> bool:
    """Return True for a sentence that only dates its document, for a question that asks nothing of the kind."""
    found = _IMPRINT.fullmatch(text)
    return found is not None and not set(content_stems(found["of"])) & set(content_stems(question))


def only_names(text: str) -> bool:
    """Return True for a sentence that names a matter and says nothing of it, as minutes do before what was decided."""
    return bool(_ONLY_NAMES.fullmatch(text))


# "Valid from 5 January 2026.", "Edition of May 2025", "Last updated on 3 March 2024".
_IMPRINT = re.compile(
    r"\W*(?P<of>(?:in force|valid|effective|applies|as) (?:from|since|of|as of)|(?:edition|version|revision)(?: of)?"
    r"|(?:last )?(?:updated|revised|amended|reviewed|changed)(?: on| in)?)\W+(?:the )?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{'|'.join(MONTHS)}) (?:\d{{1,2}}, )?\d{{4}}\W*",
    re.IGNORECASE,
)


def ends_as_question(text: str) -> bool:
    """Return True for a question, which answers none."""
    return text.endswith(("?", "？", "؟"))


def can_stand(text: str) -> bool:
    """Return True if a sentence, or a label with its value, can be a statement."""
    if ends_as_question(text) or text.endswith((":", "：")):
        return False
    is_closed = text.endswith((".", "!", *FULL_STOPS))
    return count_words(text) >= (_SHORTEST_SENTENCE if is_closed else SHORTEST) or is_field(text)
