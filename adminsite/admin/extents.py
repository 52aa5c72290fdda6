"""Describe in words how much of a document's file was read."""

from typing import Any

from core.library.ingestion import extent
from core.library.ingestion.extent import Extent, Loss

NOT_KNOWN = "not known"
_UNKNOWN = f"{NOT_KNOWN}: it was ingested before this was counted. Ingest it again to know."
# Of one, and of several, and why.
_LEFT_OUT = {
    Loss.SCANNED_PAGES: ("page that is a picture", "pages that are pictures", "text recognition is not installed"),
    Loss.GARBLED_PAGES: ("page", "pages", "their fonts do not say which letters they show"),
    Loss.HIDDEN_PAGES: ("slide or sheet", "slides or sheets", "hidden in the file"),
    Loss.PICTURES: ("picture", "pictures", "without words in the file that describe them"),
    Loss.CHARTS: ("chart", "charts", "without their figures in the file"),
    Loss.DIAGRAMS: ("diagram", "diagrams", "without their words in the file"),
    Loss.CUT_OFF: (
        "missing end",
        "missing ends",
        "the file was cut off before it was ingested; read as far as it goes",
    ),
    Loss.COMMENTS: ("comment", "comments", "resolved, or its collection does not read comments"),
}


def describe_found(raw: Any) -> str:
    """Say what a file holds. raw: the extent as it is stored, None where it is not known."""
    if raw is None:
        return _UNKNOWN
    return extent.describe_found(Extent.from_json(raw).found) or "–"


def describe_losses(raw: Any) -> str:
    """Say what was left out of a file and why. raw: as of `describe_found`."""
    if raw is None:
        return _UNKNOWN
    left_out = Extent.from_json(raw).left_out
    said = (
        f"{extent.describe_count(left_out[kind], one, several)} ({why})"
        for kind, (one, several, why) in _LEFT_OUT.items()
        if kind in left_out
    )
    return "; ".join(said) or "nothing that is known of"
