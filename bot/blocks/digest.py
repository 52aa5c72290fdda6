"""The weekly digest as a message."""

import datetime as dt
from dataclasses import dataclass

from bot.blocks.message import Message, message
from bot.blocks.text import context, section
from core.language.i18n.translation import day, number, say

_LEAST_COST = 0.005  # US dollars: less is shown as nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class DigestFigures:
    """Holds a week's figures for a digest."""

    since: dt.date
    until: dt.date  # the last day, included
    questions: int
    questions_before: int  # of the week before
    answered: int
    closest: int
    refused: int
    up: int
    down: int
    half_within_s: int | None  # full seconds, rounded up; None when nothing was asked
    most_within_s: int | None  # 95 % of the questions
    cost_usd: float
    new_gaps: int  # content gaps first seen in the week
    open_gaps: int


def digest_message(told: DigestFigures) -> Message:
    """Build the message of the figures, a line each, and how to turn it off."""
    title = say("Footnote from {first} to {last}", first=day(told.since), last=day(told.until))
    small_print = say("Figures over all questions. An administrator turns this digest off in the channel's settings.")
    return message(title, [section("\n".join([f"*{title}*", *_list_lines(told)])), context(small_print)])


def _list_lines(told: DigestFigures) -> list[str]:
    asked, before = number(told.questions), number(told.questions_before)
    lines = [say("Questions: {count}, the week before: {before}", count=asked, before=before)]
    if told.questions:
        answered, closest, refused = number(told.answered), number(told.closest), number(told.refused)
        lines.append(
            say(
                "Answered: {answered}, only something close found: {closest}, no answer: {refused}",
                answered=answered,
                closest=closest,
                refused=refused,
            )
        )
        lines.append(say("Votes: {up} helpful, {down} not helpful", up=number(told.up), down=number(told.down)))
    if told.half_within_s is not None and told.most_within_s is not None:
        half, most = number(told.half_within_s), number(told.most_within_s)
        lines.append(
            say("Waiting: half of the answers within {half} s, nearly all within {most} s", half=half, most=most)
        )
    if told.cost_usd >= _LEAST_COST:
        lines.append(say("Cost of language models: US$ {cost}", cost=f"{told.cost_usd:.2f}"))
    gaps = {"new": number(told.new_gaps), "open": number(told.open_gaps)}
    lines.append(say("Questions that the documents leave open: {new} new, {open} in all", **gaps))
    return lines
