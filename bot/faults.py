"""List the places where a fault of ours arose, for the log; its own text may repeat a question."""

import traceback


def list_frames(error: BaseException) -> list[str]:
    """`file:line function`, outermost first."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
