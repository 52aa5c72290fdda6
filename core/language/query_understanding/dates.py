"""Read dates in a question: days and months, quarters, years, and the stretches that two dates or a word make."""

import calendar
import datetime as dt
import re

from core.language.nlp.answer_types import find_kind_asked
from core.language.nlp.dates import MONTH, MONTH_NUMBERS, YEAR, WrittenDate, blank_out, find_dates
from core.language.nlp.text import one_line
from core.language.query_understanding.values import DateMention, Period, Precision

_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

# No part of a longer number, an amount of money, or of figures such as 2024-13.
_YEAR = rf"(?<![\d.,$€£#]){YEAR}(?!-\d{{1,2}}\b)"


def _short_year(group: str) -> str:
    """Return a pattern of the two figures of "summer 25", "Q3 '25" and "in March 25"; no amount and no hour."""
    units = r"%|percent|per\scent|points?|basis|bps?|times|people|days?|weeks?|months?|years?|hours?|minutes?"
    return rf"['’]?(?P<short_{group}>\d\d)(?![\w%]|[.,:]\d|\s(?:working\s)?(?:{units}|euros?|dollars?|pounds?)\b)"


# What a question names beside days, and months with their years.
_STRETCH = re.compile(
    rf"""
      \bQ(?P<quarter_e>[1-4]),?\s(?:of\s)?(?P<year_e>{_YEAR})
    | (?P<year_f>{_YEAR})\sQ(?P<quarter_f>[1-4])\b
    | \b(?P<quarter_g>first|second|third|fourth|1st|2nd|3rd|4th)\squarter\s(?:of\s|in\s)?(?P<year_g>{_YEAR})
    | \b(?P<half>first|second)\shalf\sof\s(?P<half_of>last|this)\syear\b
    | \b(?P<relative>last|previous|this|current)\s(?P<unit>year|quarter|month)\b
    | \b(?P<part_p>end|late|start|beginning|early|mid|middle|first\shalf|second\shalf|H[12]|spring|summer|autumn|fall)
      (?:[\s-]|,\s)(?:(?:of|in)\s)?(?:the\syear\s)?(?P<year_p>{_YEAR})
    | \b(?P<part_s>spring|summer|autumn|fall|H[12])\s(?:of\s)?{_short_year("s")}
    | \bQ(?P<quarter_s>[1-4])\s?(?:of\s)?{_short_year("q")}
    | \b(?:in|of)\s(?P<month_m>{MONTH})\s{_short_year("m")}
    | \b(?P<month_t>{MONTH})\s?(?=['’]){_short_year("t")}
    | (?P<year_q>{_YEAR})\s(?P<part_q>H[12])\b
    | (?P<year_h>{_YEAR})
    | \b(?P<month>{MONTH})(?!\s\d)(?!\w)
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
_PARTS |= {"mid": (5, 8), "middle": (5, 8), "first half": (1, 6), "second half": (7, 12), "h1": (1, 6), "h2": (7, 12)}
_PARTS |= {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11)}  # a winter is of two years

_BEFORE = re.compile(
    r"\b(?P<word>since|as of|starting (?:in|from|with)|after|later than|before|prior to|earlier than|until|till|up to"
    r"|through|between|from|in|on|at|of|for|during|dated)\s(?:(?:the|early|late|mid|end of|beginning of)\s){0,3}$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\s?\b(?:in|during|over|for|of)\s(?:the\s)?\Z", re.IGNORECASE)
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


def find_date_mentions(text: str, *, today: dt.date) -> tuple[DateMention, ...]:
    """Return the dates that a text names, in order. today: what "last year" is counted from."""
    written = [date for date in find_dates(text) if date.year]
    rest = blank_out(text, written)
    found = [_read_day_or_month(date) for date in written]
    found += [_read_mention(match, rest, today) for match in _STRETCH.finditer(rest)]
    return _share_years(text, sorted((one for one in found if one), key=lambda mention: mention.start))


def name_years(text: str, *, today: dt.date) -> str:
    """Return a text with its whole years by their numbers: "2025" for "last year"."""
    for mention in reversed(find_date_mentions(text, today=today)):
        if mention.precision is Precision.YEAR and mention.first:
            text = f"{text[: mention.start]}{mention.first.year}{text[mention.end :]}"
    return text


def drop_period(question: str, heading: str) -> str:
    """Return a question without a part of a year that it names, if a passage's heading has a date within it.

    "What was decided in the second half of 2025?" asks the minutes of 11 November 2025 for what was decided. Whether
    the date is within the part of the year is certain, and a reader of the passage cannot know it. A question that
    names several times stays as it is, and so does one for a figure, a day or a name: it may be of another time than
    the date.
    """
    mentions = find_date_mentions(question, today=dt.date.max)
    if len(mentions) != 1 or mentions[0].precision is not Precision.QUARTER or find_kind_asked(question):
        return question
    [mention] = mentions
    days = [date.first for date in find_dates(heading) if date.day and date.first]
    first, last = mention.first or dt.date.max, mention.last or dt.date.min
    if not any(first <= day <= last for day in days):
        return question
    before = _WITHIN.sub("", question[: mention.start])
    return f"{before}{question[mention.end :]}"


def find_periods(text: str, *, today: dt.date) -> tuple[Period, ...]:
    """Return the stretches of time that a text names, in order."""
    mentions = find_date_mentions(text, today=today)
    periods: list[Period] = []
    skip = False
    for number, mention in enumerate(mentions):
        if skip:
            skip = False
            continue
        following = mentions[number + 1] if number + 1 < len(mentions) else None
        period = _join_to_period(text, mention, following) if following else None
        skip = period is not None
        periods.append(period or _make_period(text, mention))
    return tuple(periods)


def _read_day_or_month(date: WrittenDate) -> DateMention | None:
    """Read a date with its year; None for a day that does not exist."""
    if not date.first or not date.last:
        return None
    return DateMention(
        start=date.start,
        end=date.end,
        first=date.first,
        last=date.last,
        precision=Precision.DAY if date.day else Precision.MONTH,
        month=date.month,
    )


def _read_mention(match: re.Match[str], text: str, today: dt.date) -> DateMention | None:
    group = {name: value for name, value in match.groupdict().items() if value}
    if "month" in group:
        return _read_month_alone(match, text)
    for name in ("month_m", "month_t"):
        if name in group:
            return _read_month_of_short_year(match, name, today)
    first, last, precision = _read_stretch(group, today)
    return DateMention(start=match.start(), end=match.end(), first=first, last=last, precision=precision)


def _read_month_of_short_year(match: re.Match[str], name: str, today: dt.date) -> DateMention:
    """Read "in December 25" and "Dec '25"."""
    month = MONTH_NUMBERS[match[name].rstrip(".").casefold()]
    first, last = _span_month(_read_short_year(match[name.replace("month", "short")], today), month)
    return DateMention(
        start=match.start(name), end=match.end(), first=first, last=last, precision=Precision.MONTH, month=month
    )


def _read_short_year(figures: str, today: dt.date) -> int:
    """Read two figures as the year that is at most ten years ahead."""
    year = 2000 + int(figures)
    return year if year <= today.year + 10 else year - 100


def _read_month_alone(match: re.Match[str], text: str) -> DateMention | None:
    """Read a month without a year; None where "may" or "march" is a verb."""
    word = match.group().rstrip(".")
    if word.casefold() in _ALSO_WORDS and not (word[0].isupper() and _BEFORE_MONTH.search(text[: match.start()])):
        return None
    month = MONTH_NUMBERS[match["month"].rstrip(".").casefold()]
    return DateMention(
        start=match.start(), end=match.end(), first=None, last=None, precision=Precision.MONTH, month=month
    )


def _read_stretch(group: dict[str, str], today: dt.date) -> tuple[dt.date, dt.date, Precision]:
    """Read the first day, the last day and the precision of what matched."""
    if "half" in group:
        year = today.year - (group["half_of"].casefold() == "last")
        return *_span_part(year, f"{group['half']} half"), Precision.QUARTER
    if "relative" in group:
        return _span_relative(group["relative"].casefold(), group["unit"].casefold(), today)
    names = {name.partition("_")[0]: value for name, value in group.items()}
    year = int(names["year"]) if "year" in names else _read_short_year(names["short"], today)
    if "quarter" in names:
        quarter = _ORDINALS.get(names["quarter"].casefold()) or int(names["quarter"])
        return *_span_quarter(year, quarter), Precision.QUARTER
    if "part" in names:
        return *_span_part(year, one_line(names["part"])), Precision.QUARTER
    return dt.date(year, 1, 1), dt.date(year, 12, 31), Precision.YEAR


def _span_month(year: int, month: int) -> tuple[dt.date, dt.date]:
    return dt.date(year, month, 1), dt.date(year, month, calendar.monthrange(year, month)[1])


def _span_part(year: int, part: str) -> tuple[dt.date, dt.date]:
    first_month, last_month = _PARTS[part.casefold()]
    return _span_month(year, first_month)[0], _span_month(year, last_month)[1]


def _span_quarter(year: int, quarter: int) -> tuple[dt.date, dt.date]:
    return _span_month(year, quarter * 3 - 2)[0], _span_month(year, quarter * 3)[1]


def _span_relative(word: str, unit: str, today: dt.date) -> tuple[dt.date, dt.date, Precision]:
    back = 1 if word in {"last", "previous"} else 0
    if unit == "year":
        year = today.year - back
        return dt.date(year, 1, 1), dt.date(year, 12, 31), Precision.YEAR
    if unit == "month":
        months = today.year * 12 + today.month - 1 - back
        return *_span_month(months // 12, months % 12 + 1), Precision.MONTH
    quarters = today.year * 4 + (today.month - 1) // 3 - back
    return *_span_quarter(quarters // 4, quarters % 4 + 1), Precision.QUARTER


def _share_years(text: str, mentions: list[DateMention]) -> tuple[DateMention, ...]:
    """Return the dates, a month before another that has a year being of that year: "in March and December 2024"."""
    for number in range(len(mentions) - 2, -1, -1):
        mention, following = mentions[number], mentions[number + 1]
        between = text[mention.end : following.start]
        if mention.first or not mention.month or not following.first or not _JOINED.match(between.replace(",", " and")):
            continue
        if following.precision not in {Precision.MONTH, Precision.DAY}:
            continue
        first, last = _span_month(following.first.year, mention.month)
        mentions[number] = DateMention(
            start=mention.start,
            end=mention.end,
            first=first,
            last=last,
            precision=Precision.MONTH,
            month=mention.month,
        )
    return tuple(mentions)


def _join_to_period(text: str, one: DateMention, other: DateMention) -> Period | None:
    """Return the stretch from one date to another, where "between", "from" or a dash joins them."""
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


def _make_period(text: str, mention: DateMention) -> Period:
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
