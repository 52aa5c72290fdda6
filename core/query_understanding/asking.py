"""Whether words ask something, for places where people also say other things. Pure."""

import re

# Words that begin what wants an answer, after "and", "ok" and the like.
_BEGINNING = re.compile(
    r"^\W*(?:(?:and|but|so|also|then|ok(?:ay)?|please|now|sorry|hey|hi|hello)\b[\s,]*)*"
    r"(?:who|whom|whose|what|whats|what's|when|where|which|why|how|is|are|was|were|am|can|could|does|do|did|has|have|had|"
    r"will|would|should|shall|may|must|tell|show|list|give|find|explain|compare|summari[sz]e|describe|define|name)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"^\W*(?:and|or)\b.{3,}", re.IGNORECASE | re.DOTALL)


def wants_answer(text: str) -> bool:
    """True for a question, a request for information, or the rest of one ("and in March"); false for a remark."""
    return "?" in text or bool(_BEGINNING.match(text) or _AND.match(text))
