"""Loading cross-encoders that settings name: models that read two texts together."""

import logging
import threading
from collections.abc import Callable
from typing import Any


class CrossEncoders:
    """The models that one setting has named, each loaded at its first use and kept."""

    def __init__(self, *, check: Callable[[Any], object], unavailable: Callable[[Exception], None]) -> None:
        """check: raises ValueError for a model of another kind. unavailable: says why a model is not there, once."""
        self._check, self._unavailable = check, unavailable
        self._models: dict[str, Any] = {}  # by name; None where loading failed
        self._loading = threading.Lock()

    def load_model(self, name: str) -> Any:
        """Return the model of a folder or a hub name; None when it cannot be loaded."""
        with self._loading:
            if name not in self._models:
                self._models[name] = self._load_model(name)
            return self._models[name]

    def _load_model(self, name: str) -> Any:
        try:
            from safetensors import SafetensorError
            from sentence_transformers import CrossEncoder
            from transformers.utils import logging as transformers_logging
        except ImportError as error:
            return self._unavailable(error)
        transformers_logging.disable_progress_bar()
        try:
            model = CrossEncoder(name, device="cpu")
            self._check(model)
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            return self._unavailable(error)
        return model


def log_unavailable(logger: logging.Logger, event: str, *, setting: str, hint: str) -> Callable[[Exception], None]:
    """Build a function that logs that a setting's model is unavailable: the kind of error alone, and a hint."""

    def unavailable(error: Exception) -> None:
        logger.error(event, extra={"setting": setting, "error": type(error).__name__, "hint": hint})

    return unavailable
