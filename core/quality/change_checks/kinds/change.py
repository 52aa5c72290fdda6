"""Define what every kind of change offers to a check of it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from core.asking.generation.modes import key_free
from core.errors import FootnoteError
from core.llm.client import ModelSettings
from core.models import Citation, Query, User


class ChangeNotPossibleError(FootnoteError):
    """This change cannot be made any more."""


class Change(ABC):
    """A change that is not live."""

    in_transaction = True  # `enter` writes rows: questions with it are asked in a transaction that is rolled back
    waits_always = False  # for a yes, whatever it does

    def prepare(self) -> None:
        """Do once, before anything is asked, what is slow and can be kept: load, parse and embed files.

        ChangeNotPossibleError where it cannot be tried.
        """
        return

    @abstractmethod
    def enter(self) -> None:
        """Make the change in the transaction that is open, quickly: it is done anew for each batch of questions."""

    def leave(self) -> None:
        """Forget in memory what `enter` left there, once its transaction is rolled back."""
        return

    @abstractmethod
    def make(self, *, by: User | None) -> None:
        """Make the change for good, in the transaction that is open.

        by: who said yes, or who asked for it where it crosses no limit. ChangeNotPossibleError where it has become
        impossible, or that person may not make it any more.
        """

    def drop(self) -> None:
        """Let go of what waits for the change, once somebody has said no: in the transaction that is open."""
        return

    @abstractmethod
    def may_be_made_by(self, person: User) -> bool:
        """Return True if a person holds the right that the change itself needs."""

    def narrow_people(self) -> Q | None:
        """Return a condition on questions: those whose askers the change could touch. None: all."""
        return None

    def find_stand_ins(self) -> Mapping[UUID, UUID] | None:
        """Return the people as whom the library's questions are asked, by a role of theirs. None: as any role alone.

        Who loses a document by one role may keep it by another, and no role alone says so.
        """
        return None

    def list_touched(self) -> frozenset[UUID]:
        """Return documents of the library that the change is about: questions about them are asked first."""
        return self.list_replaced()

    def prefer(self, asked: Sequence[Query], cited: set[UUID]) -> Sequence[Query]:
        """Return people's questions in the order in which they are to be asked, as far as there is room for them.

        By default those come first whose answers cite a document that the change is about. cited: as of `find_citing`.
        """
        return sorted(asked, key=lambda query: query.pk not in cited)

    def find_citing(self, asked: Sequence[Query]) -> set[UUID]:
        """Return those of people's questions whose answers cite a document that the change is about."""
        citations = Citation.objects.filter(document__in=self.list_touched())
        answered = citations.filter(answer__query__in=[query.pk for query in asked])
        return set(answered.values_list("answer__query", flat=True))

    def list_replaced(self) -> frozenset[UUID]:
        """Return the documents whose text becomes another one: other answers from them are what is wanted."""
        return frozenset()

    def count_documents(self) -> int:
        """Return of how many documents the change is; 0 where it is of none."""
        return 0

    def measure_effect(self) -> Mapping[str, int]:
        """Return figures of the change itself, such as the people who gain or lose documents."""
        return {}

    def model_before(self) -> ModelSettings | None:
        """Return the model that answers without the change; None: what answers people now. Key-free by default."""
        return key_free()

    def model_after(self) -> ModelSettings | None:
        """Return the model that answers with the change; None: what answers people now. Key-free by default."""
        return key_free()
