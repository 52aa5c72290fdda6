"""Try an examined answer model on last month's questions, before it is admitted."""

from core.llm.client import ModelSettings, model_settings
from core.models import ChangeCheck, ModelExamination, User
from core.quality.change_checks.kinds.change import Change, ChangeNotPossibleError
from core.quality.examination.deciding import ADMIT, ExaminationError, admit, is_as_set


class ModelAdmission(Change):
    """The admission of the model that an examination is about. It waits for a yes in every case."""

    in_transaction = False
    waits_always = True

    def __init__(self, check: ChangeCheck) -> None:
        """check: names the examination."""
        examination = check.examination
        if examination is None:
            raise ChangeNotPossibleError("The examination of this model has been deleted.")
        self._examination: ModelExamination = examination

    def prepare(self) -> None:
        """See that the examined model is the one that is set."""
        if not is_as_set(self._examination):
            raise ChangeNotPossibleError(
                "Another model is set than was examined, or its prompts have changed. Examine again."
            )

    def enter(self) -> None:
        """Change nothing: the model is named with each question."""
        return

    def make(self, *, by: User | None) -> None:
        """Let the model answer people."""
        if by is None or not self.may_be_made_by(by):
            raise ChangeNotPossibleError("A person who may let models answer has to say yes.")
        try:
            admit(self._examination, by=by)
        except ExaminationError as error:
            raise ChangeNotPossibleError(error.message) from error

    def may_be_made_by(self, person: User) -> bool:
        """Return True for whoever admits models."""
        return person.is_active and person.has_perm(ADMIT)

    def model_before(self) -> ModelSettings | None:
        """Return None: what answers people now."""
        return None

    def model_after(self) -> ModelSettings:
        """Return the examined model."""
        return model_settings()
