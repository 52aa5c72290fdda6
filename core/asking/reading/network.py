"""Compute a reader's network: MPNet's encoder, or BERT's, with three heads.

MPNet is of Song et al., "MPNet: Masked and Permuted Pre-training for Language Understanding" (2020): BERT's layers,
with a bias on attention for the distance of two tokens, in buckets as of T5 (Raffel et al., 2020, section 2.1). Written
here for inference, because the one of transformers has no fused attention: see docs/decisions for what that takes.
BERT (Devlin et al., 2019) has no distances, which are nought then, and tells the passage's tokens from the question's.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

_BUCKETS, _FURTHEST = 32, 128  # of distances, as MPNet was trained
_FIRST_POSITION = 2  # as in RoBERTa, before which is the padding's
_MASKED = -1e4  # what is added to the attention that a token of the padding gets


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """Holds the sizes of a network."""

    width: int  # of a token's vector
    heads: int
    layers: int
    inner: int  # width within the feed-forward part
    words: int  # in the vocabulary
    positions: int
    norm_epsilon: float = 1e-5
    parted_at: int | None = None  # the token that parts question and passage, of encoders that tell the two apart


class _Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self._heads = shape.heads
        self.attention_in = nn.Linear(shape.width, 3 * shape.width)
        self.attention_out = nn.Linear(shape.width, shape.width)
        self.attention_norm = nn.LayerNorm(shape.width, shape.norm_epsilon)
        self.widen = nn.Linear(shape.width, shape.inner)
        self.narrow = nn.Linear(shape.inner, shape.width)
        self.norm = nn.LayerNorm(shape.width, shape.norm_epsilon)

    def forward(self, tokens: Tensor, bias: Tensor) -> Tensor:
        rows, length, width = tokens.shape
        parts = self.attention_in(tokens).view(rows, length, 3, self._heads, width // self._heads)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=bias.to(queries.dtype))
        return self._finish(tokens, seen.transpose(1, 2).reshape(rows, length, width))

    def forward_packed(self, tokens: Tensor, biases: Sequence[Tensor]) -> Tensor:
        """Return what forward does of texts one behind the other.

        tokens: all of them by width. biases: for each text, heads by its tokens by its tokens.
        """
        count, width = tokens.shape
        parts = self.attention_in(tokens).view(count, 3, self._heads, width // self._heads).permute(1, 2, 0, 3)
        lengths = [bias.shape[-1] for bias in biases]
        alone = []
        for text, bias in zip(parts.split_with_sizes(lengths, dim=2), biases, strict=True):
            queries, keys, values = text[:, None]
            alone.append(functional.scaled_dot_product_attention(queries, keys, values, bias[None].to(text.dtype))[0])
        seen = torch.cat(alone, dim=1)
        return self._finish(tokens, seen.transpose(0, 1).reshape(count, width))

    def _finish(self, tokens: Tensor, seen: Tensor) -> Tensor:
        tokens = self.attention_norm(tokens + self.attention_out(seen))
        within: Tensor = self.narrow(functional.gelu(self.widen(tokens)))
        normed: Tensor = self.norm(tokens + within)
        return normed


class Network(nn.Module):
    """Encodes text; gives for each token the logits that the answer begins and ends there, and two for the whole."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self._parted_at = shape.parted_at
        self.words = nn.Embedding(shape.words, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        if shape.parted_at is not None:
            self.parts = nn.Embedding(2, shape.width)
        self.first_norm = nn.LayerNorm(shape.width, shape.norm_epsilon)
        self.distances = nn.Embedding(_BUCKETS, shape.heads)
        self.layers = nn.ModuleList(_Layer(shape) for _ in range(shape.layers))
        self.span = nn.Linear(shape.width, 2)
        self.pool = nn.Linear(shape.width, shape.width)
        self.judge = nn.Linear(shape.width, 2)

    def forward(self, ids: Tensor, is_text: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of beginnings and of ends (rows by tokens), and those of "answers" and "supports" (rows by
        two), in float32.

        ids, is_text: rows by tokens; is_text is False for padding.
        """
        length = ids.shape[1]
        tokens = self._embed(ids)
        bias = torch.zeros(ids.shape[0], 1, 1, length, device=ids.device).masked_fill(
            ~is_text[:, None, None, :], _MASKED
        )
        bias = bias + self.distances(_bucket_distances(length, ids.device)).permute(2, 0, 1)[None]
        for layer in self.layers:
            tokens = layer(tokens, bias)
        return self._decide(tokens, tokens[:, 0])

    def read_packed(self, texts: Sequence[Tensor]) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Return for each text what forward does, without computing anything for padding: for inference.

        texts: the ids of each. On processors matrices take as long as they have rows, and padding is a fifth of those.
        """
        lengths = [len(ids) for ids in texts]
        tokens = torch.cat([self._embed(text) for text in texts])
        # Distances do not depend on where a text ends: those of the longest begin with those of all others.
        bias = self.distances(_bucket_distances(max(lengths), tokens.device)).permute(2, 0, 1)
        biases = [bias[:, :length, :length].contiguous() for length in lengths]
        for layer in cast("Iterable[_Layer]", self.layers):
            tokens = layer.forward_packed(tokens, biases)
        firsts = torch.tensor([0, *lengths[:-1]]).cumsum(0)
        begins, ends, judged = self._decide(tokens, tokens[firsts])
        return list(zip(begins.split_with_sizes(lengths), ends.split_with_sizes(lengths), judged, strict=True))

    def _embed(self, ids: Tensor) -> Tensor:
        """Return the vectors with which tokens go into the first layer. ids: of one text, or rows by tokens."""
        places = torch.arange(ids.shape[-1], device=ids.device)
        tokens = self.words(ids) + self.positions(places + _FIRST_POSITION)
        if self._parted_at is not None:
            parting = (ids == self._parted_at).long()
            tokens = tokens + self.parts((parting.cumsum(-1) - parting).clamp(max=1))  # 0: question, 1: passage
        normed: Tensor = self.first_norm(tokens)
        return normed

    def _decide(self, tokens: Tensor, firsts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of beginnings and ends of all tokens, and those of the texts with these first tokens."""
        spans = self.span(tokens).float()
        judged = self.judge(torch.tanh(self.pool(firsts))).float()
        return spans[..., 0], spans[..., 1], judged


def _bucket_distances(length: int, device: torch.device) -> Tensor:
    """Return the bucket of the distance between each two tokens: exact up to 8, then by its logarithm."""
    places = torch.arange(length, device=device)
    distance = places[:, None] - places[None, :]
    half = _BUCKETS // 2
    buckets = (distance < 0).long() * half
    distance, exact = distance.abs(), half // 2
    far = (
        exact + (torch.log(distance.float().clamp(min=1) / exact) / math.log(_FURTHEST / exact) * (half - exact)).long()
    )
    return buckets + torch.where(distance < exact, distance, far.clamp(max=half - 1))
