"""Schedules in words: what is written is stored as cron writes it, and shown in words again."""

import pytest

from adminsite.admin.sources.rhythm import EXAMPLES, UnreadableScheduleError, read_schedule, write_schedule


@pytest.mark.parametrize(
    ("words", "cron"),
    [
        ("", ""),
        ("every day at 04:15", "15 4 * * *"),
        ("Daily at 7 pm.", "0 19 * * *"),
        ("every night at 12 am", "0 0 * * *"),
        ("every weekend at noon", "0 12 * * 0,6"),
        ("Tuesdays at 6:30", "30 6 * * 2"),
        ("every Friday, Monday at 18:00", "0 18 * * 1,5"),
        ("every day at 14:00 and 2:00", "0 2,14 * * *"),
        ("every 20 minutes", "*/20 * * * *"),
        ("hourly", "0 * * * *"),
        ("every 8 hours", "0 */8 * * *"),
        ("every month on day 9 at 05:00", "0 5 9 * *"),
        (" 5  4 * * 3 ", "5 4 * * 3"),
    ],
)
def test_words_are_read(words: str, cron: str) -> None:
    """In the forms that people write, and as cron does."""
    assert read_schedule(words) == cron


@pytest.mark.parametrize(
    "words",
    [
        "sometimes",
        "every day",
        "every 5 hours",
        "every 45 minutes",
        "every 0 minutes",
        "every day at 24:00",
        "every day at 15 pm",
        "every day at 2:00 and 2:30",
        "every Caturday at 3",
        "every and at 3",
        "every month on day 30 at 3",
        "5 4 * *",
        "99 4 * * *",
    ],
)
def test_what_has_no_such_schedule_is_refused(words: str) -> None:
    """Nothing is guessed: cron could not keep it, or nobody knows what is meant."""
    with pytest.raises(UnreadableScheduleError):
        read_schedule(words)


@pytest.mark.parametrize("words", [*EXAMPLES, "every minute", "every Sunday and Saturday at 23:05", "every 30 minutes"])
def test_stored_schedules_are_written_as_they_are_read(words: str) -> None:
    """So that nothing changes where nothing was changed."""
    shown = write_schedule(read_schedule(words))
    assert read_schedule(shown) == read_schedule(words)
    assert "*" not in shown


@pytest.mark.parametrize("cron", ["*/7 2-4 * 1 *", "0 3 29 * *", "0 3 * * 7", "nonsense", "0 3 1 * 1"])
def test_a_schedule_without_words_is_shown_as_it_is(cron: str) -> None:
    """And is not changed by being shown."""
    assert write_schedule(cron) == cron
