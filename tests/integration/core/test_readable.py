"""Test lists of a person's readable documents, their own questions, and questions to begin with."""

import datetime as dt

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for
from core.access.grants import revoke
from core.api import ask, note_told, readable_collections, readable_documents, recent_questions, suggested_questions
from core.asking.suggestions.suggesting import candidates
from core.models import Collection, Document
from core.testing import Cast, make_document
from core.types import (
    Answer,
    Audience,
    Filters,
    ReadableCollection,
    Refusal,
    RefusalReason,
)

pytestmark = pytest.mark.usefixtures("fast")

VAULT = "The vault in the harbour office opens with the code K7741 on weekdays."
ASK_VAULT = "With which code does the vault in the harbour office open?"


@pytest.fixture
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """A collection that Alice and Bob share, with one document that is Alice's alone, and a collection of Alice's."""
    march, june = dt.date(2026, 3, 2), dt.date(2026, 6, 1)
    rows = {
        "vault": ("Vault rules", VAULT, "House", "manual", dt.date(2026, 7, 1), "Codes", [cast.owners]),
        "march": ("March meeting", "The rate stays.", "House", "minutes", march, "1 Decision", [cast.staff]),
        "canteen": ("Canteen guide", "Soup at noon.", "House", "page", None, "2.1 Opening hours", [cast.staff]),
        "june": ("June meeting", "The rate falls.", "Board", "minutes", june, "Decision", [cast.owners]),
        "nobody's": ("Lost paper", "Nobody reads it.", "Attic", "paper", june, "Loss", []),
    }
    return {
        name: make_document(
            title, text, roles=roles, collection=shelf, document_type=kind, document_date=date, section=section
        )
        for name, (title, text, shelf, kind, date, section, roles) in rows.items()
    }


def titles(audience: Audience, **filters: str) -> list[str]:
    return [document.title for document in readable_documents(audience, filters=Filters(**filters)).documents]


@pytest.mark.usefixtures("library")
class TestLists:
    """Collections and documents."""

    def test_collections_count_what_may_be_read(self, cast: Cast) -> None:
        """Neither the number nor the date nor the name reveals a document that is another's."""
        assert readable_collections(cast.audience(cast.alice)) == (
            ReadableCollection(name="Board", documents=1, newest=dt.date(2026, 6, 1)),
            ReadableCollection(name="House", documents=3, newest=dt.date(2026, 7, 1)),
        )
        shared = (ReadableCollection(name="House", documents=2, newest=dt.date(2026, 3, 2)),)
        assert readable_collections(cast.audience(cast.bob)) == shared
        assert readable_collections(cast.audience(cast.alice, cast.bob)) == shared
        assert readable_collections(cast.audience(cast.charlie)) == ()

    def test_documents_come_by_collection_newest_first(self, cast: Cast) -> None:
        """Undated ones last."""
        assert titles(cast.audience(cast.alice)) == ["June meeting", "Vault rules", "March meeting", "Canteen guide"]
        assert titles(cast.audience(cast.bob)) == ["March meeting", "Canteen guide"]
        assert titles(cast.audience(cast.charlie)) == []

    def test_documents_are_narrowed_and_counted(self, cast: Cast) -> None:
        """A filter leaves what fits of what may be read; the total counts what a limit leaves out."""
        assert titles(cast.audience(cast.bob), document_type="minutes") == ["March meeting"]
        assert titles(cast.audience(cast.bob), source="vault") == []
        listed = readable_documents(cast.audience(cast.alice), limit=1)
        assert ([document.title for document in listed.documents], listed.total) == (["June meeting"], 4)

    def test_an_audience_is_needed(self) -> None:
        """There is no value that means everyone."""
        for function in (readable_collections, readable_documents, suggested_questions):
            with pytest.raises(TypeError):
                function(None)  # type: ignore[operator]


class TestRecentQuestions:
    """A person's own questions."""

    @pytest.fixture
    def asked(self, cast: Cast, library: dict[str, Document]) -> str:
        """Alice asked what Bob may not read, and something that nothing answers."""
        asker, audience = asker_for(cast.alice), cast.audience(cast.alice)
        ask("How tall is the tower of Pisa?", asker=asker, audience=audience)
        return ask(ASK_VAULT, asker=asker, audience=audience).request_id

    def test_they_are_the_persons_own(self, cast: Cast, asked: str) -> None:
        """Newest first; nobody sees another's."""
        mine = recent_questions(cast.alice.pk, audience=cast.audience(cast.alice))
        assert [(each.question, each.is_readable) for each in mine] == [
            (ASK_VAULT, True),
            ("How tall is the tower of Pisa?", False),
        ]
        assert mine[0].request_id == asked
        assert recent_questions(cast.bob.pk, audience=cast.audience(cast.bob)) == ()
        assert len(recent_questions(cast.alice.pk, audience=cast.audience(cast.alice), limit=1)) == 1

    def test_what_was_overheard_is_told_when_it_was_answered(self, cast: Cast) -> None:
        """Alice asked others, not Footnote."""
        audience = cast.audience(cast.alice)
        heard = ask(ASK_VAULT, asker=asker_for(cast.alice), audience=audience, overheard=True)
        assert recent_questions(cast.alice.pk, audience=audience) == ()
        note_told(heard.request_id)
        assert [each.request_id for each in recent_questions(cast.alice.pk, audience=audience)] == [heard.request_id]

    def test_an_answer_that_may_not_be_read_any_more(
        self, cast: Cast, library: dict[str, Document], asked: str
    ) -> None:
        """The question stays its asker's; the answer is no longer there to be opened."""
        revoke(cast.owners, [library["vault"]], by=None)
        first = recent_questions(cast.alice.pk, audience=cast.audience(cast.alice))[0]
        assert (first.request_id, first.question, first.is_readable) == (asked, ASK_VAULT, False)

    def test_closest_passages_are_told_while_one_may_be_read(
        self, cast: Cast, library: dict[str, Document], settings: Settings
    ) -> None:
        """And can be opened; afterwards it is as if nothing had come close."""
        settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
        audience = cast.audience(cast.alice)
        result = ask(ASK_VAULT, asker=asker_for(cast.alice), audience=audience)
        assert isinstance(result, Refusal)
        assert result.closest

        def told() -> tuple[RefusalReason | None, bool]:
            recent = recent_questions(cast.alice.pk, audience=audience)[0]
            return recent.refusal, recent.is_readable

        shown = [document for document in library.values() if document.title != "Vault rules"]
        for role in (cast.owners, cast.staff):
            revoke(role, shown, by=None)
        assert told() == (RefusalReason.UNSURE, True)
        revoke(cast.owners, [library["vault"]], by=None)
        assert told() == (RefusalReason.NOTHING_FOUND, False)

    @pytest.mark.usefixtures("asked")
    def test_a_closed_account_has_none(self, cast: Cast) -> None:
        """A person who has left is shown nothing of theirs."""
        cast.alice.is_active = False
        cast.alice.save()
        assert recent_questions(cast.alice.pk, audience=cast.audience(cast.alice)) == ()


def made_for(audience: Audience) -> list[str]:
    """All questions that are made for an audience, whether they are answered or not."""
    return [question for question, _ in candidates(audience)]


@pytest.mark.usefixtures("library")
class TestSuggestedQuestions:
    """Questions to begin with."""

    def test_they_are_made_of_what_may_be_read(self, cast: Cast) -> None:
        """By type, date, heading and title; nothing of what is another's."""
        shared = [
            "What was decided in March 2026?",
            "What are the opening hours?",
            "What is the Canteen guide about?",
        ]
        assert made_for(cast.audience(cast.bob)) == shared
        assert made_for(cast.audience(cast.alice, cast.bob)) == shared
        assert set(made_for(cast.audience(cast.alice))) == {
            *shared,
            "What do the Vault rules say about codes?",
            "What are the Vault rules about?",
            "What was decided in June 2026?",
        }
        assert made_for(cast.audience(cast.charlie)) == []

    def test_only_what_is_answered_is_suggested(self, cast: Cast) -> None:
        """One question of a document; asked, each gets an answer from documents of the asker."""
        make_document(
            "Gate rules",
            "The night porter opens the gate at the harbour after ten at night.",
            roles=[cast.staff],
            section="3. Who opens the gate at night?",
        )
        audience = cast.audience(cast.bob)
        suggested = suggested_questions(audience)
        assert "Who opens the gate at night?" in suggested
        assert not [question for question in suggested if "Gate rules" in question]
        for question in suggested:
            assert isinstance(ask(question, asker=asker_for(cast.bob), audience=audience), Answer)
        assert suggested_questions(audience, limit=1) == suggested[:1]
        assert suggested_questions(cast.audience(cast.charlie)) == ()

    def test_guides_that_are_asked_last_are_suggested_last(self, cast: Cast) -> None:
        """However new they are: what people work with comes before how the program is run."""
        guide = make_document(
            "Guide", "Press the key.", roles=[cast.staff], section="Where is the key pressed?", collection="Guides"
        )
        Document.objects.filter(pk=guide.pk).update(document_date=dt.date(2030, 1, 1))
        audience = cast.audience(cast.bob)
        assert next(candidates(audience))[1] == guide.pk
        Collection.objects.filter(name="Guides").update(is_asked_last=True)
        made = [document for _, document in candidates(audience)]
        assert made[0] != guide.pk
        assert made[-1] == guide.pk
        assert len(set(made)) > 1

    def test_what_the_library_does_not_answer_is_not_suggested(self, cast: Cast) -> None:
        """A heading that its section says nothing about, and that asks nothing itself."""
        make_document("Fog", "Sheep graze.", roles=[cast.staff], section="Weighing quasars", collection="A")
        audience = cast.audience(cast.bob)
        (made,) = [question for question in made_for(audience) if "quasars" in question]
        assert made not in suggested_questions(audience)

    def test_headings_of_form_and_long_titles_make_no_question(self, cast: Cast) -> None:
        """A section called Summary is no topic, and a title of a line and a half no name."""
        before = made_for(cast.audience(cast.bob))
        make_document("Plan", "We plan.", roles=[cast.staff], section="Summary", collection="Plans")
        make_document("A very long title " * 8, "We talk.", roles=[cast.staff], section="Talk", collection="Talks")
        assert set(made_for(cast.audience(cast.bob))) == {*before, "What is “Plan” about?"}
