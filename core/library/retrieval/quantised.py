"""Vectors of eight bits a number, and the search for candidates among them by comparing all. Pure.

With a scale per vector the error of a similarity stays under 0.002, so that somewhat more candidates than are wanted
hold the true ones (measured: docs/decisions/0066).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self
from uuid import UUID

import numpy as np

_LEVELS = 127  # of a signed byte
_FEW = 0.3  # share of the rows under which copying them together costs less than comparing all
_ID = np.dtype("V16")  # the bytes of a UUID
_HEX_DIGITS = 32  # of a UUID
_BLOCK = 2048  # rows that are copied together at a time, of 384 bytes: of 1024 to 4096 the fastest
# For all rows: a search alone takes .7 of the time, and many at once take as long as before (docs/decisions/0066). Of
# blocks each is too short for a second thread to help.
_THREADS = min(4, os.cpu_count() or 1)
_SAMPLED = 32  # one in so many values is sampled to find those that cannot be among the largest


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class QuantisedVectors:
    """Row i of each array is one chunk."""

    codes: np.ndarray  # int8, (chunks, dimension)
    scales: np.ndarray  # float32, (chunks,): a vector is about codes * scale
    ids: np.ndarray  # V16, (chunks,)
    documents: np.ndarray  # int32, (chunks,): the number of the chunk's document

    @classmethod
    def of(cls, vectors: np.ndarray, ids: Sequence[UUID], documents: Sequence[int]) -> Self:
        """Quantise vectors, float32 of shape (chunks, dimension)."""
        codes, scales = _quantise_vectors(vectors)
        return cls(
            codes=codes,
            scales=scales,
            ids=np.frombuffer(b"".join(pk.bytes for pk in ids), dtype=_ID),
            documents=np.asarray(documents, dtype=np.int32),
        )

    @classmethod
    def join_parts(cls, parts: Sequence[Self]) -> Self:
        """Return all rows of at least one part."""
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _list_names(cls)})

    def only(self, rows: np.ndarray) -> Self:
        """Some of the rows (bool, (chunks,))."""
        return type(self)(**{name: getattr(self, name)[rows] for name in _list_names(type(self))})

    def select(self, documents: bytes) -> "SelectedRows":
        """Select the rows of the documents given as bits of their numbers."""
        bits = np.unpackbits(np.frombuffer(documents, dtype=np.uint8), bitorder="little").astype(bool)
        most = int(self.documents.max(initial=-1))
        chosen = np.pad(bits, (0, max(0, most + 1 - len(bits))))
        return SelectedRows.of(chosen.take(self.documents))

    def __len__(self) -> int:
        return len(self.ids)

    def nearest(self, vector: np.ndarray, rows: "SelectedRows", limit: int) -> list[str]:
        """Return the rows with the largest inner product with a vector among some rows, in no order.

        Their ids in hexadecimal, as PostgreSQL takes them: making UUIDs of them would take longer than finding them.
        """
        limit = min(limit, rows.count)
        if not limit:
            return []
        chosen = rows.numbers
        code, _ = _quantise_vectors(vector[np.newaxis])
        if chosen is None:
            similarity = _compare_codes(code, self.codes, threads=_THREADS) * self.scales
        else:
            similarity = _compare_some(code, self.codes, chosen) * self.scales.take(chosen)
        if rows.mask is not None:
            similarity = np.where(rows.mask, similarity, -np.inf)
        best = _find_largest(similarity, limit)
        packed = self.ids[best if chosen is None else chosen[best]].tobytes().hex()
        return [packed[start : start + _HEX_DIGITS] for start in range(0, len(packed), _HEX_DIGITS)]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SelectedRows:
    """Some rows, in the form in which they are compared fastest: few are copied together first, of many all are."""

    count: int
    numbers: np.ndarray | None = None  # int, (count,), of few
    mask: np.ndarray | None = None  # bool, (chunks,), of many

    @classmethod
    def of(cls, mask: np.ndarray) -> Self:
        """Return the rows for which a mask (bool, (chunks,)) is true."""
        count = int(np.count_nonzero(mask))
        is_few = count < _FEW * len(mask)
        return cls(count=count, numbers=np.flatnonzero(mask)) if is_few else cls(count=count, mask=mask)


def _compare_codes(code: np.ndarray, codes: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """Return the inner products, float32 of shape (chunks,), of one code, int8 of shape (1, dimension), with others."""
    import simsimd

    return np.asarray(simsimd.cdist(code, codes, "dot", out_dtype="f32", threads=threads)).reshape(-1)


def _compare_some(code: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """As _compare, with some rows of the codes: copied together in blocks that stay in the processor's cache.

    By `take`, which copies whole rows in half the time that indexing needs, and into the same memory for each block: a
    copy of all of them at once would be of pages that are new each time.
    """
    products = np.empty(len(rows), dtype=np.float32)
    block = np.empty((min(_BLOCK, len(rows)), codes.shape[1]), dtype=np.int8)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        among = codes.take(part, axis=0, out=block[: len(part)], mode="clip")  # other modes copy twice
        products[start : start + len(part)] = _compare_codes(code, among)
    return products


def _find_largest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the largest values, in no order.

    A sample of many values gives a bound that about twice as many reach as are wanted, and only these are compared: a
    fifth of the time that it takes to part all.
    """
    in_sample = 2 * count // _SAMPLED + 8
    if in_sample * _SAMPLED < len(values) // 2:
        bound = np.partition(values[::_SAMPLED], -in_sample)[-in_sample]
        reaching = np.flatnonzero(values >= bound)
        if len(reaching) >= count:
            found: np.ndarray = reaching[_partition(values[reaching], count)]
            return found
    return _partition(values, count)


def _partition(values: np.ndarray, count: int) -> np.ndarray:
    return np.argpartition(values, len(values) - count)[len(values) - count :]


def _quantise_vectors(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scales = np.maximum(np.abs(vectors).max(axis=1), np.finfo(np.float32).tiny) / _LEVELS
    return np.round(vectors / scales[:, np.newaxis]).astype(np.int8), scales.astype(np.float32)


def _list_names(cls: type[QuantisedVectors]) -> list[str]:
    return [field.name for field in fields(cls)]
