"""Start, stop and decide examinations, and let an admission lapse when what was examined is no more what answers."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.asking.answering.admission import is_admitted, needs_admission
from core.asking.generation.modes import is_extractive, prompts_of
from core.errors import FootnoteError
from core.infrastructure.queue import EXAMINE_MODEL, enqueue
from core.llm.client import ModelSettings, identify, model_settings
from core.models import Alert, Document, ModelExamination, User

State = ModelExamination.State
EXAMINE, ADMIT, VIEW = "core.examine_models", "core.admit_models", "core.view_modelexamination"
CHANGED_MUCH = 0.25  # of the documents since, new, replaced or gone
_FEWEST_CHANGED = 3
MODEL_CHANGED = "the prompts of this version of Footnote are others"
LIBRARY_CHANGED = "the library has changed by {share:.0%}"
RESTORED = (
    "A backup was restored: whether this model was refused after it is not known. Let it answer anew, or examine again."
)
REPLACED = "A later examination of the same model was decided."


class ExaminationError(FootnoteError):
    """This cannot be done with the examination as it is now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """Holds the model that is set, and the reasons for which it answers people or does not."""

    model: str  # that is set
    is_key_free: bool  # no model is set: there is nothing to examine
    needs_admission: bool
    is_admitted: bool
    last: ModelExamination | None  # of this model, by name
    problem: str = ""  # of the file that names the model of this machine

    @property
    def answers(self) -> bool:
        """True where the model that is set answers people."""
        return not self.is_key_free and (self.is_admitted or not self.needs_admission)


def find_standing() -> Standing:
    """Return what answers people now."""
    model = model_settings()
    return Standing(
        model=model.model,
        is_key_free=is_extractive(model),
        needs_admission=needs_admission(model),
        is_admitted=not is_extractive(model) and is_admitted(model),
        last=ModelExamination.objects.filter(model=model.model).first(),
        problem=settings.LOCAL_MODEL_PROBLEM,
    )


def start(*, by: User | None) -> ModelExamination:
    """Queue an examination of the model that is set. ExaminationError where there is none, or one is under way."""
    model = model_settings()
    if is_extractive(model):
        raise ExaminationError("No model is set, so there is nothing to examine. Set LLM_MODEL, or run: make model")
    try:
        with transaction.atomic():
            examination = ModelExamination.objects.create(
                model=model.model,
                identity=identify(model),
                prompt_hash=prompts_of(model),
                library={"documents": Document.objects.count()},
                asked_by=by,
            )
            enqueue(EXAMINE_MODEL, lock=EXAMINE_MODEL, examination=str(examination.pk))
    except IntegrityError as error:
        raise ExaminationError("This model is being examined already.") from error
    return examination


def stop(examination: ModelExamination) -> None:
    """Ask an examination to stop; one that waits is stopped at once. ExaminationError for one that has ended."""
    waiting = ModelExamination.objects.filter(pk=examination.pk, state=State.WAITING)
    if waiting.update(state=State.STOPPED, reason="It was stopped before it began.", finished_at=timezone.now()):
        return
    if not ModelExamination.objects.filter(pk=examination.pk, state=State.RUNNING).update(is_stopping=True):
        raise ExaminationError("This examination has ended.")


def admit(examination: ModelExamination, *, by: User) -> None:
    """Let the examined model answer. ExaminationError unless it is examined, and the model, as examined, is set."""
    model = model_settings()
    with transaction.atomic():
        row = _lock_examination(examination)
        if row.state != State.EXAMINED:
            raise ExaminationError("Only a model whose examination came to its end can be let in.")
        if (row.identity, row.prompt_hash) != (identify(model), prompts_of(model)):
            raise ExaminationError(
                "Another model is set than was examined, or its prompts have changed. Examine again."
            )
        ModelExamination.objects.filter(identity=row.identity, state=State.ADMITTED).update(
            state=State.LAPSED, reason=REPLACED
        )
        _store_decision(row, State.ADMITTED, by)


def refuse(examination: ModelExamination, *, by: User) -> None:
    """Keep the model from answering, also one that was let in before. ExaminationError for what is not decided upon."""
    with transaction.atomic():
        row = _lock_examination(examination)
        if row.state not in {State.EXAMINED, State.ADMITTED, State.LAPSED}:
            raise ExaminationError("Only a model whose examination came to its end can be refused.")
        if row.state == State.EXAMINED:
            admitted = ModelExamination.objects.filter(identity=row.identity, state=State.ADMITTED)
            admitted.update(state=State.LAPSED, reason=REPLACED)
        _store_decision(row, State.REFUSED, by)


def _lock_examination(examination: ModelExamination) -> ModelExamination:
    return ModelExamination.objects.select_for_update().get(pk=examination.pk)


def _store_decision(row: ModelExamination, state: str, by: User) -> None:
    row.state, row.decided_by, row.decided_at, row.reason = state, by, timezone.now(), ""
    row.save(update_fields=["state", "decided_by", "decided_at", "reason"])


def lapse_where_changed() -> int:
    """Let admissions lapse whose prompts or library are others by now, raise an alert for each, and return how many.

    Answers go on by the key-free road until somebody examines again.
    """
    model = model_settings()
    lapsed = 0
    for row in ModelExamination.objects.filter(state=State.ADMITTED, model=model.model):
        share = measure_change(row)
        if row.identity == identify(model) and row.prompt_hash != prompts_of(model):
            reason = MODEL_CHANGED
        elif share > CHANGED_MUCH:
            reason = LIBRARY_CHANGED.format(share=share)
        else:
            continue
        lapsed += _lapse_examination(row, reason, share)
    return lapsed


def _lapse_examination(row: ModelExamination, reason: str, share: float) -> int:
    with transaction.atomic():
        still = ModelExamination.objects.filter(pk=row.pk, state=State.ADMITTED)
        count = still.update(state=State.LAPSED, reason=f"Examine again: {reason}.")
        if count:
            Alert.objects.get_or_create(
                examination=row,
                metric="admission_lapsed",
                defaults={
                    "score": Decimal(str(min(share, 1.0))).quantize(Decimal("0.001")),
                    "threshold": Decimal(str(CHANGED_MUCH)),
                },
            )
    return count


def reopen_restored() -> int:
    """Have every admission that a restore brought back decided anew, and return how many: one may be refused since."""
    return ModelExamination.objects.filter(state=State.ADMITTED).update(
        state=State.EXAMINED, reason=RESTORED, decided_by=None, decided_at=None
    )


def measure_change(row: ModelExamination) -> float:
    """Return the share of the library, 0 and up, that is new, replaced or gone since an examination began."""
    began: datetime | None = row.started_at
    before = int(row.library.get("documents", 0))
    if began is None or not before:
        return 0.0
    now = Document.objects.count()
    new = Document.objects.filter(ingested_at__gt=began).count()
    gone = max(before - (now - Document.objects.filter(created_at__gt=began).count()), 0)
    changed = new + gone
    return changed / before if changed >= _FEWEST_CHANGED else 0.0


def is_as_set(examination: ModelExamination, model: ModelSettings | None = None) -> bool:
    """Return True if the model that is set is the very one that was examined."""
    model = model or model_settings()
    return (examination.identity, examination.prompt_hash) == (identify(model), prompts_of(model))
