"""Gaps, heaps and alerts come of what askers may read: no document that they may not read changes them."""

from typing import Any

import pytest

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.models import Alert, ContentGap, GapCheck, GapQuestion
from core.quality.gaps.assigning import assign_new_questions
from core.quality.gaps.checking import check_gaps_near_new_documents, check_lively_gaps
from core.testing import Cast, make_document

QUESTION = "With which code does the vault in the harbour office open?"
VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."


def _list_all() -> dict[str, list[Any]]:
    """Everything of gaps and alerts that a page or REST shows."""
    return {
        "gaps": list(ContentGap.objects.values_list("heap", "state", "asked", "people")),
        "questions": list(GapQuestion.objects.values_list("outcome", "found")),
        "checks": list(GapCheck.objects.values_list("asked", "answered")),
        "alerts": list(Alert.objects.values_list("metric", "score")),
    }


@pytest.mark.usefixtures("fast")
def test_a_document_that_the_asker_may_not_read_changes_nothing_of_a_gap(cast: Cast) -> None:
    """There from the start, or added later: neither heap, nor alert, nor when the gap is asked again."""
    make_document("Site rules", "The gate of the harbour closes at six.", roles=[cast.staff])
    ask(QUESTION, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    assign_new_questions()
    without = _list_all()
    make_document("Vault rules", VAULT, roles=[cast.owners])
    assert check_gaps_near_new_documents() == 0
    assert _list_all() == without
    ContentGap.objects.all().delete()
    ask(QUESTION, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    GapQuestion.objects.all().delete()
    ContentGap.objects.all().delete()
    assign_new_questions()
    with_hidden = _list_all()
    assert set(with_hidden["questions"]) == set(without["questions"])
    assert [heap for heap, *_ in with_hidden["gaps"]] == [heap for heap, *_ in without["gaps"]]
    assert with_hidden["alerts"] == without["alerts"]
    check_lively_gaps()
    assert not GapCheck.objects.filter(answered__gt=0).exists()
    assert ContentGap.objects.filter(state="closed").count() == 0
