"""Say for each kind of change how it is tried and how it is made."""

from core.models import ChangeCheck
from core.quality.change_checks.kinds.answer_model import ModelAdmission
from core.quality.change_checks.kinds.change import Change
from core.quality.change_checks.kinds.grants import Grants
from core.quality.change_checks.kinds.run_editions import RunEditions
from core.quality.change_checks.kinds.thresholds import NewThresholds
from core.quality.change_checks.kinds.upload_editions import UploadEditions
from core.values.change_checks import ChangeKind


def load_change(check: ChangeCheck) -> Change:
    """Return the change of a check, as it was asked for."""
    match ChangeKind(check.kind):
        case ChangeKind.GRANTS:
            return Grants.load(check)
        case ChangeKind.THRESHOLDS:
            return NewThresholds.load(check)
        case ChangeKind.MODEL:
            return ModelAdmission(check)
        case ChangeKind.EDITIONS:
            return RunEditions(check) if check.job_id is None else UploadEditions(check)
