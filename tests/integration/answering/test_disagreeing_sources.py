"""Both documents are quoted where one contradicts the other: in answers, shown later, and in dry runs."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from core.access.audiences import audience_of
from core.access.grants import revoke
from core.api import open_document, replay, stored_result, trace
from core.infrastructure.public_address import read_place
from core.models import Answer as AnswerRow
from core.models import Chunk, Collection, Document, SourceContradiction
from core.models.row_security import bypass_row_security
from core.serialization import as_json, replay_as_json
from core.testing import Cast, make_document
from core.types import Answer
from tests.integration.answering.test_contradictions import (
    ASK_BERTH,
    BERTH_24,
    BERTH_31,
    NEW,
    OLD,
    ask_for_berth_citing,
    asked,
    pages,
    readers_of,
)
from tests.integration.answering.test_contradictions import _with_reader as _with_reader


def quoted(result: Answer) -> list[tuple[str, str, int]]:
    """Return what both documents say, with their names and the numbers of the citations."""
    assert result.contradiction is not None
    return [(one.document_name, one.quoted_excerpt, one.number) for one in result.contradiction.quotes]


def settle(older: Document, newer: Document, *, state: str, holds: str = "", start: int = 0) -> None:
    """Keep a pair about which somebody decided. start: where both say it, in characters of their passages."""
    fields: dict[str, object] = {}
    for side, document in (("older", older), ("newer", newer)):
        with bypass_row_security():
            [chunk] = Chunk.objects.filter(document=document)
        place = {"start": start, "end": start + 30, "says_start": start, "says_end": start + 5, "digest": side}
        fields |= {side: document, f"{side}_version": document.version, f"{side}_chunk_id": chunk.pk}
        fields |= {f"{side}_{name}": value for name, value in place.items()}
    SourceContradiction.objects.create(**fields, digest="pair", state=state, holds=holds)


class TestQuotes:
    """Both documents are quoted, the one to go by first."""

    OF_GUIDE = ("Welcome guide", "A berth costs 24 euros per night, with water and electricity.", 1)
    OF_RULES = ("House rules", BERTH_31, 0)

    @pytest.mark.parametrize("is_turned", [False, True])
    def test_the_newer_one_comes_first(self, cast: Cast, settings: Settings, is_turned: bool) -> None:
        """Each with its sentence word for word, also when shown later; JSON has both."""
        settings.PUBLIC_URL = "https://footnote.example.com"
        guide, rules = (NEW, OLD) if is_turned else (OLD, NEW)
        pages(cast, ("Welcome guide", BERTH_24, guide), ("House rules", BERTH_31, rules))
        given = ask_for_berth_citing("Welcome guide", cast)
        seen = stored_result(given, audience=audience_of([cast.alice.pk]))
        assert isinstance(seen, Answer)
        ordered = [self.OF_GUIDE, self.OF_RULES] if is_turned else [self.OF_RULES, self.OF_GUIDE]
        assert quoted(seen) == ordered
        told = as_json(seen)["contradiction"]
        assert told is not None
        assert [side["number"] for side in told["sides"]] == [number or None for *_, number in ordered]
        assert [side["document_date"] for side in told["sides"]] == [NEW.isoformat(), OLD.isoformat()]

    def test_each_is_opened_at_its_quote(self, cast: Cast, settings: Settings) -> None:
        """The cited one as its citation, the other by its place, where the same words stand."""
        settings.PUBLIC_URL = "https://footnote.example.com"
        pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", f"Be quiet at night. {BERTH_31}", NEW))
        given = ask_for_berth_citing("Welcome guide", cast)
        seen = stored_result(given, audience=audience_of([cast.alice.pk]))
        assert isinstance(seen, Answer)
        assert seen.contradiction is not None
        other, cited = seen.contradiction.quotes
        assert cited.opens_at == seen.citations[0].opens_at != ""
        address, _, at = other.opens_at.partition("?at=")
        assert address == f"https://footnote.example.com/documents/{other.document_id}/"
        place = read_place(at)
        assert other.document_id is not None
        opened = open_document(other.document_id, audience=audience_of([cast.alice.pk]), at=place)
        assert opened.citation is not None
        assert opened.citation.quoted_excerpt == BERTH_31

    def test_without_dates_the_confirmed_one_comes_first(self, cast: Cast) -> None:
        """Then the one of a collection that is not asked last; else the cited one."""
        guide, rules = pages(cast, ("Welcome guide", BERTH_24, None), ("House rules", BERTH_31, None))
        given = ask_for_berth_citing("Welcome guide", cast)

        def list_names() -> list[str]:
            seen = stored_result(given, audience=audience_of([cast.alice.pk]))
            assert isinstance(seen, Answer)
            return [name for name, *_ in quoted(seen)]

        assert list_names() == ["Welcome guide", "House rules"]
        Document.objects.filter(pk=rules.pk).update(confirmed_at=timezone.now())
        assert list_names() == ["House rules", "Welcome guide"]
        Document.objects.filter(pk=guide.pk).update(confirmed_at=timezone.now())
        assert list_names() == ["Welcome guide", "House rules"]
        last = Collection.objects.create(name="Guides", is_asked_last=True)
        Document.objects.filter(pk=guide.pk).update(collection=last)
        assert list_names() == ["House rules", "Welcome guide"]

    def test_what_was_kept_before_quotes_were_is_shown_whole(self, cast: Cast) -> None:
        """With the quote of the citation."""
        pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", BERTH_31, NEW))
        given = ask_for_berth_citing("Welcome guide", cast)
        row = AnswerRow.objects.get()
        del row.contradiction["quoted"]
        row.save(update_fields=["contradiction"])
        seen = stored_result(given, audience=audience_of([cast.alice.pk]))
        assert isinstance(seen, Answer)
        assert quoted(seen) == [self.OF_RULES, ("Welcome guide", seen.citations[0].quoted_excerpt, 1)]

    @pytest.mark.parametrize(("state", "holds"), [("both_hold", ""), ("one_holds", "older")])
    def test_what_is_settled_is_not_said(self, cast: Cast, state: str, holds: str) -> None:
        """Say nothing where both hold, or the one that is cited."""
        guide, rules = pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", BERTH_31, NEW))
        given = ask_for_berth_citing("Welcome guide", cast)
        settle(guide, rules, state=state, holds=holds)
        seen = stored_result(given, audience=audience_of([cast.alice.pk]))
        assert isinstance(seen, Answer)
        assert seen.contradiction is None

    def test_where_the_other_one_holds_the_answer_says_so(self, cast: Cast) -> None:
        """With what holds first, however old it is."""
        guide, rules = pages(cast, ("Welcome guide", BERTH_24, NEW), ("House rules", BERTH_31, OLD))
        given = ask_for_berth_citing("Welcome guide", cast)
        settle(rules, guide, state="one_holds", holds="older")
        seen = stored_result(given, audience=audience_of([cast.alice.pk]))
        assert isinstance(seen, Answer)
        assert quoted(seen) == [self.OF_RULES, self.OF_GUIDE]

    def test_what_is_settled_elsewhere_in_the_documents_settles_nothing(self, cast: Cast) -> None:
        """A decision is about the words that contradict each other."""
        guide, rules = pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", BERTH_31, NEW))
        given = ask_for_berth_citing("Welcome guide", cast)
        settle(guide, rules, state="both_hold", start=9000)
        seen = stored_result(given, audience=audience_of([cast.alice.pk]))
        assert isinstance(seen, Answer)
        assert quoted(seen) == [self.OF_RULES, self.OF_GUIDE]


class TestDryRuns:
    """Previews, trials and replays say it as the answer does."""

    def test_a_replay_has_both_quotes_then_and_now(self, cast: Cast) -> None:
        """The command prints them once; where the other document is gone, they are lost."""
        _, rules = pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", BERTH_31, NEW))
        given = asked(cast, ASK_BERTH)
        replayed = replay(given.request_id)
        assert replayed.then.contradiction is not None
        assert replayed.now.contradiction is not None
        assert "contradiction" not in replayed.differing
        told = replay_as_json(replayed)
        assert [one["quoted_excerpt"] for one in told["now"]["contradiction"]["sides"]] == [
            words for _, words, _ in quoted(given)
        ]
        out = StringIO()
        call_command("replay", given.request_id, stdout=out)
        assert out.getvalue().count(f"House rules, 9 February 2026: “{BERTH_31}”") == 1
        revoke(role=cast.staff, documents=[rules], by=None)
        assert replay(given.request_id).now.contradiction is None

    def test_a_trace_tells_readers_of_both(self, cast: Cast) -> None:
        """And nobody else."""
        pages(cast, ("Welcome guide", BERTH_24, OLD))
        make_document("House rules", BERTH_31, roles=[cast.owners], document_date=NEW)
        told = {who: trace(ASK_BERTH, audience=audience_of(of)).run for who, of in readers_of(cast).items()}
        assert {who: run.contradiction is not None for who, run in told.items()} == {
            "alice": True,
            "bob": False,
            "both": False,
        }

    def test_the_command_prints_both_quotes(self, cast: Cast) -> None:
        """The newer one first."""
        pages(cast, ("Welcome guide", BERTH_24, OLD), ("House rules", BERTH_31, NEW))
        out = StringIO()
        call_command("ask", ASK_BERTH, "--as", cast.bob.email, stdout=out)
        _, _, said = out.getvalue().partition("Your sources disagree:")
        newer, older = said.strip().splitlines()[:2]
        assert f"House rules, 9 February 2026: “{BERTH_31}”" in newer
        assert "Welcome guide, 3 April 2023: “A berth costs 24 euros per night" in older
