"""Queue that a model is fetched or a file is taken, and cancel it."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import FootnoteError
from core.infrastructure.queue import SET_UP_MODEL, enqueue
from core.llm.local_model.catalogue import find_offer
from core.llm.local_model.choosing import read_path
from core.models import ModelSetup, User

State = ModelSetup.State
VIEW, SET_UP = "core.view_modelsetup", "core.set_up_models"


class ModelSetupError(FootnoteError):
    """This cannot be done with the model as it is now."""


def start_offer(name: str, *, anyway: bool, by: User) -> ModelSetup:
    """Queue that an offered model is fetched and set up. ModelSetupError where none of that name is offered."""
    if find_offer(name) is None:
        raise ModelSetupError("No such model is offered. Choose one of the list.")
    return _start(ModelSetup(offer=name, anyway=anyway, asked_by=by))


def start_file(path: str, *, anyway: bool, by: User) -> ModelSetup:
    """Queue that a file of the server is checked and set up. FootnoteError where the path is none of a model."""
    return _start(ModelSetup(path=str(read_path(path)), anyway=anyway, asked_by=by))


def stop(setup: ModelSetup) -> None:
    """Cancel a setup; one that waits has ended at once. What was fetched is kept. ModelSetupError for an ended one."""
    waiting = ModelSetup.objects.filter(pk=setup.pk, state=State.WAITING)
    if waiting.update(state=State.STOPPED, is_stopping=True, finished_at=timezone.now()):
        return
    if not ModelSetup.objects.filter(pk=setup.pk, state__in=ModelSetup.UNDER_WAY).update(is_stopping=True):
        raise ModelSetupError("This has ended already.")


def _start(setup: ModelSetup) -> ModelSetup:
    try:
        with transaction.atomic():
            setup.save(force_insert=True)
            enqueue(SET_UP_MODEL, lock=SET_UP_MODEL, setup=str(setup.pk))
    except IntegrityError as error:
        raise ModelSetupError("Another model is being set up. Wait until it has ended, or cancel it.") from error
    return setup
