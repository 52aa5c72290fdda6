"""Keep the engine up to date, once a minute in the worker."""

import logging

from core.errors import EngineError
from core.library.vector_engine.building import rebuild, resume
from core.library.vector_engine.collections import drop_left_over, give_up, is_of_today, served
from core.library.vector_engine.feeding import drain, forget_if_too_many
from core.library.vector_engine.qdrant import engine
from core.models import EngineCollection

logger = logging.getLogger(__name__)


def keep_up() -> None:
    """Send changes to the engine; build it anew where the library has another embedding model by now.

    Without an engine in the settings, existing collections are forgotten. An engine that is away gets the changes
    later, and is given up when too many are pending.
    """
    if not EngineCollection.objects.exists():
        return
    asked = engine()
    if asked is None:
        give_up("no engine is configured")
        return
    try:
        drain(asked)
        resume(asked)
        collection = served()
        if collection is not None and not is_of_today(collection):
            rebuild(asked)
        drop_left_over(asked)
    except EngineError as error:
        logger.warning("engine_not_fed", extra={"reason": error.reason})
        forget_if_too_many()
