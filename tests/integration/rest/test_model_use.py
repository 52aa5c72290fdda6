"""Test the report on the use of language models, over REST."""

from decimal import Decimal

from core.models import BudgetUse
from core.models.budgets import Scope, Spent
from core.testing import Cast
from tests.integration.asked import give_right
from tests.integration.rest.conftest import Callers


def test_analysts_read_use_as_far_as_they_may_see_whose_it_is(callers: Callers, cast: Cast) -> None:
    """By person only with the right to reports by person; amounts are text, so that none is rounded."""
    spent = Spent(calls=2, tokens=30, unpriced_tokens=10, cost_usd=Decimal("0.000000125"))
    BudgetUse.objects.add(
        [(Scope.INSTALLATION, ""), (Scope.PERSON, str(cast.bob.pk)), (Scope.ROLE, str(cast.staff.pk))], spent
    )
    read = callers.analyst.get("reports/model-use").json()
    assert [(row["scope"], row["tokens"], row["cost_usd"]) for row in read["rows"]] == [
        ("installation", 30, "0.000000125")
    ]
    refused = callers.analyst.get("reports/model-use", scope="person")
    assert refused.status_code == 403
    assert "a permission that you lack: view_person_reports." in refused.json()["detail"]
    give_right(callers.analyst.user, "view_person_reports")
    (row,) = callers.analyst.get("reports/model-use", scope="person").json()["rows"]
    assert (row["key"], row["name"], row["unpriced_tokens"]) == (str(cast.bob.pk), str(cast.bob), 10)
    assert callers.analyst.get("reports/model-use", month="2020-01").json()["rows"] == []
    assert callers.analyst.get("reports/model-use", month="2020-13").status_code == 400
