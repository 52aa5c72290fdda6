"""Run a reader's network on processors.

In bfloat16 where the processor multiplies in it: on two cores of an EPYC 9R14 2.5 times as fast as float32, with logits
that differ by at most .05. Elsewhere on x86 in int8 (`core.asking.reading.int8`): on two cores with AVX2 1.4 times as
fast, with logits that differ by .12 in the mean and .6 at most. Else in float32.
"""

import itertools
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from core.asking.reading import CARD
from core.asking.reading.int8 import has_int8, to_int8
from core.asking.reading.weights import Encoded, Loaded, load

_TOKENS_AT_ONCE = 1000  # of passages between two looks at the clock
_FASTEST = 1e-5  # seconds a token, before any was read: less than any processor takes
_FORGETS = 0.8  # of the seconds a token that were measured, at each text that is not begun because of them

_turn = threading.Lock()  # of all readers of a process

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    """Holds what the network gives for one text."""

    place: int  # among the texts
    begins: np.ndarray  # logits, one for each token of the text
    ends: np.ndarray
    offsets: Sequence[tuple[int, int]]  # of the tokens, in characters
    answers: float  # logit
    supports: float  # logit


class Runtime:
    """Runs a reader that was loaded. Threads take turns: each has all cores, and none is read slower for it."""

    def __init__(self, folder: Path, card: str = CARD) -> None:
        """Load. ReaderError as of `load`."""
        self._loaded: Loaded = load(folder, card)
        if has_bfloat16():
            self._loaded.network.to(torch.bfloat16)
        elif self._loaded.activations is not None and has_int8():
            to_int8(self._loaded.network, self._loaded.activations)
        self._seconds_a_token = _FASTEST

    @property
    def name(self) -> str:
        """Return the reader's name, from its card."""
        return self._loaded.name

    def run(self, question: str, texts: Sequence[str], *, deadline: float) -> Iterator[Output]:
        """Yield what the network gives for each text, the first ones first, until the time is over.

        deadline: of time.monotonic(). What would take longer than that, as long as the last ones took, is not begun.
        """
        encoded = self._loaded.encoder.encode(question, texts)
        first = 0
        while first < len(encoded):
            if not _turn.acquire(timeout=max(deadline - time.monotonic(), 0)):
                break
            try:
                started = time.monotonic()
                in_time = int((deadline - started) / self._seconds_a_token)  # tokens
                rows = _fill_batch(encoded[first:], min(in_time, _TOKENS_AT_ONCE))
                tokens = sum(len(row.ids) for row in rows)
                if tokens > in_time:
                    # Else one slow moment, such as the first, would be held against all that comes.
                    self._seconds_a_token *= _FORGETS
                    break
                with torch.inference_mode():
                    found = self._loaded.network.read_packed([torch.tensor(row.ids) for row in rows])
                self._seconds_a_token = max((time.monotonic() - started) / tokens, _FASTEST)
            finally:
                _turn.release()
            for number, (row, (begins, ends, judged)) in enumerate(zip(rows, found, strict=True)):
                of_text = slice(row.begins, row.begins + len(row.offsets))
                yield Output(
                    place=first + number,
                    begins=begins[of_text].numpy(),
                    ends=ends[of_text].numpy(),
                    offsets=row.offsets,
                    answers=float(judged[0]),
                    supports=float(judged[1]),
                )
            first += len(rows)
        if first < len(encoded):
            logger.warning("reading_cut_off", extra={"read": first, "of": len(encoded)})


def _fill_batch(encoded: Sequence[Encoded], most: int) -> Sequence[Encoded]:
    """Return the first texts that have so many tokens together; at least one."""
    totals = itertools.accumulate(len(row.ids) for row in encoded)
    return encoded[: max(sum(total <= most for total in totals), 1)]


def has_bfloat16() -> bool:
    """Return True if the processor multiplies in bfloat16; elsewhere torch would be slower with it."""
    return torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # type: ignore[no-untyped-call]
