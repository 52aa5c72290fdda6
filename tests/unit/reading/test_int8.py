"""Compare matrices as int8 with float32: they give what those in float32 do, nearly."""

import pytest
import torch
from torch import Tensor, nn

from core.asking.reading.int8 import has_int8, list_matrices, to_int8
from core.asking.reading.network import Network, Shape
from core.asking.reading.reader import PACKAGED
from core.asking.reading.weights import load
from tests.unit.reading.conftest import SHAPE

pytestmark = pytest.mark.skipif(not has_int8(), reason="torch has no int8 of this kind on this processor")


@pytest.fixture
def pair() -> tuple[nn.Module, nn.Module, Tensor]:
    """Make a matrix in float32 and in int8, and tokens: one channel and one token forty times as large."""
    torch.manual_seed(5)
    plain, packed = Network(Shape(**SHAPE)), Network(Shape(**SHAPE))
    packed.load_state_dict(plain.state_dict())
    tokens = torch.randn(2, 30, 32)
    tokens[..., 3] *= 40
    tokens[0, 0] *= 40
    largest = {name: torch.full([matrix.in_features], 3.0) for name, matrix in list_matrices(plain).items()}
    largest["layers.0.widen"][3] *= 40
    to_int8(packed, largest)
    return plain.layers[0].get_submodule("widen"), packed.layers[0].get_submodule("widen"), tokens


def test_outliers_do_not_drown_the_others(pair: tuple[nn.Module, nn.Module, Tensor]) -> None:
    """Move what comes of a token by less than a fiftieth of it in the mean, and than a tenth at most."""
    plain, packed, tokens = pair
    with torch.inference_mode():
        expected, found = plain(tokens), packed(tokens)
    moved = (found - expected).abs().mean(-1) / expected.abs().mean(-1)
    assert 0 < moved.mean() < 0.02
    assert moved.max() < 0.1


def test_a_token_is_computed_the_same_beside_others(pair: tuple[nn.Module, nn.Module, Tensor]) -> None:
    """Give each token a scale of its own, so that it does not hang on the time how a passage is read."""
    _, packed, tokens = pair
    with torch.inference_mode():
        alone, beside = packed(tokens[1:]), packed(tokens)[1:]
    assert torch.allclose(alone, beside, atol=0.02)


def test_the_packaged_reader_judges_the_same() -> None:
    """Judge what answers, what nearly does and what does not as in float32: logits move by less than one."""
    texts = [
        "Leave. Full-time staff have 28 days of annual leave a year, and part-time staff a share of it.",
        "Leave. Up to five days may be carried over until the end of March. Ask your manager before December.",
        "Canteen. Lunch is served from noon to two. The kitchen closes at three.",
        "Leave policy. Annual leave is asked for in the portal, two weeks before it begins.",
    ]
    asked = "how many days of annual leave do I get?"
    plain, packed = load(PACKAGED), load(PACKAGED)
    assert packed.activations is not None
    to_int8(packed.network, packed.activations)
    given = [torch.tensor(each.ids) for each in plain.encoder.encode(asked, texts)]
    with torch.inference_mode():
        expected, found = (each.network.read_packed(given) for each in (plain, packed))
    for one, other in zip(expected, found, strict=True):
        assert (one[2] - other[2]).abs().max() < 1
    assert [each.argmax() for each in expected[0][:2]] == [each.argmax() for each in found[0][:2]]
    for outputs in (expected, found):
        assert max(outputs, key=lambda output: float(output[2][0])) is outputs[0]
