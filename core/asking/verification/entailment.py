"""Judge by a model whether the quotes of a statement support all of it, where rules cannot decide.

One of natural language inference where VERIFIER_MODEL names it; else the answer model itself, in one call for all
statements of a draft. A judge that fails, lies or is late gives no verdict, and what was in doubt is not shown.
"""

import json
import logging
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from core.asking.generation.markup import MarkedClaim, render_claim, render_question
from core.asking.generation.modes import can_judge, is_extractive
from core.asking.generation.prompts import prompt, prompt_hash
from core.asking.reading import reader
from core.asking.verification.statements import Claim, Judge
from core.errors import ModelConfigurationError, ModelUnavailableError
from core.infrastructure.measures import families
from core.library.embedding.cross_encoders import CrossEncoders, log_unavailable
from core.llm.client import ModelSettings
from core.llm.completion import add_usage, complete
from core.types import Usage

logger = logging.getLogger(__name__)

LABELS = 3  # entailment, neutral, contradiction, in the order that the model's configuration names
LONGEST_QUOTES = 6_000  # characters of the quotes of one statement that the answer model is shown
SUPPORTS = 3.0  # logit from which the reader is believed that quotes support a statement
TOKENS_PER_VERDICT = 16  # of a reply; a verdict has about eight
MOST_SPACE = 64  # further tokens of a reply

_VERDICT = re.compile(r"([0-9a-f]{6})[`*]{0,2} ?: ?(yes|no|unclear)\.?", re.IGNORECASE)
_AROUND = " \t-*`"  # marks that models set around a line


class Judging:
    """The judge of one question: each claim is asked about once. Used once."""

    def __init__(self, verdicts: Callable[[Sequence[Claim]], Sequence[bool | None]]) -> None:
        self._verdicts = verdicts
        self._known: dict[Claim, bool | None] = {}

    def __call__(self, claims: Sequence[Claim]) -> list[bool | None]:
        """For each claim whether its quotes support all of it; None where that could not be found out."""
        new = [claim for claim in dict.fromkeys(claims) if claim not in self._known]
        if new:
            self._known |= dict(zip(new, self._verdicts(new), strict=True))
            for claim in new:
                families.verdicts.labels(_IN_WORDS[self._known[claim]]).inc()
        return [self._known[claim] for claim in claims]


class AnswerModelJudge(Judging):
    """The answer model as a judge, and what that consumed."""

    def __init__(self, model: ModelSettings, question: str) -> None:
        super().__init__(self._ask_model)
        # No fallback: it might be one that cannot judge. No retry: what is late is not waited for twice.
        timeout = min(settings.LLM_TIMEOUT_S, settings.VERIFY_TIMEOUT_S)
        arguments = {**model.arguments, "num_retries": 0, "timeout": timeout}
        self._model = replace(model, arguments=arguments, fallbacks=(), last_resort="")
        self._question = question
        self.usage = Usage()

    def _ask_model(self, claims: Sequence[Claim]) -> list[bool | None]:
        codes = _draw_codes(self._question, claims)
        shown = "\n\n".join(
            render_claim(MarkedClaim(code=code, statement=claim.statement, quotes=_cut_quotes(claim.quotes)))
            for code, claim in zip(codes, claims, strict=True)
        )
        filled = prompt("judge").format(claims=shown, question=render_question(self._question), codes=" ".join(codes))
        started = time.perf_counter()
        try:
            reply, usage = complete(filled, model=self._model, max_tokens=TOKENS_PER_VERDICT * len(claims) + MOST_SPACE)
        except (ModelUnavailableError, ModelConfigurationError) as error:
            families.judge_failures.inc()
            logger.warning("judge_failed", extra={"error": type(error).__name__, "claims": len(claims)})
            return [None] * len(claims)
        self.usage = add_usage(self.usage, usage)
        found = read_verdicts(reply, codes)
        counts = {name: sum(verdict is value for verdict in found) for name, value in _NAMES}
        took_ms = round((time.perf_counter() - started) * 1000, 1)
        logger.info("judged", extra={**counts, "took_ms": took_ms, "prompt_hash": prompt_hash("judge")})
        return found


_NAMES = (("yes", True), ("no", False), ("unclear", None))
_IN_WORDS = {value: name for name, value in _NAMES}


def make_judge(model: ModelSettings, *, question: str) -> Judge | None:
    """Return the judge of one question's drafts; None where there is none, and the rules decide alone.

    The extractive model needs none: what it says is what it quotes. Where no model is to judge, the reader does, if
    there is one.
    """
    if is_extractive(model):
        return None
    if settings.VERIFIER_MODEL:
        entails = Entailment()
        return Judging(lambda claims: [entails(" ".join(claim.quotes), claim.statement) for claim in claims])
    if settings.VERIFY_WITH_MODEL == "never" or (settings.VERIFY_WITH_MODEL == "auto" and not can_judge(model)):
        return Judging(judge_by_reading) if reader.is_on() else None
    return AnswerModelJudge(model, question)


def judge_by_reading(claims: Sequence[Claim]) -> list[bool | None]:
    """Accept the claims that one of their quotes supports, as the reader says; of the others it has no verdict.

    Of 240 statements of models that their passages support 71 % pass the rules alone, with the reader 75 %; of 92 that
    they do not support 9 % with and without it (docs/decisions/0085, with the figures of other logits).
    """
    verdicts: list[bool | None] = []
    deadline = time.monotonic() + settings.READER_BUDGET_MS / 1000
    for claim in claims:
        left = max(deadline - time.monotonic(), 0.0)
        logits = reader.supports(claim.statement, [" ".join(claim.quotes)], budget_s=left)
        verdicts.append(True if any(logit is not None and logit >= SUPPORTS for logit in logits) else None)
    return verdicts


def get_usage(judge: Judge | None) -> Usage:
    """Return a judge's usage so far."""
    return judge.usage if isinstance(judge, AnswerModelJudge) else Usage()


def read_verdicts(reply: str, codes: Sequence[str]) -> list[bool | None]:
    """Return the verdicts of a reply, one for each code: True only for a clear yes.

    A code follows from a secret and from all that is asked, so that no document can hold a line that counts. One that
    occurs twice with different words has no verdict.
    """
    said: dict[str, set[str]] = {}
    for line in reply.splitlines():
        found = _VERDICT.fullmatch(line.strip(_AROUND))
        if found:
            said.setdefault(found[1].casefold(), set()).add(found[2].casefold())
    return [{"yes": True, "no": False}.get("/".join(sorted(said.get(code, ())))) for code in codes]


def _draw_codes(question: str, claims: Sequence[Claim]) -> list[str]:
    """Return a code for each claim that nobody can know before, no two alike; the same for the same claims.

    They follow from this installation's secret and all that is asked, so that a reply to the same fits once more.
    """
    asked = json.dumps([question, *([claim.statement, *claim.quotes] for claim in claims)])
    codes: dict[str, None] = {}
    drawn = 0
    while len(codes) < len(claims):
        codes[salted_hmac("core.judge", f"{drawn} {asked}", algorithm="sha256").hexdigest()[:6]] = None
        drawn += 1
    return list(codes)


def _cut_quotes(quotes: Sequence[str]) -> tuple[str, ...]:
    """Return the quotes, each cut so that all together are not longer than the model is shown."""
    most = LONGEST_QUOTES // max(1, len(quotes))
    return tuple(quote[:most] for quote in quotes)


class Entailment:
    """A model of natural language inference: its verdicts for one question, within the time that all of them have.

    Each pair is asked once. Used once.
    """

    def __init__(self) -> None:
        self._verdicts: dict[tuple[str, str], bool | None] = {}
        self._spent_ms = 0.0

    def __call__(self, premise: str, hypothesis: str) -> bool | None:
        """Return True if the premise entails the hypothesis with a probability of VERIFIER_THRESHOLD or more.

        None when that could not be found out: no model is configured or it cannot be loaded, it failed, or
        VERIFIER_BUDGET_MS were over before it was asked; loading does not count. What is longer than the model reads
        is cut by the model.
        """
        if not settings.VERIFIER_MODEL:
            return None
        pair = (premise, hypothesis)
        if pair not in self._verdicts:
            self._verdicts[pair] = self._find_verdict(premise, hypothesis)
        return self._verdicts[pair]

    def _find_verdict(self, premise: str, hypothesis: str) -> bool | None:
        model = _models.load_model(settings.VERIFIER_MODEL)
        if model is None:
            return None
        if self._spent_ms >= settings.VERIFIER_BUDGET_MS:
            times = {"spent_ms": round(self._spent_ms, 1), "budget_ms": settings.VERIFIER_BUDGET_MS}
            logger.warning("verifier_over_budget", extra={"asked": len(self._verdicts), **times})
            return None
        started = time.perf_counter()
        try:
            return _estimate_probability(model, premise, hypothesis) >= float(settings.VERIFIER_THRESHOLD)
        except (RuntimeError, ValueError, IndexError) as error:
            # The error's own words may hold text, so only its kind is logged.
            logger.warning("verifier_failed", extra={"error": type(error).__name__})
            return None
        finally:
            self._spent_ms += (time.perf_counter() - started) * 1000


def _estimate_probability(model: Any, premise: str, hypothesis: str) -> float:
    logits = model.predict([(premise, hypothesis)], show_progress_bar=False, convert_to_tensor=True)
    probability = float(logits.double().softmax(dim=-1)[0][_find_entailment_label(model)])
    if not math.isfinite(probability):
        raise ValueError("a probability is not a number")
    return probability


def _find_entailment_label(model: Any) -> int:
    """Return the place of "entailment" among the model's labels. ValueError for a model that was not trained for it."""
    names = {int(place): str(label).casefold() for place, label in model.config.id2label.items()}
    found = [place for place, label in names.items() if label.startswith("entail")]
    if len(names) != LABELS or len(found) != 1:
        raise ValueError("the model was not trained to tell entailment")
    return found[0]


_models = CrossEncoders(
    check=_find_entailment_label,
    unavailable=log_unavailable(
        logger,
        "verifier_unavailable",
        setting="VERIFIER_MODEL",
        hint=(
            "The model that VERIFIER_MODEL names could not be loaded, so statements that the rules doubt are not "
            "shown. Check that it is a cross-encoder with the labels entailment, neutral and contradiction and that "
            "its folder is complete. Then restart this process."
        ),
    ),
)
