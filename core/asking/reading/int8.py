"""Multiply a reader's matrices as int8, on x86 processors that do not multiply in bfloat16.

The activations of MPNet have outliers: a few channels are twenty times as large as the others, and a few tokens. With
one scale for all, logits move by up to 8. So each token has a scale, and channels are divided by a factor that their
weights are multiplied with (SmoothQuant; Xiao et al., 2023, equation 4), for which their largest values are measured
once and kept beside the weights. Decision 0103.
"""

import warnings
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from core.asking.reading.network import Network

_ENGINES = ("x86", "fbgemm")  # of torch, that have these operations; others are slower than float32 or less exact
# How much of the difference between channels goes over to the weights. Of 180 questions with passages: .5 moves logits
# by .17 in the mean, .7 by .15.
_TO_WEIGHTS = 0.7
_LEAST = 1e-5  # for what was never seen above nought
_HIGHEST = 127  # of int8


def has_int8() -> bool:
    """Return True if torch has here what this module multiplies with."""
    has_operations = hasattr(torch, "quantize_per_channel") and hasattr(torch.ops.quantized, "linear_dynamic")
    return torch.backends.quantized.engine in _ENGINES and has_operations


def to_int8(network: Network, largest: Mapping[str, Tensor]) -> None:
    """Replace the matrices of a network's layers.

    largest: for each matrix, by its name, the largest absolute value of each of its inputs (`list_matrices`).
    """
    for name, matrix in list_matrices(network).items():
        parent, _, own = name.rpartition(".")
        setattr(network.get_submodule(parent), own, _Int8(matrix, largest[name].float()))


def list_matrices(network: Network) -> dict[str, nn.Linear]:
    """Return the matrices of a network's layers, by their names."""
    return {name: each for name, each in network.layers.named_modules(prefix="layers") if isinstance(each, nn.Linear)}


class _Int8(nn.Module):
    """Multiplies by a matrix as int8. What comes in and goes out is float32."""

    def __init__(self, matrix: nn.Linear, largest: Tensor) -> None:
        super().__init__()
        weight = matrix.weight.detach()
        of_weights = weight.abs().amax(0).clamp(min=_LEAST)
        factors = largest.clamp(min=_LEAST) ** _TO_WEIGHTS / of_weights ** (1 - _TO_WEIGHTS)
        self._shares = 1 / factors
        self._bias = matrix.bias.detach()
        self._packed = torch.ops.quantized.linear_prepack(_quantise(weight * factors), None)

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens * self._shares
        most = torch.maximum(tokens.amax(-1, keepdim=True), -tokens.amin(-1, keepdim=True)).clamp_(min=_LEAST)
        # In seven bits, because sums of two products of eight overflow without VNNI.
        found: Tensor = torch.ops.quantized.linear_dynamic(tokens.div_(most), self._packed, True)
        return found.mul_(most).add_(self._bias)


def _quantise(weight: Tensor) -> Tensor:
    """Return a matrix as int8, with a scale for each row."""
    scales = weight.abs().amax(1).clamp(min=_LEAST) / _HIGHEST
    zeros = torch.zeros(len(scales), dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch will drop it one day, and its version is pinned
        return torch.quantize_per_channel(weight, scales.double(), zeros, 0, torch.qint8)
