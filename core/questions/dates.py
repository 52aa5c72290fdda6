"""Dates in English text: days, months, quarters and years, and the stretches that two of them or a word make."""

import calendar
import datetime as dt
import re

from core.questions.values import DateMention, Period, Precision
from core.text import one_line

_MONTHS = {name: number for number in range(1, 13) for name in (calendar.month_name[number].casefold(),)}
_MONTHS |= {calendar.month_abbr[number].casefold(): number for number in range(1, 13)} | {"sept": 9}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
# No part of a longer number, an amount of money, a share or an identifier such as 2012.11770.
_YEAR = r"(?<![\d.,$€£#])(?:1[5-9]|20)\d\d(?![\d%])(?![.,]\d)(?!-\d{1,2}\b)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"

_DATE = re.compile(
    rf"""
      (?P<iso>(?<![\d.-])(?:1[5-9]|20)\d\d-(?:0[1-9]|1[0-2])-(?:3[01]|[12]\d|0[1-9])(?![\d-]))
    | (?P<iso_month>(?<![\d.-])(?:1[5-9]|20)\d\d-(?:0[1-9]|1[0-2])(?![\d-]))
    | \b(?P<month_a>{_MONTH})\s(?P<day_a>{_DAY})(?:\s?[-–]\s?(?P<day_b>{_DAY}))?,?\s(?P<year_a>{_YEAR})
    | \b(?P<day_c>{_DAY})\s(?:of\s)?(?P<month_c>{_MONTH}),?\s(?P<year_c>{_YEAR})
    | \b(?P<month_d>{_MONTH}),?\s(?:of\s)?(?P<year_d>{_YEAR})
    | \bQ(?P<quarter_e>[1-4]),?\s(?:of\s)?(?P<year_e>{_YEAR})
    | (?P<year_f>{_YEAR})\sQ(?P<quarter_f>[1-4])\b
    | \b(?P<quarter_g>first|second|third|fourth|1st|2nd|3rd|4th)\squarter\s(?:of\s|in\s)?(?P<year_g>{_YEAR})
    | \b(?P<relative>last|previous|this|current)\s(?P<unit>year|quarter|month)\b
    | \b(?P<part_p>end|late|start|beginning|early|mid|middle|first\shalf|second\shalf)[\s-](?:of\s)?(?P<year_p>{_YEAR})
    | (?P<year_h>{_YEAR})
    | \b(?P<month_i>{_MONTH})(?!\s\d)(?!\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# These are words of other kinds too: only with a capital inside a sentence, or behind one of these words, a month.
_ALSO_WORDS = {"may", "march", "mar", "jan", "dec", "sept", "sep", "oct", "nov", "jun", "jul", "aug", "apr", "feb"}
_BEFORE_MONTH = re.compile(
    r"\b(?:in|of|since|until|from|between|and|to|for|after|before|during|by|the|last)\s$", re.IGNORECASE
)

# Parts of a year, by their first and last months.
_PARTS = {"end": (10, 12), "late": (10, 12), "start": (1, 3), "beginning": (1, 3), "early": (1, 3)}
_PARTS |= {"mid": (5, 8), "middle": (5, 8), "first half": (1, 6), "second half": (7, 12)}

_BEFORE = re.compile(
    r"\b(?P<word>since|as of|starting (?:in|from|with)|after|later than|before|prior to|earlier than|until|till|up to"
    r"|through|between|from|in|on|at|of|for|during|dated)\s(?:(?:the|early|late|mid|end of|beginning of)\s){0,3}$",
    re.IGNORECASE,
)
_NO_DIGIT = re.compile(r"\D")
_JOINED = re.compile(r"^\s?(?P<word>and|to|until|till|through|-|–|—)\s?(?:(?:in|the|of)\s)*$", re.IGNORECASE)
_RELATIONS = {
    "since": "since",
    "as of": "since",
    "starting in": "since",
    "starting from": "since",
    "starting with": "since",
    "after": "after",
    "later than": "after",
    "before": "before",
    "prior to": "before",
    "earlier than": "before",
    "until": "until",
    "till": "until",
    "up to": "until",
    "through": "until",
}
_ONWARDS = re.compile(r"^\s(?:on|onwards?|and later|or later)\b", re.IGNORECASE)


def dates_in(text: str, *, today: dt.date) -> tuple[DateMention, ...]:
    """The dates that a text names, in order. today: what "last year" is counted from."""
    found = [_mention(match, text, today) for match in _DATE.finditer(text)]
    return _years_shared(text, [mention for mention in found if mention is not None])


def periods_in(text: str, *, today: dt.date) -> tuple[Period, ...]:
    """The stretches of time that a text names, in order."""
    mentions = dates_in(text, today=today)
    periods: list[Period] = []
    skip = False
    for number, mention in enumerate(mentions):
        if skip:
            skip = False
            continue
        following = mentions[number + 1] if number + 1 < len(mentions) else None
        period = _pair(text, mention, following) if following else None
        skip = period is not None
        periods.append(period or _single(text, mention))
    return tuple(periods)


def _mention(match: re.Match[str], text: str, today: dt.date) -> DateMention | None:
    group = {name: value for name, value in match.groupdict().items() if value}
    try:
        first, last, precision, month = _stretch(group, today)
    except ValueError:  # the 31st of a month that has 30 days
        return None
    if "month_i" in group and not _is_month(match, text):
        return None
    return DateMention(start=match.start(), end=match.end(), first=first, last=last, precision=precision, month=month)


def _stretch(group: dict[str, str], today: dt.date) -> tuple[dt.date | None, dt.date | None, Precision, int | None]:
    """First day, last day, precision and month of what matched. ValueError for a day that does not exist."""
    if "iso" in group:
        day = dt.date.fromisoformat(group["iso"])
        return day, day, Precision.DAY, day.month
    if "iso_month" in group:
        first, last = _month(*(int(part) for part in group["iso_month"].split("-")))
        return first, last, Precision.MONTH, first.month
    if "relative" in group:
        return *_relative(group["relative"].casefold(), group["unit"].casefold(), today), None
    names = {name.partition("_")[0]: value for name, value in group.items() if name != "day_b"}
    month = _MONTHS[names["month"].rstrip(".").casefold()] if "month" in names else None
    if "year" not in names:
        return None, None, Precision.MONTH, month
    year = int(names["year"])
    if month and "day" in names:
        first = dt.date(year, month, _number(names["day"]))
        last = dt.date(year, month, _number(group["day_b"])) if "day_b" in group else first
        return first, last, Precision.DAY, month
    if month:
        return *_month(year, month), Precision.MONTH, month
    if "quarter" in names:
        quarter = _ORDINALS.get(names["quarter"].casefold()) or int(names["quarter"])
        return *_quarter(year, quarter), Precision.QUARTER, None
    if "part" in names:
        first_month, last_month = _PARTS[one_line(names["part"]).casefold()]
        return _month(year, first_month)[0], _month(year, last_month)[1], Precision.QUARTER, None
    return dt.date(year, 1, 1), dt.date(year, 12, 31), Precision.YEAR, None


def _number(day: str) -> int:
    return int(_NO_DIGIT.sub("", day))


def _month(year: int, month: int) -> tuple[dt.date, dt.date]:
    return dt.date(year, month, 1), dt.date(year, month, calendar.monthrange(year, month)[1])


def _quarter(year: int, quarter: int) -> tuple[dt.date, dt.date]:
    return _month(year, quarter * 3 - 2)[0], _month(year, quarter * 3)[1]


def _relative(word: str, unit: str, today: dt.date) -> tuple[dt.date, dt.date, Precision]:
    back = 1 if word in {"last", "previous"} else 0
    if unit == "year":
        year = today.year - back
        return dt.date(year, 1, 1), dt.date(year, 12, 31), Precision.YEAR
    if unit == "month":
        months = today.year * 12 + today.month - 1 - back
        return *_month(months // 12, months % 12 + 1), Precision.MONTH
    quarters = today.year * 4 + (today.month - 1) // 3 - back
    return *_quarter(quarters // 4, quarters % 4 + 1), Precision.QUARTER


def _is_month(match: re.Match[str], text: str) -> bool:
    """Whether a month's name without a year is one: "may" and "march" are verbs too."""
    word = match.group().rstrip(".")
    if word.casefold() not in _ALSO_WORDS:
        return True
    return word[0].isupper() and bool(_BEFORE_MONTH.search(text[: match.start()]))


def _years_shared(text: str, mentions: list[DateMention]) -> tuple[DateMention, ...]:
    """The dates, a month before another that has a year being of that year: "in March and December 2024"."""
    for number in range(len(mentions) - 2, -1, -1):
        mention, following = mentions[number], mentions[number + 1]
        between = text[mention.end : following.start]
        if mention.first or not mention.month or not following.first or not _JOINED.match(between.replace(",", " and")):
            continue
        if following.precision not in {Precision.MONTH, Precision.DAY}:
            continue
        first, last = _month(following.first.year, mention.month)
        mentions[number] = DateMention(
            start=mention.start,
            end=mention.end,
            first=first,
            last=last,
            precision=Precision.MONTH,
            month=mention.month,
        )
    return tuple(mentions)


def _pair(text: str, one: DateMention, other: DateMention) -> Period | None:
    """The stretch from one date to another, where "between", "from" or a dash joins them."""
    before, joined = _BEFORE.search(text[: one.start]), _JOINED.match(text[one.end : other.start])
    if not joined or not one.first or not other.last or one.first > other.last:
        return None
    word = before["word"].casefold() if before else ""
    joint = joined["word"].casefold()
    if not (word == "between" or (word == "from" and joint != "and") or joint in {"-", "–", "—"}):
        return None
    start = before.start() if before else one.start
    return Period(
        start=start, end=other.end, relation="between", first=one.first, last=other.last, mentions=(one, other)
    )


def _single(text: str, mention: DateMention) -> Period:
    before = _BEFORE.search(text[: mention.start])
    word = before["word"].casefold() if before else ""
    onwards = _ONWARDS.match(text[mention.end :])
    relation = "since" if word == "from" and onwards else _RELATIONS.get(word, "in")
    first, last = mention.first, mention.last
    if first and last:
        first, last = {
            "since": (first, None),
            "after": (last + dt.timedelta(days=1), None),
            "before": (None, first - dt.timedelta(days=1)),
            "until": (None, last),
        }.get(relation, (first, last))
    return Period(
        start=before.start() if before else mention.start,
        end=mention.end + (onwards.end() if onwards and relation == "since" else 0),
        relation=relation,
        first=first,
        last=last,
        mentions=(mention,),
    )
