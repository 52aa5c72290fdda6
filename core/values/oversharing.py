"""Risks that more people read something than anybody expects: their kinds, topics, reach and rank. Pure."""

from enum import StrEnum

from core.values.secrets import SECRETS_IN_WORDS, SecretKind


class RiskKind(StrEnum):
    """Lists the kinds of risks."""

    CONFIDENTIAL = "confidential"  # many may read a document whose words look confidential
    SECRET = "secret"  # noqa: S105 - a document holds passwords, keys or tokens
    ODD_ROLE = "odd_role"  # a role reads one document among many that are others'
    ODD_GROUP = "odd_group"  # a usergroup alone brings most of a role's people
    WIDENED = "widened"  # a source or collection has more readers than before


RISKS_IN_WORDS = {
    RiskKind.CONFIDENTIAL: "looks confidential",
    RiskKind.SECRET: "holds passwords or keys",
    RiskKind.ODD_ROLE: "read through one odd role",
    RiskKind.ODD_GROUP: "read through one odd usergroup",
    RiskKind.WIDENED: "has more readers than before",
}


class Topic(StrEnum):
    """Lists the subjects by which words look confidential."""

    PAY = "pay"
    HEALTH = "health"
    CONDUCT = "conduct"
    BOARD = "board"
    LEGAL = "legal"
    PERSONAL = "personal"
    MARKED = "marked"  # the document itself says that it is confidential


TOPICS_IN_WORDS = {
    Topic.PAY: "pay of particular people",
    Topic.HEALTH: "health of particular people",
    Topic.CONDUCT: "warnings, complaints and investigations",
    Topic.BOARD: "plans that are not announced",
    Topic.LEGAL: "legal advice and disputes",
    Topic.PERSONAL: "personal data",
    Topic.MARKED: "says that it is confidential",
}
# From 1 to 5, as in a matrix of risks: what a reader too many would cost. Health and conduct are special categories or
# ruin people; secrets open whatever they are for.
SENSITIVITY: dict[str, int] = {
    Topic.PAY: 4,
    Topic.HEALTH: 5,
    Topic.CONDUCT: 5,
    Topic.BOARD: 4,
    Topic.LEGAL: 4,
    Topic.PERSONAL: 4,
    Topic.MARKED: 3,
    SecretKind.PASSWORD: 4,
    SecretKind.CODE: 4,
    SecretKind.TOKEN: 5,
    SecretKind.PRIVATE_KEY: 5,
    SecretKind.CONNECTION: 5,
}
SUBJECTS_IN_WORDS = {str(kind): words for kind, words in (*TOPICS_IN_WORDS.items(), *SECRETS_IN_WORDS.items())}


SECRETS = frozenset(kind.value for kind in SecretKind)


class RiskState(StrEnum):
    """Lists what became of a risk."""

    OPEN = "open"
    ACCEPTED = "accepted"  # somebody said that it is right so; open again when it grows
    NARROWED = "narrowed"  # by the button on its page
    GONE = "gone"  # without it: the words, the readers or the document are others now


STATES_IN_WORDS = {
    RiskState.OPEN: "open",
    RiskState.ACCEPTED: "is right so",
    RiskState.NARROWED: "narrowed",
    RiskState.GONE: "gone",
}


class Level(StrEnum):
    """Lists the levels of risks, the highest first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


HIGH_FROM, MEDIUM_FROM = 15, 8  # of 25: sensitivity times reach, each from 1 to 5
_WIDEST_PEOPLE = 100
_FEW, _QUARTER = 3, 0.25


def find_level(score: int) -> Level:
    """Return the level of a risk's score, 1..25."""
    return Level.HIGH if score >= HIGH_FROM else Level.MEDIUM if score >= MEDIUM_FROM else Level.LOW


def measure_reach(people: int, of: int, *, is_for_everyone: bool = False) -> int:
    """Measure how wide something is read, from 1, by a few, to 5, by everyone.

    people: active people who may read it, of all active ones. is_for_everyone: guests or a whole workspace may, too.
    Up to three people are few, in a small organisation, too.
    """
    if is_for_everyone:
        return 5
    share = people / max(of, 1)
    if people <= _FEW:  # a department of its own, or half of a small company
        return 2 if share >= _QUARTER else 1
    steps = ((0.5, _WIDEST_PEOPLE * 5), (0.25, _WIDEST_PEOPLE), (0.1, _WIDEST_PEOPLE // 4))
    for reach, (least_share, least_people) in zip((5, 4, 3), steps, strict=True):
        if share >= least_share or people >= least_people:
            return reach
    return 2
