"""The reasons that people tick beside a vote, in words."""

from core.types import FeedbackReason

REASONS = {
    FeedbackReason.WRONG.value: "wrong",
    FeedbackReason.NOT_FOUND.value: "not found, though it exists",
    FeedbackReason.BAD_SOURCE.value: "bad source",
    FeedbackReason.TOO_SLOW.value: "too slow",
    FeedbackReason.OTHER.value: "something else",
}
