"""List the reasons for which a statement of a draft is dropped."""

from enum import StrEnum


class Reason(StrEnum):
    """A fault of a statement. Logged as counts, and sent to the model, which may repair the statement once."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    REPEATED = "repeated"
    NO_QUOTE = "no_quote"
    QUOTE_NOT_FOUND = "quote_not_found"
    QUOTE_TOO_SHORT = "quote_too_short"
    UNRELATED = "unrelated"
    MIXED_SOURCES = "mixed_sources"
    ADDRESS = "address"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    OPPOSITE = "opposite"
    QUANTIFIER = "quantifier"
    CONDITION = "condition"
    MODALITY = "modality"
    SUBJECT = "subject"
    SWAPPED = "swapped"
    COLUMN = "column"
    NOT_ENTAILED = "not_entailed"


IN_WORDS = {
    Reason.EMPTY: "it has no words",
    Reason.TOO_LONG: "it is too long for one statement",
    Reason.REPEATED: "it repeats an earlier statement",
    Reason.NO_QUOTE: "it has no quote",
    Reason.QUOTE_NOT_FOUND: "its quote does not stand word for word in the passage that it names",
    Reason.QUOTE_TOO_SHORT: "its quote is too short to prove anything",
    Reason.UNRELATED: "its quotes hold too few of its words",
    Reason.MIXED_SOURCES: "it mixes what different passages say about different things",
    Reason.ADDRESS: "an address, a host, a path or a telephone number in it does not stand word for word in its quotes",
    Reason.NUMBER: "a number in it, or its unit, is not the one in its quotes",
    Reason.DATE: "a date in it is not the one in its quotes",
    Reason.NAME: "a name in it is not in its quotes",
    Reason.NEGATION: "its quotes deny what it says, or it denies what they say",
    Reason.OPPOSITE: "its quotes say the opposite",
    Reason.QUANTIFIER: "it says all, some, only, at least or the like where its quotes do not",
    Reason.CONDITION: "it leaves out the condition or exception under which it holds",
    Reason.MODALITY: "it says that something must be where its quotes only allow it",
    Reason.SUBJECT: "its quotes say it of another thing, person, place or time than it does",
    Reason.SWAPPED: "two names or two numbers in it have changed places",
    Reason.COLUMN: "a figure in it is that of another column than the one it names",
    Reason.NOT_ENTAILED: "it does not follow from its quotes",
}
