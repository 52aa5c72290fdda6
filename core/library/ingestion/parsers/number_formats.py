"""A cell's number or date as its sheet shows it: 0.25 as 25%, 1200 as 1,200.00 €, a day as 2025-03-01. Pure."""

import datetime as dt
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import lru_cache

_LARGEST = 10**15  # sheets keep fifteen digits; what is larger, or has an exponent, is written as it is
_MOST_DECIMALS = 15
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]{0,20})[^\]]{0,20}\]|\[[^\]]{0,40}\]|[_*].')
_SECTIONS = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])+|(?<=;)(?=;)')
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?,*")
_MARK = "\x00"  # the place of the number in the text around it
_NOT_SHOWN = re.compile(r"[^\W\d_]|[/:]")  # letters that are no literals: an exponent, a fraction, a word as "Standard"


def show_number(value: float, number_format: str) -> str:
    """Return a number in the format of its cell. A format that is not understood shows it plainly."""
    shape = _read_section(_choose_section(number_format, value))
    if shape is None or abs(value) >= _LARGEST:
        if float(value).is_integer() and abs(value) < _LARGEST:
            return str(int(value))
        return f"{value:.10g}"
    number = abs(Decimal(repr(value)))
    written = _write_digits(number * 100 if shape.is_percent else number, shape.digits)
    sign = "-" if value < 0 and any(digit in "123456789" for digit in written) else ""
    return " ".join(f"{sign}{shape.around}".replace(_MARK, written).split())


@dataclass(frozen=True, slots=True)
class _Shape:
    """Holds what the section of a format says, which is read once for all cells in it."""

    digits: str  # such as "#,##0.00"
    around: str  # the text around the number, with _MARK in its place
    is_percent: bool


@lru_cache(maxsize=256)
def _read_section(section: str) -> _Shape | None:
    """Read the section of a format; None for one that is not understood."""
    literals: list[str] = []

    def keep(found: re.Match[str]) -> str:
        literals.append(found[1] or found[2] or found[3] or "")
        return "\x01"

    bare = _LITERAL.sub(keep, section)
    digits = _DIGITS.findall(bare)
    if len(digits) != 1 or _NOT_SHOWN.search(bare):
        return None
    around = iter(literals)
    shown = "".join(next(around) if each == "\x01" else each for each in bare.replace(digits[0], _MARK, 1))
    shown = shown.replace("(", "").replace(")", "").replace("-", "").replace("+", "")
    return _Shape(digits[0], shown, "%" in bare)


def show_date(value: dt.datetime | dt.date | dt.time | dt.timedelta, number_format: str) -> str:
    """Return a date or a time in ISO's form, with as much of it as the format shows."""
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    if isinstance(value, dt.time):
        return value.isoformat("seconds" if value.second else "minutes")
    bare = _LITERAL.sub("", number_format).casefold()
    if "y" in bare and not set("dhs") & set(bare):
        return f"{value:%Y-%m}" if "m" in bare else str(value.year)
    if not isinstance(value, dt.datetime):
        return value.isoformat()
    if not value.time() or ("h" not in bare and "d" in bare):
        return value.date().isoformat()
    return value.replace(tzinfo=None).isoformat(" ", "seconds" if value.second else "minutes")


def _choose_section(number_format: str, value: float) -> str:
    """The part of a format that is for this value; a format has up to four, for what is positive, negative, zero."""
    parts = _split_sections(number_format)
    if value < 0 and len(parts) > 1:
        return parts[1]
    return parts[2] if value == 0 and len(parts) > 2 else parts[0]


@lru_cache(maxsize=256)
def _split_sections(number_format: str) -> tuple[str, ...]:
    return tuple(_SECTIONS.findall(number_format)) or ("",)


def _write_digits(number: Decimal, digits: str) -> str:
    """Return a number that is not negative, in digits such as "#,##0.00"."""
    whole, _, decimals = digits.partition(".")
    scale = len(digits) - len(digits.rstrip(","))
    places = min(len(decimals.rstrip(",")), _MOST_DECIMALS)
    with localcontext() as context:
        context.prec = 50
        scaled = number / (Decimal(1000) ** scale)
        rounded = scaled.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    before, _, after = f"{rounded:f}".partition(".")
    before = before.zfill(whole.count("0"))
    if "," in whole.rstrip(","):
        before = f"{int(before):,}"
    least = decimals.count("0")
    while len(after) > least and after.endswith("0"):
        after = after[:-1]
    return f"{before}.{after}" if after else before
