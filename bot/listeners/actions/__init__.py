"""Handle buttons below an answer."""

from slack_bolt import Ack


def acknowledge(ack: Ack) -> None:
    """Tell Slack that an interaction arrived."""
    ack()
