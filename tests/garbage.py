"""A pytest plugin: Python looks for garbage among what tests have made, and not among what was there before them.

Modules and thousands of collected tests are more than a million objects, which live as long as the process. Looking
through them again and again took ten seconds of each process.
"""

import gc

_OFTEN = 200_000  # objects made since the last look; Python's own 700 suit a small program


def pytest_collectstart() -> None:
    """While modules are imported and tests collected there is hardly any garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave out what is there now."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OFTEN)
    gc.enable()
