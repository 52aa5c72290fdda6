"""Identify the answer that a pressed button belongs to."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Interaction:
    """The answer of a pressed button, and its place, where the presser is shown the result."""

    request_id: str
    channel_id: str
    thread_ts: str = ""
    response_url: str = ""  # of an answer that this person alone sees
