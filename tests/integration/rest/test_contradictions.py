"""Test contradictions over REST and MCP: for readers of both documents who look after some, in pages."""

import io

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from openpyxl import load_workbook

from core import api
from core.mcp.forms import Call
from core.mcp.tools import LIST_CONTRADICTIONS, ContradictionsArguments
from core.models import AuditEvent, SourceContradiction, User
from core.programs.asking import Program
from core.testing import Cast
from core.types import Origin
from core.values.token_audience import TokenAudience
from tests.integration.contradictions.pairs import COSTS_24, COSTS_31, QUESTION, keep_price_lists
from tests.integration.rest.conftest import Caller
from tests.integration.rows import multiply

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def kept(cast: Cast) -> SourceContradiction:
    """Keep a pair that Alice may read, and Bob one side of it; both have the right to look."""
    for person in (cast.alice, cast.bob):
        person.user_permissions.add(Permission.objects.get(codename="view_contradictions"))
    return keep_price_lists([cast.staff], [cast.owners])


def test_a_reader_of_both_gets_the_pair_and_of_one_nothing(cast: Cast, kept: SourceContradiction) -> None:
    """As if there were none: also the number is that."""
    listed = Caller(User.objects.get(pk=cast.alice.pk), "reports").get("contradictions").json()
    [row] = listed["results"]
    assert (listed["count"], row["id"], row["question"], row["state"]) == (1, str(kept.pk), QUESTION, "open")
    assert [(side["document_name"], side["document_date"], side["quote"], side["value"]) for side in row["sides"]] == [
        ("Harbour notice", "2026-02-09", COSTS_31, "31 euros"),
        ("Price list", "2023-04-03", COSTS_24, "24 euros"),
    ]
    bob = Caller(User.objects.get(pk=cast.bob.pk), "reports")
    nothing = {"count": 0, "next": None, "previous": None, "results": []}
    assert bob.get("contradictions").json() == nothing
    assert bob.get("contradictions", state="open").json() == nothing


def test_it_is_for_who_looks_after_documents_with_a_token_for_reports(cast: Cast, kept: SourceContradiction) -> None:
    """A person without the right who owns neither document is refused."""
    assert Caller(User.objects.get(pk=cast.charlie.pk), "reports").get("contradictions").status_code == 403
    assert Caller(User.objects.get(pk=cast.alice.pk), "ask").get("contradictions").status_code == 403


def test_the_list_comes_in_pages_and_by_state(cast: Cast, kept: SourceContradiction) -> None:
    """What cannot be used is named."""
    multiply(kept, 60, digest="md5(n::text)")
    alice = Caller(User.objects.get(pk=cast.alice.pk), "reports")
    first = alice.get("contradictions").json()
    assert (first["count"], len(first["results"])) == (61, 50)
    second = alice.get("contradictions", page="2").json()
    ids = {row["id"] for page in (first, second) for row in page["results"]}
    assert len(ids) == 61
    assert alice.get("contradictions", page="3").status_code == 404
    assert len(alice.get("contradictions", page_size="5").json()["results"]) == 5
    assert alice.get("contradictions", state="gone").json()["count"] == 0
    assert "must be one of: open" in str(alice.get("contradictions", state="odd").json())
    assert alice.get("contradictions", colour="red").status_code == 400


def test_a_program_gets_the_same_over_mcp(cast: Cast, kept: SourceContradiction) -> None:
    """For everyone whom its token names: on behalf of a reader of one side there is nothing."""

    def listed(person: User, *others: User, state: str = "open") -> list[str]:
        asks_for = TokenAudience(people=frozenset(other.pk for other in others))
        program = Program(person=User.objects.get(pk=person.pk), asks_for=asks_for, origin=Origin.MCP)
        given = ContradictionsArguments(state=state)  # type: ignore[arg-type]  # pydantic checks it
        found = LIST_CONTRADICTIONS.run(Call(program=program), given)
        assert found["count"] == len(found["contradictions"])
        return [row["id"] for row in found["contradictions"]]

    assert listed(cast.alice) == [str(kept.pk)]
    assert listed(cast.alice, cast.bob) == []
    assert listed(cast.bob) == []
    assert listed(cast.charlie) == []
    cast.alice.user_permissions.add(Permission.objects.get(codename="manage_contradictions"))
    api.say_that_one_holds(kept.pk, "newer", by=User.objects.get(pk=cast.alice.pk))
    assert listed(cast.alice) == []
    assert listed(cast.alice, state="one_holds") == [str(kept.pk)]


def test_the_report_counts_what_its_viewer_may_read(cast: Cast, kept: SourceContradiction) -> None:
    """By day and state, also as a file; with both permissions."""
    today = timezone.localdate().isoformat()
    alice, bob = User.objects.get(pk=cast.alice.pk), User.objects.get(pk=cast.bob.pk)
    assert Caller(alice, "reports").get("reports/contradictions").status_code == 403
    for person in (alice, bob, cast.charlie):
        person.user_permissions.add(Permission.objects.get(codename="view_reports"))
    counted = {"day": today, "found": 1, "open": 1, "asked": 0, "one_holds": 0, "both_hold": 0, "gone": 0}
    path, reader = "reports/contradictions", Caller(User.objects.get(pk=alice.pk), "reports")
    assert reader.get(path).json()["rows"] == [counted]
    assert reader.get(path, until="2026-01-31").json()["rows"] == []
    assert reader.get(path, since="2026-02-01", until="2026-01-31").status_code == 400
    assert reader.get(path, format="csv").content.decode().splitlines() == [
        "day,found,open,asked,one_holds,both_hold,gone",
        f"{today},1,1,0,0,0,0",
    ]
    book = load_workbook(io.BytesIO(reader.get(path, format="xlsx").content))
    assert [cell.value for cell in book.active[1]][:3] == ["Day", "Found", "Open"]
    assert [cell.value for cell in book.active[2]][1:] == [1, 1, 0, 0, 0, 0]
    taken = AuditEvent.objects.filter(action="export", object_type="contradictions").order_by("created_at")
    assert [event.details["format"] for event in taken] == ["csv", "xlsx"]
    one_side = Caller(User.objects.get(pk=bob.pk), "reports")
    assert one_side.get(path).json()["rows"] == []
    assert one_side.get(path, format="csv").content.decode().count("\n") == 1
    assert Caller(User.objects.get(pk=cast.charlie.pk), "reports").get(path).status_code == 403
