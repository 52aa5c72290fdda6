"""The network computes what transformers' MPNet and BERT do."""

from typing import Any

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from core.asking.reading.network import Network, Shape
from tests.unit.reading.conftest import SHAPE


def list_sizes(shape: Shape) -> dict[str, Any]:
    """Name the sizes as transformers' configurations do."""
    return {
        "vocab_size": shape.words,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "max_position_embeddings": shape.positions,
        "layer_norm_eps": shape.norm_epsilon,
    }


def copy_weights(
    ours: Network, theirs: nn.Module, state: dict[str, torch.Tensor], *, parts: list[str], out: str, norm: str
) -> None:
    """Give an encoder of transformers the weights of ours, and assert that it has all of them.

    state: those outside of its layers. parts: its names of a layer's queries, keys and values. out, norm: of the
    attention's.
    """
    names = {
        "attention_out": out,
        "attention_norm": norm,
        "widen": "intermediate.dense",
        "narrow": "output.dense",
        "norm": "output.LayerNorm",
    }
    for number, layer in enumerate(ours.layers):
        at = f"encoder.layer.{number}."
        for kind in ("weight", "bias"):
            values = getattr(layer.attention_in, kind).chunk(3)
            state |= {f"{at}{part}.{kind}": value for part, value in zip(parts, values, strict=True)}
            state |= {f"{at}{theirs_}.{kind}": getattr(getattr(layer, ours_), kind) for ours_, theirs_ in names.items()}
    missing = theirs.load_state_dict(state, strict=False)
    assert [name for name in missing.missing_keys if "position_ids" not in name] == []


def test_the_encoder_is_mpnets() -> None:
    """With the same weights both give the same vectors, padding and long distances included."""
    torch.manual_seed(3)
    shape = Shape(**{**SHAPE, "positions": 300})
    ours = Network(shape).eval()
    theirs = MPNetModel(MPNetConfig(**list_sizes(shape)), add_pooling_layer=False).eval()
    state = {
        "embeddings.word_embeddings.weight": ours.words.weight,
        "embeddings.position_embeddings.weight": ours.positions.weight,
        "embeddings.LayerNorm.weight": ours.first_norm.weight,
        "embeddings.LayerNorm.bias": ours.first_norm.bias,
        "encoder.relative_attention_bias.weight": ours.distances.weight,
    }
    parts = [f"attention.attn.{part}" for part in "qkv"]
    copy_weights(ours, theirs, state, parts=parts, out="attention.attn.o", norm="attention.LayerNorm")
    ids = torch.randint(3, shape.words, (2, 200))
    is_text = torch.ones(2, 200, dtype=torch.bool)
    ids[1, 150:], is_text[1, 150:] = 1, False
    seen: list[torch.Tensor] = []
    ours.layers[-1].register_forward_hook(lambda module, given, out: seen.append(out))
    with torch.inference_mode():
        begins, ends, judged = ours(ids, is_text)
        expected = theirs(input_ids=ids, attention_mask=is_text.long()).last_hidden_state
    assert (begins.shape, ends.shape, judged.shape) == ((2, 200), (2, 200), (2, 2))
    assert torch.allclose(seen[0][is_text], expected[is_text], atol=2e-5)


def test_the_encoder_that_tells_question_and_passage_apart_is_berts() -> None:
    """With the same weights both give the same vectors; BERT counts places from 0, and knows no distances."""
    torch.manual_seed(3)
    separator = 2
    shape = Shape(**{**SHAPE, "positions": 302}, parted_at=separator)
    ours = Network(shape).eval()
    torch.nn.init.zeros_(ours.distances.weight)
    sizes = list_sizes(shape) | {"max_position_embeddings": shape.positions - 2}
    theirs = BertModel(BertConfig(**sizes), add_pooling_layer=False).eval()
    state = {
        "embeddings.word_embeddings.weight": ours.words.weight,
        "embeddings.position_embeddings.weight": ours.positions.weight[2:],
        "embeddings.token_type_embeddings.weight": ours.parts.weight,
        "embeddings.LayerNorm.weight": ours.first_norm.weight,
        "embeddings.LayerNorm.bias": ours.first_norm.bias,
    }
    parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
    copy_weights(ours, theirs, state, parts=parts, out="attention.output.dense", norm="attention.output.LayerNorm")
    ids = torch.randint(3, shape.words, (1, 200))
    ids[0, 12] = ids[0, 199] = separator
    kinds = torch.zeros(1, 200, dtype=torch.long)
    kinds[0, 13:] = 1
    seen: list[torch.Tensor] = []
    ours.layers[-1].register_forward_hook(lambda module, given, out: seen.append(out))
    with torch.inference_mode():
        ours(ids, torch.ones(1, 200, dtype=torch.bool))
        expected = theirs(input_ids=ids, token_type_ids=kinds).last_hidden_state
    assert torch.allclose(seen[0], expected, atol=2e-5)


@pytest.mark.parametrize("parted_at", [None, 5])
def test_packed_texts_are_read_as_padded_ones(parted_at: int | None) -> None:
    """Texts one behind the other take no part in each other's attention, and each counts its places from its start."""
    torch.manual_seed(3)
    network = Network(Shape(**{**SHAPE, "positions": 300}, parted_at=parted_at)).eval()
    lengths = (150, 1, 200, 40)
    texts = [torch.randint(3, SHAPE["words"], (length,)) for length in lengths]
    ids = torch.ones(len(texts), max(lengths), dtype=torch.long)
    is_text = torch.zeros_like(ids, dtype=torch.bool)
    for row, text in enumerate(texts):
        ids[row, : len(text)], is_text[row, : len(text)] = text, True
    with torch.inference_mode():
        begins, ends, judged = network(ids, is_text)
        packed = network.read_packed(texts)
    assert len(packed) == len(texts)
    for row, (own_begins, own_ends, own_judged) in enumerate(packed):
        assert torch.allclose(own_begins, begins[row, : lengths[row]], atol=2e-5)
        assert torch.allclose(own_ends, ends[row, : lengths[row]], atol=2e-5)
        assert torch.allclose(own_judged, judged[row], atol=2e-5)
