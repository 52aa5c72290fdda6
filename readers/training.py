"""Fit a network to examples: the loop, its losses, and checkpoints from which it goes on.

The distances' bias stays as it is: where it needs a gradient, torch takes plain attention for fused. Dropout is put in
by hooks, so that the product's network stays one for inference.
"""

import hashlib
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.asking.reading.network import Network
from core.asking.reading.runtime import has_bfloat16
from core.errors import FootnoteError
from readers.batches import Batch, Example, collate, draw_batches, exchange

BFLOAT16, FLOAT32 = "bfloat16", "float32"
_OUTSIDE = -1e4  # logit of a token at which no answer can stand
_EXCHANGED_WEIGHT = 0.5  # of a passage that is taken, and not known, to be about something else
_BETAS, _STEEPEST = (0.9, 0.98), 1.0  # of AdamW; and the greatest norm of the gradients
_SMOOTHED_OVER = 50  # steps of the losses that are reported
_FORM = 1  # of checkpoints


class FitError(FootnoteError):
    """A fit cannot go on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Holds how a network is fitted."""

    passes: float = 2.7  # over all examples
    minutes: float = 0.0  # the fit ends after them, if that is before the passes; 0: no limit
    rate: float = 6e-5  # of learning, at its highest
    warm_up: float = 0.03  # share of the steps over which the rate rises
    batch_tokens: int = 49_152  # padding included
    dropout: float = 0.1
    exchanged: float = 0.06  # share of the questions that get another one's passage
    decay: float = 0.01  # of matrices
    layers: int = 0  # the last ones, which are fitted with the heads; 0: the whole network
    seed: int = 1
    device: str = "cpu"
    precision: str = FLOAT32
    checkpoint_minutes: float = 5.0

    @property
    def essence(self) -> tuple[float, ...]:
        """Return what must be the same where a fit goes on."""
        return (
            self.passes,
            self.rate,
            self.warm_up,
            self.batch_tokens,
            self.dropout,
            self.exchanged,
            self.decay,
            self.layers,
            self.seed,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Losses:
    """Holds the mean losses of each head over the last steps; those of a head without examples are NaN."""

    answers: float
    supports: float
    span: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Holds how far a fit is."""

    step: int
    steps: int  # of all passes
    examples: int  # seen
    seconds: float  # of this and earlier runs
    losses: Losses


class Fit:
    """A fit of a network, which can be left and gone on with."""

    def __init__(
        self, network: Network, examples: Sequence[Example], plan: Plan, padding: int, checkpoint: Path
    ) -> None:
        """Prepare. checkpoint: the file from which the fit goes on where it is there; else it is made in time."""
        self._examples, self._plan, self._padding, self._checkpoint = examples, plan, padding, checkpoint
        self._device = torch.device(plan.device)
        torch.manual_seed(plan.seed)
        self.network = network.to(self._device)
        self.network.distances.weight.requires_grad_(False)
        if plan.layers:
            _freeze_below(self.network, plan.layers)
        self._optimizer = _make_optimizer(self.network, plan)
        self._per_pass = len(self._draw(0))
        self._steps = max(1, math.ceil(plan.passes * self._per_pass))
        self._step = self._seen = 0
        self._seconds = 0.0
        self._recent: list[tuple[float, float, float]] = []
        if checkpoint.exists():
            self._load()

    @property
    def steps(self) -> int:
        """The steps of all passes."""
        return self._steps

    def run(self, report: Callable[[Progress], None]) -> Progress:
        """Fit to the end. FitError where the loss is no number. KeyboardInterrupt leaves a checkpoint behind."""
        hooks = _add_dropout(self.network, self._plan.dropout)
        self.network.train()
        begun = kept = time.monotonic()
        before = self._seconds
        try:
            for places in self._iterate():
                if self._find_share_done() >= 1:
                    break
                self._take_step(self._collate(places))
                self._seconds = before + time.monotonic() - begun
                report(self._make_progress())
                if time.monotonic() - kept > self._plan.checkpoint_minutes * 60:
                    self.save()
                    kept = time.monotonic()
        except KeyboardInterrupt:
            self.save()
            raise
        finally:
            for hook in hooks:
                hook.remove()
            self.network.eval()
        return self._make_progress()

    def save(self) -> None:
        """Keep where the fit is. A file that was kept before stays until the new one is whole."""
        state = {
            "form": _FORM,
            "of": self._fingerprint(),
            "step": self._step,
            "seen": self._seen,
            "seconds": self._seconds,
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "chance": torch.get_rng_state(),
            "chance_of_device": torch.cuda.get_rng_state() if self._device.type == "cuda" else None,
        }
        whole = self._checkpoint.with_suffix(".part")
        torch.save(state, whole)
        whole.replace(self._checkpoint)

    def _load(self) -> None:
        try:
            state: dict[str, Any] = torch.load(self._checkpoint, map_location="cpu", weights_only=True)
            if state["form"] != _FORM or state["of"] != self._fingerprint():
                raise FitError(
                    f"{self._checkpoint} is of other rows or other settings. Give those with which the fit was begun."
                )
            self.network.load_state_dict(state["network"])
            self._optimizer.load_state_dict(state["optimizer"])
        except FitError:
            raise
        except Exception as error:  # noqa: BLE001 - torch raises whatever the file's bytes lead to
            raise FitError(f"{self._checkpoint} cannot be read as a checkpoint ({type(error).__name__}).") from None
        self._step, self._seen, self._seconds = state["step"], state["seen"], state["seconds"]
        torch.set_rng_state(state["chance"])
        if self._device.type == "cuda" and state["chance_of_device"] is not None:
            torch.cuda.set_rng_state(state["chance_of_device"])

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(repr(self._plan.essence).encode())
        for example in self._examples:
            digest.update(example.ids.tobytes())
            digest.update(repr((example.span, example.answers, example.head, example.weight, example.taught)).encode())
        return digest.hexdigest()

    def _draw(self, number: int) -> list[list[int]]:
        """Return the batches of a pass, which are the same whenever it is begun."""
        generator = torch.Generator().manual_seed(self._plan.seed * 1000 + number)
        return draw_batches(self._examples, self._plan.batch_tokens, generator)

    def _iterate(self) -> Iterator[list[int]]:
        """Yield the batches that are left."""
        number, skipped, left = 0, self._step, self._steps - self._step
        while left > 0:
            batches = self._draw(number)
            yield from batches[skipped : skipped + left]
            left -= len(batches[skipped : skipped + left])
            skipped, number = max(0, skipped - len(batches)), number + 1

    def _find_share_done(self) -> float:
        by_time = self._seconds / (self._plan.minutes * 60) if self._plan.minutes else 0.0
        return max(self._step / self._steps, by_time)

    def _collate(self, places: Sequence[int]) -> Batch:
        """Put examples together, some of them with another one's passage."""
        examples = [self._examples[place] for place in places]
        others = torch.randperm(len(examples)).tolist()
        chosen = (torch.rand(len(examples)) < self._plan.exchanged).tolist()
        for number, other in enumerate(others):
            one, from_other = self._examples[places[number]], self._examples[places[other]]
            if chosen[number] and one.document != from_other.document:
                examples[number] = exchange(one, from_other, _EXCHANGED_WEIGHT)
        return collate(examples, self._padding)

    def _take_step(self, batch: Batch) -> None:
        rising = max(1, round(self._plan.warm_up * self._steps))
        rate = self._plan.rate * min(1.0, (self._step + 1) / rising) * (1 - self._find_share_done())
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        batch = batch.move(self._device)
        with autocast(self._plan.device, self._plan.precision):
            outputs = self.network(batch.ids, batch.is_text)
        judged, span = compute_losses(batch, outputs)
        loss = (judged * batch.weight).mean() + (span * batch.weight * batch.has_span).mean()
        if not torch.isfinite(loss):
            raise FitError("The loss is no number any more. Take a lower rate of learning.")
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), _STEEPEST)
        self._optimizer.step()
        self._step += 1
        self._seen += len(batch.ids)
        parts = (judged[batch.head == 0], judged[batch.head == 1], span[batch.has_span])
        self._recent = [*self._recent[1 - _SMOOTHED_OVER :], tuple(float(part.detach().mean()) for part in parts)]  # type: ignore[list-item]

    def _make_progress(self) -> Progress:
        means = [_mean([step[head] for step in self._recent]) for head in range(3)]
        return Progress(
            step=self._step,
            steps=self._steps,
            examples=self._seen,
            seconds=self._seconds,
            losses=Losses(answers=means[0], supports=means[1], span=means[2]),
        )


def compute_losses(batch: Batch, outputs: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Return for each example the loss of its logit for the whole, and that of its span (any number without one)."""
    begins, ends, judged = outputs
    logit = judged.gather(1, batch.head[:, None]).squeeze(1)
    whole = functional.binary_cross_entropy_with_logits(logit, batch.answers, reduction="none")
    begins, ends = (each.masked_fill(~batch.is_passage, _OUTSIDE) for each in (begins, ends))
    first = functional.cross_entropy(begins, batch.first, reduction="none")
    last = functional.cross_entropy(ends, batch.last, reduction="none")
    return whole, (first + last) / 2


def autocast(device: str, precision: str) -> AbstractContextManager[Any]:
    """Return a context in which a network is computed with this precision, and its losses with float32."""
    kind = torch.device(device).type
    return torch.autocast(kind, dtype=torch.bfloat16) if precision == BFLOAT16 else nullcontext()


def choose_device(device: str, precision: str) -> tuple[str, str]:
    """Return the device and the precision that "auto" stands for on this machine, else what was given."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", device):
        raise FitError(f"There is no device {device}. Take cpu, cuda, or cuda with a number as cuda:1.")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise FitError("This torch finds no graphics card. Take --device cpu, or a build of torch with CUDA.")
    if precision == "auto":
        precision = BFLOAT16 if device.startswith("cuda") or has_bfloat16() else FLOAT32
    return device, precision


def _freeze_below(network: Network, layers: int) -> None:
    """Keep everything before the last layers as it is, so that no gradient is computed there."""
    before: list[nn.Module] = [*network.layers[:-layers], network.words, network.positions, network.first_norm]
    for module in before:
        module.requires_grad_(False)


def _make_optimizer(network: Network, plan: Plan) -> torch.optim.Optimizer:
    fitted = [value for value in network.parameters() if value.requires_grad]
    groups: list[dict[str, Any]] = [
        {"params": [value for value in fitted if value.dim() > 1], "weight_decay": plan.decay},
        {"params": [value for value in fitted if value.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=plan.rate, betas=_BETAS, fused=plan.device.startswith("cuda"))


def _add_dropout(network: Network, share: float) -> list[Any]:
    """Put dropout where BERT has it, outside of attention. Returns the hooks, for taking it out again."""

    def drop(module: nn.Module, given: Any, out: Tensor) -> Tensor:
        return functional.dropout(out, share, module.training)

    def drop_before(module: nn.Module, given: tuple[Tensor]) -> Tensor:
        return functional.dropout(given[0], share, module.training)

    places = [network.first_norm]
    for layer in network.layers:
        places += [layer.attention_out, layer.narrow]  # type: ignore[list-item]
    return [
        *(place.register_forward_hook(drop) for place in places),
        network.judge.register_forward_pre_hook(drop_before),
    ]


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
