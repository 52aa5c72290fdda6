"""Show the words of an examination: of each line to readers of all its sources alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef

from core.models import ExaminationLine, ExaminationSource, ExaminationWords
from core.models.row_security import showing_quotes_to
from core.types import Audience


@dataclass(frozen=True, kw_only=True, slots=True)
class LineWords:
    """The words of a line that a viewer may read."""

    question: str  # empty where a person asked it
    expected: str
    model_text: str
    key_free_text: str


def read_words(lines: Iterable[ExaminationLine], *, audience: Audience) -> dict[UUID, LineWords]:
    """Return the words of those lines of which the audience may read every source, by line.

    A line without a source, or with one whose document has been deleted, has words for nobody.
    """
    own = ExaminationSource.objects.filter(line=OuterRef("pk"))
    readable = ExaminationSource.objects.visible_to(audience).values("pk")
    shown = ExaminationLine.objects.filter(
        Exists(own), ~Exists(own.exclude(pk__in=readable)), pk__in=[line.pk for line in lines]
    ).values_list("pk", flat=True)
    with showing_quotes_to(audience):
        rows = ExaminationWords.objects.in_bulk(list(shown))
    return {
        pk: LineWords(
            question=row.question, expected=row.expected, model_text=row.model_text, key_free_text=row.key_free_text
        )
        for pk, row in rows.items()
    }
