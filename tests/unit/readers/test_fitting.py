"""Encoding, batches, and the fit: it learns, can be left and gone on with, and what it writes the product reads."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from core.asking.reading import CARD
from core.asking.reading.int8 import list_matrices
from core.asking.reading.weights import load
from core.errors import ReaderError
from readers.activations import measure_activations
from readers.batches import collate, draw_batches, encode, exchange
from readers.exporting import export
from readers.starting import load_start
from readers.training import Fit, FitError, Plan, Progress, choose_device, compute_losses
from tests.unit.readers.made import get_encoder, make_examples, make_row

PLAN = Plan(passes=6, rate=3e-3, batch_tokens=256, dropout=0.05, device="cpu")
UNKNOWN = 4  # the number of a word that the tiny tokenizer does not know, with the shift


def fit(folder: Path, checkpoint: Path, plan: Plan = PLAN) -> tuple[Fit, list[Progress]]:
    """A fit of the tiny reader to its examples, and what it reported."""
    start = load_start(str(folder))
    made = Fit(start.network, make_examples(folder), plan, start.marks.padding, checkpoint)
    reported: list[Progress] = []
    made.run(reported.append)
    return made, reported


def test_a_row_is_encoded_as_the_product_encodes_what_it_reads(folder: Path) -> None:
    """Heading, point, text; and the answer's tokens are those of its characters."""
    encoder = get_encoder(folder)
    row = make_row("the canteen opens at noon .", heading="canteen", span=(21, 25))
    [example], _ = encode([row], encoder)
    [expected] = encoder.encode(row.question, ["canteen. the canteen opens at noon ."])
    assert example.ids.tolist() == expected.ids
    first, last = example.span or (0, 0)
    assert first == last == expected.begins + 6
    assert example.ids[first] == encoder.encode("noon", [""])[0].ids[1]


@pytest.mark.parametrize("before", [0, 1, 20, 400])
def test_of_a_long_passage_the_part_with_the_answer_is_read(folder: Path, before: int) -> None:
    """It may be anywhere, and it is the same part each time."""
    text = "word " * before + "noon " + "word " * 300
    row = make_row(text, heading="canteen", span=(5 * before, 5 * before + 4))
    [example], left_out = encode([row], get_encoder(folder))
    first, last = example.span or (0, 0)
    assert (first == last, left_out.total()) == (True, 0)
    assert [number for number in example.ids[example.begins :] if number > UNKNOWN].count(example.ids[first]) == 1
    assert len(example.ids) <= 16 + 32 + 3
    assert encode([row], get_encoder(folder))[0][0].ids.tolist() == example.ids.tolist()


def test_what_a_reader_cannot_be_told_rightly_is_left_out(folder: Path) -> None:
    """An answer that is longer than it takes, and a long passage whose answer may have been cut off."""
    long = "word " * 200
    rows = [
        make_row(long, span=(0, 500)),
        make_row(long),
        make_row(long, answers=False),
        make_row("at noon"),
        make_row("word " * 31 + "noon   "),
    ]
    examples, left_out = encode(rows, get_encoder(folder))
    assert [example.place for example in examples] == [2, 3, 4]
    assert len(left_out) == left_out.total() == 2


def test_each_example_is_in_one_batch_of_a_pass(folder: Path) -> None:
    """None of them larger than the tokens allow, in another order for another seed."""
    examples = make_examples(folder, 60)
    orders = []
    for seed in (1, 2):
        batches = draw_batches(examples, 300, torch.Generator().manual_seed(seed))
        assert sorted(place for batch in batches for place in batch) == list(range(len(examples)))
        assert all(collate([examples[p] for p in batch], 1).ids.numel() <= 300 for batch in batches)
        orders.append(batches)
    assert orders[0] != orders[1]


def test_one_example_that_is_too_long_is_a_batch(folder: Path) -> None:
    """It is not lost."""
    assert sorted(draw_batches(make_examples(folder, 1), 1, None)) == [[0], [1], [2]]


def test_an_exchanged_passage_does_not_answer(folder: Path) -> None:
    """The question stays, the passage is the other's, and there is no span."""
    examples = make_examples(folder)
    one, other = examples[0], examples[5]
    made = exchange(one, other, 0.5)
    assert made.ids[: made.begins].tolist() == one.ids[: one.begins].tolist()
    assert made.ids[made.begins :].tolist() == other.ids[other.begins :].tolist()
    assert (made.answers, made.span, made.weight) == (False, None, 0.5)


def test_losses_are_of_the_head_and_the_passage(folder: Path) -> None:
    """No token of the question or of the padding takes part, and each example has the logit that it is for."""
    examples = make_examples(folder)[:3]
    batch = collate(examples, 1)
    begins, ends = torch.zeros(2, 3, batch.ids.shape[1])
    judged = torch.tensor([[9.0, -9.0], [-9.0, 9.0], [-9.0, 9.0]])
    whole, span = compute_losses(batch, (begins.masked_fill(~batch.is_passage, 99.0), ends, judged))
    assert whole.tolist() == pytest.approx([0, 0, 0], abs=1e-3)
    assert float(span[0]) == pytest.approx(math.log(int(batch.is_passage[0].sum())), abs=1e-4)


def test_the_loss_of_each_head_falls(folder: Path, tmp_path: Path) -> None:
    """By a half at least, within a few steps."""
    _, reported = fit(folder, tmp_path / "c.pt", replace(PLAN, passes=12))
    first, last = reported[0].losses, reported[-1].losses
    heads = ("answers", "supports", "span")
    recent = {head: getattr(last, head) for head in heads}
    assert {head for head in heads if recent[head] > 0.5 * getattr(first, head)} == set()
    assert reported[-1].step == reported[-1].steps == len(reported)
    assert not (tmp_path / "c.pt").exists()


def test_what_is_written_the_product_reads(folder: Path, tmp_path: Path) -> None:
    """With the same logits, but for what int8 and half precision take; in files with their hashes."""
    made, _ = fit(folder, tmp_path / "c.pt")
    start = load_start(str(folder))
    largest = measure_activations(made.network, make_examples(folder), start.marks.padding, lambda more: None)
    export(tmp_path, start, made.network.state_dict(), name="mine", activations=largest)
    loaded = load(tmp_path)
    batch = collate(make_examples(folder), start.marks.padding)
    with torch.inference_mode():
        outputs = [network(batch.ids, batch.is_text) for network in (made.network, loaded.network)]
    for ours, theirs in zip(*outputs, strict=True):
        assert (ours - theirs)[..., :10].abs().max() < 0.03
    assert loaded.name == "mine"
    assert {path.stat().st_mode & 0o444 for path in tmp_path.glob("weights-*")} == {0o444}, "another account may run it"
    assert json.loads((tmp_path / CARD).read_text())["passage_tokens"] == 32


def test_large_matrices_are_int8_with_a_scale_for_each_row(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several files where one would be too large, and no weight moves by more than half a step of its row."""
    monkeypatch.setattr("readers.exporting._LARGE", 1000)
    monkeypatch.setattr("readers.exporting._MOST_BYTES", 5000)
    start = load_start(str(folder))
    state = start.network.state_dict()
    export(tmp_path, start, state, name="mine", activations=load(folder).activations or {})
    files = sorted(tmp_path.glob("weights-*.safetensors"))
    kept = {name: value for file in files for name, value in load_file(file).items()}
    assert len(files) > 3
    assert {name for name in kept if name.endswith(".int8")} == {
        f"{name}.int8" for name, value in state.items() if value.dim() == 2 and value.numel() > 1000
    }
    for name, value in load(tmp_path).network.state_dict().items():
        step = kept[f"{name}.scale"] / 2 if f"{name}.scale" in kept else state[name].abs() / 1000 + 1e-6
        assert ((value - state[name]).abs() <= step * 1.001).all()


def test_a_fit_that_was_left_ends_as_one_that_was_not(folder: Path, tmp_path: Path) -> None:
    """With the same weights, dropout and exchanges included."""
    whole, _ = fit(folder, tmp_path / "whole.pt")
    start = load_start(str(folder))
    left = Fit(start.network, make_examples(folder), PLAN, 1, tmp_path / "left.pt")

    def leave(progress: Progress) -> None:
        if progress.step == progress.steps // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        left.run(leave)
    torch.manual_seed(99)
    gone_on, reported = fit(folder, tmp_path / "left.pt")
    assert reported[0].step == whole.steps // 2 + 1
    assert (reported[-1].step, reported[-1].examples) == (whole.steps, PLAN.passes * len(make_examples(folder)))
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, gone_on.network.state_dict()[name]), name


def test_a_checkpoint_of_something_else_is_refused(folder: Path, tmp_path: Path) -> None:
    """Of another rate, of other rows, or no checkpoint at all."""
    start = load_start(str(folder))
    Fit(start.network, make_examples(folder), PLAN, 1, tmp_path / "c.pt").save()
    with pytest.raises(FitError, match="other rows or other settings"):
        Fit(start.network, make_examples(folder), replace(PLAN, rate=1e-5), 1, tmp_path / "c.pt")
    with pytest.raises(FitError, match="other rows or other settings"):
        Fit(start.network, make_examples(folder)[1:], PLAN, 1, tmp_path / "c.pt")
    (tmp_path / "c.pt").write_bytes(b"PK\x03\x04 no checkpoint")
    with pytest.raises(FitError, match="cannot be read as a checkpoint"):
        Fit(start.network, make_examples(folder), PLAN, 1, tmp_path / "c.pt")


def test_only_the_last_layers_and_the_heads_can_be_fitted(folder: Path, tmp_path: Path) -> None:
    """Everything before them stays as it was, to the last bit."""
    before = load_start(str(folder)).network.state_dict()
    made, _ = fit(folder, tmp_path / "checkpoint.pt", replace(PLAN, layers=1))
    last = f"layers.{len(made.network.layers) - 1}."
    changed = {name for name, value in made.network.state_dict().items() if not torch.equal(value, before[name])}
    assert len(made.network.layers) > 1
    assert {name.split(".")[0] for name in changed if not name.startswith(last)} <= {"span", "pool", "judge"}
    assert f"{last}widen.weight" in changed
    assert "span.weight" in changed


def test_a_loss_that_is_no_number_ends_the_fit(folder: Path, tmp_path: Path) -> None:
    """And says what helps."""
    start = load_start(str(folder))
    torch.nn.init.constant_(start.network.pool.weight, math.nan)
    with pytest.raises(FitError, match="Take a lower rate"):
        Fit(start.network, make_examples(folder), PLAN, 1, tmp_path / "c.pt").run(lambda _: None)


def test_time_can_end_a_fit(folder: Path, tmp_path: Path) -> None:
    """Before its passes are over."""
    _, reported = fit(folder, tmp_path / "c.pt", replace(PLAN, passes=1e6, minutes=0.01))
    assert 0 < reported[-1].step < reported[-1].steps


def test_after_a_fit_nothing_is_dropped(folder: Path, tmp_path: Path) -> None:
    """The network is again one for inference, and the bias for distances is as it was."""
    before = load_start(str(folder)).network.distances.weight
    made, _ = fit(folder, tmp_path / "c.pt", replace(PLAN, dropout=0.9))
    batch = collate(make_examples(folder), 1)
    with torch.inference_mode():
        assert torch.equal(*(made.network.train()(batch.ids, batch.is_text)[2] for _ in range(2)))
    assert torch.equal(made.network.distances.weight, before)


def test_without_a_graphics_card_none_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where one is asked for, it is said."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto", "float32") == ("cpu", "float32")
    with pytest.raises(FitError, match="finds no graphics card"):
        choose_device("cuda", "auto")
    for device in ("gpu", "cuda:x", "meta"):
        with pytest.raises(FitError, match=f"no device {device}"):
            choose_device(device, "auto")


SIZES = {
    "vocab_size": 40,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 60,
}
KINDS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "bert": (lambda: BertModel(BertConfig(**SIZES), add_pooling_layer=False), ["[PAD]", "[CLS]", "[SEP]"]),
    "mpnet": (lambda: MPNetModel(MPNetConfig(**SIZES), add_pooling_layer=False), ["<pad>", "<s>", "</s>"]),
}


def write_encoder(path: Path, kind: str) -> Any:
    """Write an encoder of chance weights in the layout of Hugging Face."""
    torch.manual_seed(5)
    make, marks = KINDS[kind]
    model = make().eval()
    save_file({name: value.contiguous() for name, value in model.state_dict().items()}, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps(model.config.to_dict()))
    words = {word: number for number, word in enumerate([*marks, "[UNK]", "noon"])}
    Tokenizer(WordLevel(words, unk_token="[UNK]")).save(str(path / "tokenizer.json"))
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_computes_what_it_did(tmp_path: Path, kind: str) -> None:
    """For a single text, padding included; and its marks are those of its tokenizer."""
    theirs = write_encoder(tmp_path, kind)
    start = load_start(str(tmp_path))
    assert (start.marks.padding, start.marks.first, start.marks.separator, start.marks.shift) == (0, 1, 2, 0)
    assert not start.is_reader
    ids = torch.randint(5, 40, (2, 40))
    is_text = torch.ones(2, 40, dtype=torch.bool)
    ids[1, 30:], is_text[1, 30:] = 0, False
    seen: list[torch.Tensor] = []
    start.network.layers[-1].register_forward_hook(lambda module, given, out: seen.append(out))
    with torch.inference_mode():
        start.network.eval()(ids, is_text)
        # MPNet of transformers counts positions from after its padding token, of which ours is another.
        places = {"position_ids": torch.arange(2, 42)[None]} if kind == "mpnet" else {}
        expected = theirs(input_ids=ids, attention_mask=is_text.long(), **places).last_hidden_state
    assert torch.allclose(seen[0][is_text], expected[is_text], atol=2e-5)


def test_what_begins_with_an_encoder_is_a_reader_in_the_end(tmp_path: Path) -> None:
    """Within the encoder's positions."""
    (tmp_path / "encoder").mkdir()
    (tmp_path / "reader").mkdir()
    write_encoder(tmp_path / "encoder", "bert")
    start = load_start(str(tmp_path / "encoder"))
    largest = {name: torch.ones(matrix.in_features) for name, matrix in list_matrices(start.network).items()}
    export(tmp_path / "reader", start, start.network.state_dict(), name="mine", activations=largest)
    assert load_start(str(tmp_path / "reader")).is_reader
    [encoded] = load(tmp_path / "reader").encoder.encode("noon " * 99, ["noon " * 99])
    assert len(encoded.ids) <= 60


def change_config(path: Path, **changed: object) -> None:
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | changed))


def lose_weights(path: Path) -> None:
    kept = load_file(path / "model.safetensors")
    kept.pop("encoder.layer.1.output.dense.weight")
    save_file(kept, path / "model.safetensors")


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "another kind": (lambda path: change_config(path, model_type="roberta"), "of the kind roberta"),
    "other activations": (lambda path: change_config(path, hidden_act="relu"), "other activations"),
    "no size": (lambda path: change_config(path, hidden_size=None), "cannot be read as an encoder"),
    "another size": (lambda path: change_config(path, intermediate_size=48), "cannot be read as an encoder"),
    "a config that is no JSON": (lambda path: (path / "config.json").write_text("{"), "config.json cannot be read"),
    "no weights": (lambda path: (path / "model.safetensors").unlink(), "cannot be read as an encoder"),
    "weights that are cut off": (lambda path: (path / "model.safetensors").write_bytes(b"1"), "cannot be read"),
    "a weight less": (lose_weights, "layer.1.output.dense.weight' is missing"),
    "a tokenizer that is none": (lambda path: (path / "tokenizer.json").write_text("{}"), "is no tokenizer"),
    "neither reader nor encoder": (lambda path: (path / "config.json").unlink(), "holds no reader"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_encoder_that_cannot_be_begun_with_is_refused_in_words(tmp_path: Path, damage: str) -> None:
    """Saying what of it is amiss."""
    write_encoder(tmp_path, "bert")
    break_it, said = DAMAGES[damage]
    break_it(tmp_path)
    with pytest.raises(ReaderError, match=said):
        load_start(str(tmp_path))


def test_a_folder_that_is_missing_is_named() -> None:
    """It may be misspelt."""
    with pytest.raises(ReaderError, match="nowhere is no folder"):
        load_start("nowhere")
