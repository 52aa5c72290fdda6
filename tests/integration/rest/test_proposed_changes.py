"""Test proposed changes over REST: targets, draft, preview, proposing and deciding, each under the caller's rights."""

import datetime as dt
import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from openpyxl import load_workbook
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle

from core.access.audiences import asker_for
from core.access.grants import revoke
from core.api import ask
from core.errors import SourceRefusedError
from core.infrastructure import mail
from core.library.sync import kinds
from core.models import (
    AuditEvent,
    AuthToken,
    ContentGap,
    DataSource,
    Document,
    LateAnswer,
    ProposalWords,
    ProposedChange,
    Query,
    User,
)
from core.models.row_security import bypass_row_security
from core.models.token_audiences import columns_of
from core.quality.gaps.assigning import assign_new_questions
from core.quality.proposals.following import finish
from core.quality.proposals.late_answers import ask_late
from core.quality.proposals.sending import send
from core.testing import Cast, make_document
from core.values.proposals import LONGEST_TEXT
from core.values.token_audience import TokenAudience
from tests.integration.contradictions.pairs import COSTS_24, keep_price_lists
from tests.integration.rest import changing
from tests.integration.rest.changing import Desk, make_file, make_source
from tests.integration.rest.conftest import Caller, assert_no_canary

pytestmark = pytest.mark.usefixtures("fast")

QUESTION = "When does the sauna in the harbour office open?"
RULES = "# Sauna\n\nThe sauna in the harbour office has two benches.\n"
NEW = "# Sauna\n\nThe sauna in the harbour office has two benches.\n\nThe sauna in the harbour office opens at six.\n"
VAULT = "The sauna in the Zanzibar vault opens with quagmire-7741."


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Let the kind of source be known, with nothing proposed yet."""
    fresh = Desk()
    monkeypatch.setattr(changing, "DESK", fresh)
    monkeypatch.setitem(kinds.MODULES, "changing", changing.__name__)
    return fresh


@pytest.fixture
def source(desk: Desk, fast: None) -> DataSource:
    """Create the source."""
    return make_source()


@pytest.fixture
def rules(source: DataSource, cast: Cast) -> Document:
    """Create the document about the sauna, of a file, for Alice and Bob."""
    return make_file(source, "handbook/sauna.md", "Sauna rules", RULES, roles=[cast.staff])


@pytest.fixture
def vault(source: DataSource, cast: Cast) -> Document:
    """Create a document that Alice alone may read."""
    return make_file(source, "zanzibar-vault-rules.md", "Zanzibar vault rules", VAULT, roles=[cast.owners])


@pytest.fixture
def gap(cast: Cast, rules: Document) -> ContentGap:
    """Create a gap with Charlie's question, asked in vain."""
    result = ask(QUESTION, asker=asker_for(cast.charlie), audience=cast.audience(cast.charlie))
    query = Query.objects.get(request_id=result.request_id)
    assert query.user == cast.charlie
    assign_new_questions()
    return ContentGap.objects.get()


def allow(user: User, *permissions: str, scopes: tuple[str, ...] = ("ingest", "ask")) -> Caller:
    """Return a person with permissions, who calls."""
    for name in permissions:
        user.user_permissions.add(Permission.objects.get(codename=name))
    return Caller(User.objects.get(pk=user.pk), *scopes)


@pytest.fixture
def bob(cast: Cast) -> Caller:
    """Let Bob propose for gaps and contradictions."""
    return allow(cast.bob, "propose_changes", "view_gaps", "view_contradictions")


@pytest.fixture
def alice(cast: Cast) -> Caller:
    """Let Alice do so, too."""
    return allow(cast.alice, "propose_changes", "view_gaps", "view_contradictions")


def body(gap: ContentGap, document: Document, **more: Any) -> dict[str, Any]:
    """Return a change of a document for a gap."""
    return {
        "gap": str(gap.pk),
        "document_id": str(document.pk),
        "version": document.version,
        "title": "Say when the sauna opens",
        "question": QUESTION,
        "text": NEW,
        **more,
    }


def propose(caller: Caller, gap: ContentGap, document: Document, **more: Any) -> str:
    """Return the id of a change that was proposed."""
    response = caller.post("proposed-changes", **body(gap, document, **more))
    assert response.status_code == 201, response.content
    return str(response.json()["id"])


def words() -> list[tuple[str, str]]:
    """Return titles and texts that are kept."""
    with bypass_row_security():
        return list(ProposalWords.objects.values_list("title", "text"))


def refused(response: Response) -> tuple[int, str]:
    """Return the status and code of an error."""
    return response.status_code, response.json()["code"]


def test_from_a_gap_to_a_merge_request(bob: Caller, gap: ContentGap, rules: Document, desk: Desk) -> None:
    """The targets, what to begin from, how it will look, the proposal, and what came of it."""
    targets = bob.get(f"gaps/{gap.pk}/targets", search="sauna").json()["results"]
    near = next(one for one in targets if one["document_id"] == str(rules.pk))
    assert (near["way"], near["place"], near["why_not"]) == ("merge_request", "handbook/sauna.md", None)
    assert [one["source_name"] for one in targets if one["document_id"] is None] == ["Handbook source"]
    draft = bob.get(f"gaps/{gap.pk}/draft", document_id=str(rules.pk)).json()
    assert (draft["text"], draft["version"], draft["edits_file"], draft["question"]) == (
        RULES,
        rules.version,
        True,
        QUESTION,
    )
    assert "two benches" in draft["nearest"]["quote"]
    preview = bob.post("proposed-changes/preview", **body(gap, rules)).json()
    assert "+The sauna in the harbour office opens at six." in preview["diff"]
    assert QUESTION in preview["description"]
    assert [one["question"] for one in preview["found"]] == [QUESTION]
    assert not ProposedChange.objects.exists()
    proposal_id = propose(bob, gap, rules)
    send(ProposedChange.objects.get().pk, is_last_try=True)
    [change] = desk.changes
    assert (change.text, change.title, change.key) == (NEW, "Say when the sauna opens", "handbook/sauna.md")
    shown = bob.get(f"proposed-changes/{proposal_id}").json()
    assert (shown["state"], shown["url"], shown["gap_id"], shown["people"], shown["is_own"]) == (
        "sent",
        "https://git.example/merge/1",
        str(gap.pk),
        1,
        True,
    )
    assert bob.post(f"proposed-changes/{proposal_id}/merged").json()["state"] == "merged"
    looks = AuditEvent.objects.filter(action="read_text", object_type="contentgap")
    assert [event.details for event in looks] == [{"gaps": 1}] * 2


def test_from_a_contradiction_to_a_merge_request(bob: Caller, cast: Cast, source: DataSource, desk: Desk) -> None:
    """Both documents are offered first."""
    kept = keep_price_lists([cast.staff], [cast.staff])
    targets = bob.get(f"contradictions/{kept.pk}/targets").json()["results"]
    assert [one["document_name"] for one in targets[:2]] == ["Harbour notice", "Price list"]
    assert {one["way"] for one in targets[:2]} == {None}
    assert "no owner" in targets[0]["why_not"]
    file = make_file(source, "prices.md", "Prices", COSTS_24, roles=[cast.staff])
    draft = bob.get(f"contradictions/{kept.pk}/draft", document_id=str(file.pk)).json()
    assert (draft["text"], draft["people"], draft["nearest"]) == (COSTS_24, 0, None)
    made = bob.post(
        "proposed-changes",
        contradiction=str(kept.pk),
        document_id=str(file.pk),
        version=file.version,
        title="Correct the price",
        text="A berth costs 31 euros per night.",
    )
    assert made.status_code == 201
    assert (made.json()["contradiction_id"], made.json()["gap_id"]) == (str(kept.pk), None)
    assert bob.get("proposed-changes", contradiction=str(kept.pk)).json()["count"] == 1
    assert bob.get("proposed-changes", contradiction=str(uuid4())).json()["count"] == 0


def test_a_new_document_is_its_authors_until_it_is_there(
    bob: Caller, alice: Caller, gap: ContentGap, source: DataSource
) -> None:
    """Alice, who sees no sources, is told of no place there."""
    given = {
        "gap": str(gap.pk),
        "source_id": str(source.pk),
        "place": "handbook/opening.md",
        "title": "Opening hours",
        "text": "The sauna opens at six.",
    }
    made = bob.post("proposed-changes", **given)
    assert made.status_code == 201
    assert (made.json()["place"], made.json()["document_id"]) == ("handbook/opening.md", None)
    assert bob.get("proposed-changes").json()["count"] == 1
    assert alice.get("proposed-changes").json()["count"] == 0
    assert alice.get(f"proposed-changes/{made.json()['id']}").status_code == 404
    refusal = bob.post("proposed-changes", **{**given, "place": "../etc/passwd"})
    assert refused(refusal) == (400, "invalid_change")
    assert bob.get(f"gaps/{gap.pk}/draft", source_id=str(source.pk)).json()["text"] == ""


class TestNotTheirs:
    """What somebody may not read is neither there nor counted, and reads like what does not exist."""

    def test_a_document_that_the_caller_may_not_read(
        self, bob: Caller, gap: ContentGap, vault: Document, desk: Desk
    ) -> None:
        """As target, in a draft, in a preview and to change."""
        for path in (f"gaps/{gap.pk}/targets", "proposed-changes"):
            response = bob.get(path, **({"search": "zanzibar"} if "targets" in path else {}))
            assert response.status_code == 200
            assert_no_canary(response)
        for document_id in (vault.pk, uuid4()):
            given = {**body(gap, vault), "document_id": str(document_id)}
            answers = (
                bob.get(f"gaps/{gap.pk}/draft", document_id=str(document_id)),
                bob.post("proposed-changes/preview", **given),
                bob.post("proposed-changes", **given),
            )
            assert [refused(answer) for answer in answers] == [(404, "not_found")] * 3
            assert len({answer.content for answer in answers}) == 1
        assert not ProposedChange.objects.exists()

    def test_a_proposal_of_such_a_document(
        self, bob: Caller, alice: Caller, gap: ContentGap, vault: Document, cast: Cast
    ) -> None:
        """By whatever address, and nothing becomes of it."""
        cast.bob.user_permissions.add(Permission.objects.get(codename="manage_gaps"))
        bob = Caller(User.objects.get(pk=cast.bob.pk), "ingest")
        proposal_id = propose(alice, gap, vault, text="The sauna in the Zanzibar vault opens at six.")
        listed = bob.get("proposed-changes").json()
        assert (listed["count"], listed["results"]) == (0, [])
        assert bob.get("proposed-changes", gap=str(gap.pk), state="waiting").json()["count"] == 0
        for name in (proposal_id, str(uuid4())):
            assert refused(bob.get(f"proposed-changes/{name}")) == (404, "not_found")
            for act in ("withdraw", "merged", "declined", "send-again"):
                assert refused(bob.post(f"proposed-changes/{name}/{act}")) == (404, "not_found")
        assert ProposedChange.objects.get().state == "waiting"
        assert alice.get("proposed-changes").json()["count"] == 1

    def test_a_proposal_whose_reader_lost_the_document(
        self, bob: Caller, gap: ContentGap, rules: Document, cast: Cast
    ) -> None:
        """Even their own."""
        proposal_id = propose(bob, gap, rules)
        revoke(cast.staff, [rules], by=None)
        assert bob.get("proposed-changes").json()["count"] == 0
        assert bob.get(f"proposed-changes/{proposal_id}").status_code == 404

    def test_a_contradiction_of_which_the_caller_reads_one_side(
        self, bob: Caller, cast: Cast, source: DataSource
    ) -> None:
        """It is not there."""
        kept = keep_price_lists([cast.staff], [cast.owners])
        for contradiction in (kept.pk, uuid4()):
            answers = (
                bob.get(f"contradictions/{contradiction}/targets"),
                bob.get(f"contradictions/{contradiction}/draft", document_id=str(kept.older_id)),
            )
            assert [refused(answer) for answer in answers] == [(404, "not_found")] * 2

    def test_who_may_not_see_gaps_or_not_propose(self, cast: Cast, gap: ContentGap, rules: Document) -> None:
        """A gap is not there for the one; the other is refused with the name of the permission, at every address."""
        blind = allow(cast.alice, "propose_changes")
        assert refused(blind.get(f"gaps/{gap.pk}/targets")) == (404, "not_found")
        assert refused(blind.post("proposed-changes", **body(gap, rules))) == (404, "not_found")
        without = allow(cast.bob, "view_gaps", "manage_gaps")
        answers = [
            without.get("proposed-changes"),
            without.post("proposed-changes", **body(gap, rules)),
            without.post("proposed-changes/preview", **body(gap, rules)),
            without.get(f"gaps/{gap.pk}/targets"),
            without.get(f"gaps/{gap.pk}/draft"),
            without.get(f"proposed-changes/{uuid4()}"),
            without.post(f"proposed-changes/{uuid4()}/withdraw"),
        ]
        assert {refused(answer) for answer in answers} == {(403, "permission_denied")}
        assert "propose_changes" in answers[0].json()["detail"]
        narrow = Caller(blind.user, "ask", "reports")
        assert narrow.get("proposed-changes").status_code == 403


def on_behalf_of(caller: Caller, *others: User) -> Caller:
    """Return a person whose token asks for others besides them."""
    made = Caller(caller.user, "ask")
    made.row.delete()
    audience = columns_of(TokenAudience(people=frozenset(other.pk for other in others)))
    _row, token = AuthToken.objects.create(caller.user, scopes=["ask"], **audience)
    made.client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return made


def test_a_token_that_asks_for_others_proposes_nothing(
    alice: Caller, gap: ContentGap, rules: Document, cast: Cast
) -> None:
    """It has no scope for it, whatever its person may do."""
    proposal_id = propose(alice, gap, rules)
    program = on_behalf_of(alice, cast.bob)
    answers = [
        program.get("proposed-changes"),
        program.get(f"proposed-changes/{proposal_id}"),
        program.post("proposed-changes", **body(gap, rules)),
        program.get(f"gaps/{gap.pk}/targets"),
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert "ingest" in answers[0].json()["detail"]


def test_what_is_wrong_is_named(bob: Caller, gap: ContentGap, rules: Document) -> None:
    """By its fields, or in a sentence; nothing is stored."""
    plain = body(gap, rules)
    for given, said in (
        ({**plain, "gap": None}, "Name a gap or a contradiction"),
        ({**plain, "contradiction": str(uuid4())}, "Name a gap or a contradiction"),
        ({**plain, "source_id": str(uuid4())}, "Name a document or a source"),
        ({**plain, "document_id": None}, "Name a document or a source"),
        ({**plain, "colour": "red"}, "There is no such field"),
        ({**plain, "document_id": "odd"}, "valid UUID"),
        ({**plain, "title": 5}, "valid string"),
        ({**plain, "text": "a\0b"}, "Null characters"),
    ):
        response = bob.post("proposed-changes", **given)
        assert refused(response) == (400, "invalid"), given
        assert said in response.content.decode(), response.content
    raw = json.dumps({**plain, "text": "\ud800"})
    lone = bob.client.post("/api/v1/proposed-changes", raw, content_type="application/json")
    assert refused(lone) == (400, "invalid")
    for changed, said in (
        ({"title": " "}, "Write a title"),
        ({"title": "One\nTwo"}, "Write a title"),
        ({"title": "One\rBcc: two"}, "Write a title"),
        ({"title": "x" * 121}, "Write a title"),
        ({"question": "x" * 501}, "Write the question"),
        ({"text": " \n"}, "Write what is to be"),
        ({"text": RULES}, "Nothing is changed yet"),
        ({"text": "x" * (LONGEST_TEXT + 1)}, "longer than"),
    ):
        for path in ("proposed-changes", "proposed-changes/preview"):
            response = bob.post(path, **{**plain, **changed})
            assert refused(response) == (400, "invalid_change"), changed
            assert said in response.json()["detail"]
    assert bob.get("proposed-changes", state="odd").status_code == 400
    assert bob.get("proposed-changes", colour="red").status_code == 400
    assert bob.get(f"gaps/{gap.pk}/draft").status_code == 400
    assert not ProposedChange.objects.exists()


def test_ends_of_lines_are_those_of_the_file(bob: Caller, gap: ContentGap, rules: Document) -> None:
    """A text from a browser has others: they are no change, and are not sent."""
    windows = NEW.replace("\n", "\r\n")
    preview = bob.post("proposed-changes/preview", **body(gap, rules, text=windows)).json()
    assert [line for line in preview["diff"] if line.startswith("-")] == []
    unchanged = bob.post("proposed-changes", **body(gap, rules, text=RULES.replace("\n", "\r\n")))
    assert refused(unchanged) == (400, "invalid_change")
    propose(bob, gap, rules, text=windows)
    assert words() == [("Say when the sauna opens", NEW)]


def test_a_document_that_has_changed_since_is_a_conflict(bob: Caller, gap: ContentGap, rules: Document) -> None:
    """Nothing is stored over words that nobody compared."""
    Document.objects.filter(pk=rules.pk).update(version=rules.version + 1)
    for path in ("proposed-changes", "proposed-changes/preview"):
        response = bob.post(path, **body(gap, rules))
        assert refused(response) == (409, "document_changed")
        assert "new edition" in response.json()["detail"]
    assert not ProposedChange.objects.exists()


def test_what_could_not_be_sent_is_sent_again_by_its_author(
    bob: Caller, alice: Caller, gap: ContentGap, rules: Document, desk: Desk, cast: Cast
) -> None:
    """While its text is kept; others who may decide withdraw it."""
    alice = allow(cast.alice, "manage_gaps")
    proposal_id = propose(bob, gap, rules)
    desk.fails_with = SourceRefusedError()
    send(ProposedChange.objects.get().pk, is_last_try=True)
    failed = bob.get(f"proposed-changes/{proposal_id}").json()
    assert (failed["state"], failed["error"], failed["may_send_again"]) == (
        "failed",
        "The source refuses its credentials. Renew them.",
        True,
    )
    assert alice.get(f"proposed-changes/{proposal_id}").json()["may_send_again"] is False
    assert alice.post(f"proposed-changes/{proposal_id}/send-again").status_code == 404
    assert bob.post(f"proposed-changes/{proposal_id}/send-again").json()["state"] == "waiting"
    assert bob.post(f"proposed-changes/{proposal_id}/send-again").status_code == 404
    assert bob.post(f"proposed-changes/{proposal_id}/merged").status_code == 404
    withdrawn = alice.post(f"proposed-changes/{proposal_id}/withdraw").json()
    assert (withdrawn["state"], words()) == ("withdrawn", [])
    assert alice.post(f"proposed-changes/{proposal_id}/withdraw").status_code == 404


def test_who_may_not_decide_changes_nothing(bob: Caller, alice: Caller, gap: ContentGap, rules: Document) -> None:
    """Alice sees the proposal, and neither wrote it nor looks after gaps."""
    proposal_id = propose(bob, gap, rules)
    ProposedChange.objects.update(state="sent", sent_at=timezone.now())
    assert alice.get(f"proposed-changes/{proposal_id}").json()["may_decide"] is False
    for act in ("withdraw", "merged", "declined"):
        assert alice.post(f"proposed-changes/{proposal_id}/{act}").status_code == 404
    assert bob.post(f"proposed-changes/{proposal_id}/declined").json()["state"] == "declined"


def test_a_mail_about_a_part_of_a_document_is_its_authors_to_follow(
    bob: Caller, gap: ContentGap, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who may not read all of it see nothing of the mail."""
    monkeypatch.setattr(mail, "is_configured", lambda: True)
    document = make_document("Sauna notes", "The sauna has towels.", roles=[cast.staff])
    make_document("Sauna notes: prices", "For nobody.", part_of=document)
    Document.objects.filter(pk=document.pk).update(owner=cast.alice)
    target = next(
        one
        for one in bob.get(f"gaps/{gap.pk}/targets", search="sauna notes").json()["results"]
        if one["document_id"] == str(document.pk)
    )
    assert (target["way"], target["recipient"]) == ("mail", "Alice")
    proposal_id = propose(bob, gap, document, text="It opens at six.")
    assert bob.get(f"proposed-changes/{proposal_id}").json()["way"] == "mail"
    cast.charlie.user_permissions.add(
        *Permission.objects.filter(codename__in=("propose_changes", "view_gaps", "manage_gaps"))
    )
    cast.charlie.user_roles.create(role=cast.staff)
    other = Caller(User.objects.get(pk=cast.charlie.pk), "ingest")
    assert other.get("proposed-changes").json()["count"] == 0
    assert other.get(f"proposed-changes/{proposal_id}").status_code == 404


def test_the_list_comes_in_pages_and_by_state(bob: Caller, gap: ContentGap, rules: Document) -> None:
    """The last made first."""
    made = [propose(bob, gap, rules, title=f"Change {number}") for number in range(3)]
    ProposedChange.objects.filter(pk=made[0]).update(state="declined")
    first = bob.get("proposed-changes", page_size="2").json()
    assert (first["count"], [row["id"] for row in first["results"]]) == (3, [made[2], made[1]])
    assert [row["id"] for row in bob.get("proposed-changes", page="2", page_size="2").json()["results"]] == [made[0]]
    assert [row["id"] for row in bob.get("proposed-changes", state="declined").json()["results"]] == [made[0]]
    assert bob.get("proposed-changes", gap=str(gap.pk)).json()["count"] == 3
    assert bob.get("proposed-changes", page="9").status_code == 404


def test_proposing_counts_as_asking_does(
    bob: Caller, gap: ContentGap, rules: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Towards the same limit."""
    monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, "ask", "1/minute")
    assert bob.post("proposed-changes/preview", **body(gap, rules)).status_code == 200
    assert bob.post("proposed-changes", **body(gap, rules)).status_code == 429
    assert bob.get("proposed-changes").status_code == 200


def answer_charlie(cast: Cast, gap: ContentGap, rules: Document) -> LateAnswer:
    """Let a change be in the library, which Charlie may read, and ask again for him."""
    document = make_document("Opening hours", "The sauna in the harbour office opens at six.", roles=[cast.staff])
    cast.charlie.user_roles.create(role=cast.staff)
    row = ProposedChange.objects.create(
        gap=gap, way="merge_request", state="merged", document=rules, people=1, sent_at=timezone.now()
    )
    ProposedChange.objects.filter(pk=row.pk).update(created_at=timezone.now() - dt.timedelta(days=3))
    row.refresh_from_db()
    finish(row)
    late = LateAnswer.objects.get()
    assert ask_late(late.pk, audience=cast.audience(cast.charlie)) is not None
    assert document.pk
    return late


def test_late_answers_are_their_askers(cast: Cast, gap: ContentGap, rules: Document, bob: Caller) -> None:
    """In the form of other answers, as they may be read now; nobody else has them."""
    late = answer_charlie(cast, gap, rules)
    charlie = Caller(cast.charlie)
    [row] = charlie.get("late-answers").json()["results"]
    assert (row["id"], row["question"], row["answer"]["answer"]) == (
        str(late.pk),
        QUESTION,
        "The sauna in the harbour office opens at six. [1]",
    )
    assert row["answer"].keys() == charlie.ask(QUESTION).keys()
    assert row["answer"]["citations"][0]["document_name"] == "Opening hours"
    assert row["asked_at"].startswith(f"{timezone.now():%Y-}")
    assert bob.get("late-answers").json()["count"] == 0
    assert on_behalf_of(charlie, cast.bob).get("late-answers").json()["count"] == 0
    assert Caller(cast.charlie, "reports").get("late-answers").status_code == 403
    assert charlie.get("late-answers", page_size="1").json()["count"] == 1
    assert charlie.get("late-answers", colour="red").status_code == 400
    cast.charlie.user_roles.all().delete()
    assert charlie.get("late-answers").json() == {"count": 0, "next": None, "previous": None, "results": []}


def test_the_report_has_figures_alone(cast: Cast, gap: ContentGap, rules: Document, bob: Caller) -> None:
    """By month, as JSON and as files, for who may read reports."""
    answer_charlie(cast, gap, rules)
    propose(bob, gap, rules)
    ProposedChange.objects.filter(state="waiting").update(state="declined", sent_at=timezone.now())
    LateAnswer.objects.update(state="told", told_by="mail")
    ProposedChange.objects.update(created_at=timezone.now() - dt.timedelta(days=3))
    path, month = "reports/proposed-changes", f"{timezone.localtime() - dt.timedelta(days=3):%Y-%m}"
    assert Caller(cast.bob, "reports").get(path).status_code == 403
    reader = allow(cast.alice, "view_reports", scopes=("reports",))
    counted = {
        "month": month,
        "proposed": 2,
        "sent": 2,
        "merged": 1,
        "done": 1,
        "declined": 1,
        "failed": 0,
        "withdrawn": 0,
        "median_days": 3.0,
        "people": 2,
        "asked_again": 1,
        "answered": 1,
        "told": 1,
        "others_answered": 0,
    }
    assert reader.get(path).json()["rows"] == [counted]
    assert reader.get(path, until="2020-01-31").json()["rows"] == []
    assert reader.get(path, since="2026-02-01", until="2026-01-31").status_code == 400
    assert reader.get(path, format="csv").content.decode().splitlines() == [
        ",".join(counted),
        ",".join(str(value) for value in counted.values()),
    ]
    book = load_workbook(io.BytesIO(reader.get(path, format="xlsx").content))
    assert [cell.value for cell in book.active[1]][:3] == ["Month", "Proposed", "Sent"]
    assert [cell.value for cell in book.active[2]] == list(counted.values())
    taken = AuditEvent.objects.filter(action="export", object_type="proposedchange").order_by("created_at")
    assert [event.details["format"] for event in taken] == ["csv", "xlsx"]
    assert Caller(reader.user, "ingest").get(path).status_code == 403
