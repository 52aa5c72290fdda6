"""What people click below an answer."""

from slack_bolt import Ack


def acknowledge(ack: Ack) -> None:
    """Tell Slack that a click arrived."""
    ack()
