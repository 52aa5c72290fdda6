"""Runs that nobody waits for: which datasets there are, a run queued for the worker, and the schedule."""

from pathlib import Path

from django.conf import settings

from core.errors import FootnoteError
from core.infrastructure.queue import RUN_DATASET, enqueue_once
from core.models import EvaluationRun, User
from core.quality.evaluation.datasets.comparison import raise_alerts
from core.quality.evaluation.datasets.dataset import Dataset, DatasetError, read

_LOCK = "core.run_dataset"


def list_datasets() -> list[str]:
    """The names of the datasets in the folder that the setting EVALUATION_DATASETS names; none without the folder."""
    folder = Path(settings.EVALUATION_DATASETS)
    return sorted(path.name for path in folder.glob("*.jsonl")) if folder.is_dir() else []


def check_dataset(name: str) -> None:
    """DatasetError, in words for who wants to run it, when a dataset cannot be asked on this installation."""
    _find_people(_load_dataset(name))


def queue_run(name: str, *, delay_s: int = 0) -> bool:
    """Queue a run. False when one over this dataset waits already."""
    return enqueue_once(RUN_DATASET, f"{_LOCK}/{name}", delay_s=delay_s, dataset=name)


def run_dataset(name: str) -> EvaluationRun:
    """Ask the questions of a dataset, keep what came of them, and raise alerts for what fell. DatasetError as above.

    Its answers are scored like all others, later and one by one.
    """
    from core.quality.evaluation.datasets.runs import run  # it brings the models along, and pages only queue

    dataset = _load_dataset(name)
    finished = run(dataset, _find_people(dataset), scores=False).run
    raise_alerts(finished)
    return finished


def queue_scheduled() -> list[str]:
    """Queue the datasets of the setting EVALUATION_SCHEDULE_DATASETS; the names of those that are queued now."""
    return [name for name in settings.EVALUATION_SCHEDULE_DATASETS if queue_run(name)]


def _load_dataset(name: str) -> Dataset:
    if name not in list_datasets():  # so that a name is never a path
        raise DatasetError(f"There is no dataset {name} in the folder of EVALUATION_DATASETS.")
    try:
        text = (Path(settings.EVALUATION_DATASETS) / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"The dataset {name} cannot be read.") from error
    try:
        return read(text.splitlines(), name=name)
    except FootnoteError as error:
        raise DatasetError(f"The dataset {name} cannot be used. {error.message}") from error


def _find_people(dataset: Dataset) -> dict[str, User]:
    """Return the askers by e-mail address. DatasetError when a line names nobody, or a person not active here."""
    wanted = {item.email for item in dataset.items}
    if None in wanted:
        raise DatasetError(f"Each line of {dataset.name} must say who asks, as: with manage.py evaluate use --as.")
    people = {person.email: person for person in User.objects.filter(email__in=wanted, is_active=True)}
    missing = sorted(str(email) for email in wanted - set(people))
    if missing:
        raise DatasetError(f"{dataset.name} asks as people who are not active here: {', '.join(missing[:5])}.")
    return people
