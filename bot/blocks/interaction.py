"""What somebody pressed."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Interaction:
    """Which answer a button belongs to, and where it stands: whoever pressed it is told there what became of it."""

    request_id: str
    channel_id: str
    thread_ts: str = ""
    response_url: str = ""  # of an answer that this person alone sees
