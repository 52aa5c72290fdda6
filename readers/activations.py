"""Measure the largest activations of a reader, with which its matrices are multiplied as int8."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from core.asking.reading.int8 import list_matrices
from core.asking.reading.network import Network
from readers.batches import Example, collate, draw_batches

MEASURED = 300  # rows; with the maxima of 100 others logits of other questions move about as little
_BATCH_TOKENS = 2000


def measure_activations(
    network: Network, examples: Sequence[Example], padding: int, done: Callable[[int], None]
) -> dict[str, Tensor]:
    """Return the largest absolute value of each input of each matrix, in half precision, by the matrix's name.

    done: is told how many more examples were read.
    """
    network = network.to("cpu").float().eval()
    largest = {name: torch.zeros(matrix.in_features) for name, matrix in list_matrices(network).items()}

    def watch(name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def look(_module: nn.Module, given: tuple[Tensor, ...]) -> None:
            largest[name] = torch.maximum(largest[name], given[0].abs().flatten(0, 1).amax(0))

        return look

    hooks = [matrix.register_forward_pre_hook(watch(name)) for name, matrix in list_matrices(network).items()]
    try:
        for places in draw_batches(examples, _BATCH_TOKENS, None):
            batch = collate([examples[place] for place in places], padding)
            with torch.inference_mode():
                network(batch.ids, batch.is_text)
            done(len(places))
    finally:
        for hook in hooks:
            hook.remove()
    return {name: value.half() for name, value in largest.items()}
