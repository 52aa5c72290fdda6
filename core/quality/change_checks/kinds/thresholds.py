"""Try other thresholds of answers, and put them live."""

from dataclasses import dataclass
from typing import Any, Self

from core.asking.confidence.threshold import answer_from
from core.asking.confidence.threshold_values import Thresholds, forget_thresholds, read_thresholds
from core.models import AnswerThresholds, ChangeCheck, User
from core.quality.change_checks.kinds.change import Change, ChangeNotPossibleError

CHANGE_THRESHOLDS = "core.change_answerthresholds"


@dataclass(frozen=True, kw_only=True, slots=True)
class NewThresholds(Change):
    """Thresholds in place of those that hold now; None: those of the settings again."""

    thresholds: Thresholds | None

    @classmethod
    def load(cls, check: ChangeCheck) -> Self:
        """Return what a check keeps."""
        kept = check.change
        if kept["answer_from"] is None:
            return cls(thresholds=None)
        return cls(thresholds=Thresholds(answer_from=kept["answer_from"], closest_from=kept["closest_from"]))

    def as_json(self) -> dict[str, Any]:
        """Return what a check keeps: the thresholds, and those that hold now, which a page compares them with."""
        before = {"answer_from": answer_from(), "closest_from": read_thresholds().closest_from}
        if self.thresholds is None:
            return {"answer_from": None, "closest_from": None, "before": before}
        return {
            "answer_from": self.thresholds.answer_from,
            "closest_from": self.thresholds.closest_from,
            "before": before,
        }

    def enter(self) -> None:
        """Let the thresholds hold in this process."""
        self._write(None)

    def leave(self) -> None:
        """Let those hold again that held before."""
        forget_thresholds()

    def make(self, *, by: User | None) -> None:
        """Put the thresholds live; every process goes by them within some seconds."""
        if by is None or not self.may_be_made_by(by):
            raise ChangeNotPossibleError("Who asked for it may not change thresholds any more.")
        self._write(by)

    def may_be_made_by(self, person: User) -> bool:
        """Return True for whoever may change thresholds."""
        return person.is_active and person.has_perm(CHANGE_THRESHOLDS)

    def _write(self, by: User | None) -> None:
        if self.thresholds is None:
            AnswerThresholds.objects.all().delete()
        else:
            AnswerThresholds.objects.update_or_create(
                is_only=True,
                defaults={
                    "answer_from": self.thresholds.answer_from,
                    "closest_from": self.thresholds.closest_from,
                    "changed_by": by,
                },
            )
        forget_thresholds()
