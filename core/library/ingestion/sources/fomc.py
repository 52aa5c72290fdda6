"""Derive details of the Federal Reserve's pages from their names."""

import datetime as dt
import re
from dataclasses import dataclass

from core.library.ingestion.naming import date_in_name

# As on federalreserve.gov: /newsevents/pressreleases/monetary20240131a.htm, /monetarypolicy/fomcminutes20240131.htm
_MINUTES = re.compile(r"(?:^|/)fomcminutes\d{8}\w*\.\w+$", re.IGNORECASE)
_STATEMENT = re.compile(r"(?:^|/)monetary\d{8}[a-z]\d?\.\w+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hints:
    """The details that a page's name gives; "" and None for nothing."""

    document_type: str
    document_date: dt.date | None


def hints(name: str) -> Hints:
    """Type and date of a page of the Federal Open Market Committee, from its address or file name."""
    if _MINUTES.search(name):
        return Hints("minutes", date_in_name(name))
    if _STATEMENT.search(name):
        return Hints("statement", date_in_name(name))
    return Hints("", None)
