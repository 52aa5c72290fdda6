"""Read and write schedules in words: "every day at 02:00" is stored as cron writes it, "0 2 * * *"."""

import datetime as dt
import re

from croniter import croniter

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")  # as cron counts them
EXAMPLES = (
    "every hour",
    "every 6 hours",
    "every day at 02:00",
    "every weekday at 06:00",
    "every Monday at 03:00",
    "every month on day 1 at 03:00",
)
_CRON_PARTS = 5
_WEEKDAYS, _WEEKEND = "1-5", "0,6"
_EVERY = re.compile(r"(\d{1,2} )?(minute|hour)s?")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))?(am|pm)?")
_MONTHLY = re.compile(r"month on day (\d{1,2})")
_LAST_DAY = 28  # that every month has
_NOON = 12


class UnreadableScheduleError(ValueError):
    """Neither words that are known here, nor what cron writes."""


def read_schedule(words: str) -> str:
    """Return a schedule as cron writes it, from words or from cron itself. UnreadableScheduleError for others."""
    said = " ".join(words.casefold().replace(",", " and ").split()).removesuffix(".")
    if not said:
        return ""
    if len(words.split()) == _CRON_PARTS and croniter.is_valid(words.strip()):
        return " ".join(words.split())
    said = said.replace("daily", "every day").replace("hourly", "every hour").replace("every night", "every day")
    rhythm, at, times = said.removeprefix("every ").partition(" at ")
    if not at:
        return _read_period(rhythm)
    return f"{_read_times(times)} {_read_days(rhythm)}"


def write_schedule(cron: str) -> str:
    """Return a stored schedule in words; as it is stored where there are none for it."""
    return next((words for words in _list_words(cron) if _is_same(words, cron)), cron)


def _is_same(words: str, cron: str) -> bool:
    try:
        return read_schedule(words) == cron
    except UnreadableScheduleError:
        return False


def _list_words(cron: str) -> list[str]:
    """Return the words that may stand for a schedule; whether they do is seen when they are read."""
    parts = cron.split()
    if len(parts) != _CRON_PARTS:
        return []
    minute, hour, day, _, weekdays = parts
    count = (minute if hour == "*" else hour).removeprefix("*/")
    periods = ["every minute", "every hour", f"every {count} hours", f"every {count} minutes"]
    at = " and ".join(f"{one:0>2}:{minute:0>2}" for one in hour.split(","))
    names = [DAYS[int(one)] for one in weekdays.split(",") if one.isdecimal() and int(one) < len(DAYS)]
    days = ["day", "weekday", "weekend", " and ".join(names), f"month on day {day}"]
    return [*periods, *(f"every {one} at {at}" for one in days)]


def _read_period(rhythm: str) -> str:
    """Return the schedule of "6 hours": a period has to divide the hour or the day evenly, as cron counts."""
    found = _EVERY.fullmatch(rhythm)
    count = int(found[1] or 1) if found else 0
    if found is None or not count:
        raise UnreadableScheduleError
    if found[2] == "hour" and 24 % count == 0:
        return "0 * * * *" if count == 1 else "0 0 * * *" if count == 24 else f"0 */{count} * * *"
    if found[2] == "minute" and 60 % count == 0 and count < 60:
        return "* * * * *" if count == 1 else f"*/{count} * * * *"
    raise UnreadableScheduleError


def _read_times(times: str) -> str:
    """Return minute and hours of "02:00 and 14:00": several times have one minute, as cron counts."""
    clocks = sorted({_read_clock(one) for one in times.split(" and ") if one})
    if not clocks or len({one.minute for one in clocks}) > 1:
        raise UnreadableScheduleError
    return f"{clocks[0].minute} {','.join(str(one.hour) for one in clocks)}"


def _read_clock(words: str) -> dt.time:
    found = _CLOCK.fullmatch(words.replace(" ", ""))
    if found is None:
        named = {"noon": _NOON, "midnight": 0}
        if words.strip() in named:
            return dt.time(named[words.strip()])
        raise UnreadableScheduleError
    hour = int(found[1])
    if found[3]:
        if not 1 <= hour <= _NOON:
            raise UnreadableScheduleError
        hour = hour % _NOON + (_NOON if found[3] == "pm" else 0)
    try:
        return dt.time(hour, int(found[2] or 0))
    except ValueError:
        raise UnreadableScheduleError from None


def _read_days(rhythm: str) -> str:
    """Return the day, month and weekday of "Monday and Thursday"."""
    fixed = {"day": "*", "weekday": _WEEKDAYS, "weekend": _WEEKEND}
    if rhythm in fixed:
        return f"* * {fixed[rhythm]}"
    if found := _MONTHLY.fullmatch(rhythm):
        if not 1 <= int(found[1]) <= _LAST_DAY:
            raise UnreadableScheduleError
        return f"{int(found[1])} * *"
    known = {name.casefold(): number for number, name in enumerate(DAYS)}
    named = [known.get(one.removesuffix("s")) for one in rhythm.removeprefix("on ").split(" and ") if one]
    if not named or None in named:
        raise UnreadableScheduleError
    return f"* * {','.join(str(one) for one in sorted({one for one in named if one is not None}))}"
