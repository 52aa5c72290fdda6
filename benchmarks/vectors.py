"""Vectors that were computed before, kept in a file, so that a measurement need not embed the same texts again."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

AT_ONCE = 256  # texts between two commits: what is killed goes on from there


class KeptVectors:
    """An embedding model whose vectors a file keeps. For one model only: another one wants another file."""

    def __init__(self, model: Any, path: Path) -> None:
        self._model = model
        self._kept = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB NOT NULL)")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see core.library.embedding.EmbeddingProvider."""
        new = [text for text in dict.fromkeys(texts) if self._vector(text) is None]
        for start in range(0, len(new), AT_ONCE):
            some = new[start : start + AT_ONCE]
            rows = [(_key(text), vector.tobytes()) for text, vector in zip(some, self._model.embed(some), strict=True)]
            with self._kept:
                self._kept.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        return np.stack([np.frombuffer(self._vector(text) or b"", dtype=np.float32) for text in texts])

    def _vector(self, text: str) -> bytes | None:
        found = self._kept.execute("SELECT vector FROM vectors WHERE text = ?", (_key(text),)).fetchone()
        return found[0] if found else None


@contextmanager
def kept_in(path: Path | None) -> Iterator[None]:
    """Embed within the block with the model of the settings, and keep its vectors in a file where one is named."""
    from django.conf import settings

    from core.library import embedding

    if path is None:
        yield
        return
    with embedding.use(KeptVectors(embedding.load_provider(settings.EMBEDDING_MODEL), path)):
        yield


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
