"""List the readings of a question to look for in a passage: a follow-up's own part, no words for now, dates. Pure.

A passage gives its document's date in its heading in one form, and a question names the date in another, or asks for
now. Of a follow-up that was joined to the question before it, a passage answers the last part.
"""

from core.nlp.text import content_stems, split_questions
from core.query_understanding.annotations import leave_out_current
from core.verification.dates import split_dates

_FEWEST = 2  # content words of a last part that says by itself what is asked


def list_readings(question: str) -> tuple[str, ...]:
    """The question; without words for now; and of several questions the last, which the others set the scene for."""
    parts = split_questions(question)
    last = parts[-1] if len(parts) > 1 and len(set(content_stems(parts[-1]))) >= _FEWEST else question
    found = (question, leave_out_current(question), last, leave_out_current(last))
    return tuple(dict.fromkeys(reading for reading in found if content_stems(reading))) or (question,)


def coverage(text: str, other: str) -> float:
    """The share of a text's content words that another text holds, 0..1, a date of the text as one word.

    A date is held in whatever form the other text has it. 0 for a text without words and dates.
    """
    dates, rest = split_dates(text)
    wanted = set(content_stems(rest))
    known = split_dates(other)[0] if dates else []
    held = len(wanted & set(content_stems(other))) + sum(any(one.says(date) for one in known) for date in dates)
    return held / (len(wanted) + len(dates)) if wanted or dates else 0.0
