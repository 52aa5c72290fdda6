"""List the readings of a question to look for in a passage: a follow-up's own part, no words for now. Pure.

A question may ask for now, which no passage says of itself. Of a follow-up that was joined to the question before it, a
passage answers the last part.
"""

from core.language.nlp.text import content_stems, split_questions
from core.language.query_understanding.annotations import leave_out_current

_FEWEST = 2  # content words of a last part that says by itself what is asked


def list_readings(question: str) -> tuple[str, ...]:
    """The question; without words for now; and of several questions the last, which the others set the scene for."""
    parts = split_questions(question)
    last = parts[-1] if len(parts) > 1 and len(set(content_stems(parts[-1]))) >= _FEWEST else question
    found = (question, leave_out_current(question), last, leave_out_current(last))
    return tuple(dict.fromkeys(reading for reading in found if content_stems(reading))) or (question,)
