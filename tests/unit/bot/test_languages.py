"""Test that our messages stay within Slack's limits in every language."""

import datetime as dt
import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from slack_sdk.models.views import View

from bot.blocks import uploads
from bot.blocks.additions import add_sharer
from bot.blocks.answer import answer
from bot.blocks.asker_notes import note_arrived, note_elsewhere, private_offer
from bot.blocks.buttons import Buttons
from bot.blocks.contradicted import NEWER_HOLDS, OLDER_HOLDS, SaidSide, contradiction_message
from bot.blocks.digest import DigestFigures, digest_message
from bot.blocks.feedback import TITLE as FEEDBACK
from bot.blocks.feedback import feedback_modal
from bot.blocks.footnotes import ChangedSource, changed_source_message
from bot.blocks.guide import help_message, introduction
from bot.blocks.handoff import HandoffQuestion, handoff_message
from bot.blocks.home import ANSWERING, PAGES, Home, OpenMatter, home, home_of_nobody
from bot.blocks.late_answers import late_answer_message
from bot.blocks.library import sources_message
from bot.blocks.message import STEPS, Message, notice, progress_message
from bot.blocks.modals import Interaction, text_modal, waiting_modal
from bot.blocks.owners import (
    OwnersQuestion,
    OwnersWord,
    not_reached_message,
    question_message,
    word_message,
    words_modal,
)
from bot.blocks.question_windows import rewording_modal, selection_modal, selection_receipt
from bot.blocks.quotes import TITLE as QUOTES
from bot.blocks.quotes import quotes_modal
from bot.blocks.refusal import refusal
from bot.blocks.research import plan_message, plan_modal, research_progress_message, result_message
from bot.blocks.risk_digest import KINDS, risk_digest_message, write_risk_digest
from bot.blocks.thread_summary import Said, Summary, summary_message
from bot.blocks.why import why_message, why_modal
from core.language.i18n.translation import LANGUAGES, say, speak_language
from core.types import (
    Answer,
    Citation,
    ConfidenceLevel,
    Contradiction,
    Edition,
    FeedbackReason,
    Filters,
    Guidance,
    Opinion,
    Passage,
    QueryState,
    QuoteInPlace,
    ReadableCollection,
    Refusal,
    RefusalReason,
)
from core.values.explained import Explanation, LeftOut, ReadPassage
from core.values.lists import ChangedDocument, DocumentList, NewDocument, ReadableDocument, RecentQuestion
from core.values.oversharing import RISKS_IN_WORDS, Level, RiskKind
from core.values.research import Estimate, ResearchState
from core.values.risk_digests import NamedRisk, RiskWeek
from core.values.secrets import MASK
from slack_emulator.webapi.blocks import check_blocks
from tests.unit.bot.test_research_blocks import BUDGET, SHOWN, make_research

REQUEST = "req_20260102_0a1b2c3d"
MARCH = dt.date(2024, 3, 20)
NARROWED = Filters(section="Hours", date_from=MARCH)
ALL_BUTTONS = Buttons(share=True, ask_a_person="Bob.", remove_by="U1")
RESULT: dict[str, Any] = {
    "request_id": REQUEST,
    "query_id": UUID(int=1),
    "conversation_id": None,
    "confidence": 0.9,
    "retrieved": (),
    "agent_steps": 1,
    "model_provider": "extractive",
    "processing_time_ms": 12,
    "trace_id": "0" * 32,
    "filters": NARROWED,
}
EN = "en"


def _citation(number: int, **fields: Any) -> Citation:
    return Citation(
        **(
            {
                "number": number,
                "chunk_id": UUID(int=number),
                "document_id": UUID(int=2),
                "document_name": "Canteen rules",
                "document_date": MARCH,
                "page_number": None,
                "section": "Hours",
                "source_url": "https://library.example/canteen",
                "excerpt": "Soup is served at noon.",
                "quoted_excerpt": "Soup is served at noon.",
                "start": 0,
                "end": 23,
                "relevance_score": 0.8,
            }
            | fields
        )
    )


CITATIONS = (_citation(1), _citation(2, page_number=4))
MASKED = (_citation(1, quoted_excerpt=f"The PIN is {MASK * 4}."),)
LATE = "| Soup | at one |"
CONTRADICTION = Contradiction(
    cited=Edition(UUID(int=2), 0),
    by=Passage(
        chunk_id=UUID(int=3),
        document_id=UUID(int=3),
        document_name="Kitchen plan",
        document_type="manual",
        document_date=None,
        source_url="",
        page_number=4,
        chapter="",
        section="",
        content=LATE,
        similarity=0.5,
        score=0.5,
        rank=1,
    ),
    says=(9, 15),
    quotes=(CITATIONS[0], _citation(0, document_name="Kitchen plan", document_date=None, quoted_excerpt=LATE)),
)
TABLE = "Soups [1]:\n\n| Day | Soup |\n|---|---|\n| Monday | Leek [2] |\n"


def _other_messages() -> dict[str, Message]:
    """Build messages beside answers: a sentence, notes of commands, the introduction, a digest, a changed source."""
    changed = ChangedSource(
        kind="replaced",
        verdict="says_otherwise",
        title="Canteen rules",
        source_url="https://library.example/canteen",
        said="Soup is served at noon.",
        quotes=CITATIONS,
        is_same_source=True,
    )
    figures = DigestFigures(
        since=MARCH,
        until=MARCH,
        questions=12,
        questions_before=9,
        answered=8,
        closest=2,
        refused=2,
        up=3,
        down=1,
        half_within_s=2,
        most_within_s=9,
        cost_usd=1.5,
        new_gaps=1,
        open_gaps=2,
    )
    return {
        "notice": notice(say(ANSWERING)),
        "elsewhere": note_elsewhere("https://app.slack.com/client/T1/D1"),
        "arrived": note_arrived("https://test.slack.com/archives/D1/p1"),
        "introduction": introduction("/footnote"),
        "changed": changed_source_message(changed, asker="U0ALICE"),
        "digest": digest_message(figures),
        "risks": risk_digest_message(_make_risk_week()),
        "long risks": risk_digest_message(_make_risk_week(title="Canteen <rules> | & " * 40)),
        "risks without addresses": risk_digest_message(
            replace(_make_risk_week(), highest=(), settings_address="", narrowed=0, accepted=0)
        ),
        "table": answer(
            Answer(
                **RESULT,
                text=TABLE,
                citations=CITATIONS,
                confidence_level=ConfidenceLevel.HIGH,
                state=QueryState.COMPLETE,
                contradiction=CONTRADICTION,
            ),
            ALL_BUTTONS,
        ),
    }


def _make_risk_week(*, title: str = "Canteen rules") -> RiskWeek:
    """Make a week with a risk of each kind."""
    return RiskWeek(
        since=MARCH,
        until=MARCH,
        opened=12,
        narrowed=1,
        accepted=2,
        by_level=dict.fromkeys(Level, 1200),
        highest=tuple(
            NamedRisk(name=title, kind=kind, people=1 + number * 1000, address="https://footnote.example.com/admin/1/")
            for number, kind in enumerate(RiskKind)
        ),
        settings_address="https://footnote.example.com/admin/risk-digest/",
    )


def _research_messages() -> dict[str, Message]:
    """Build a research in each of its states."""
    planned = make_research(ResearchState.PLANNED)
    estimate = Estimate(questions=2, seconds=300, cost_usd=None, model="m")
    return {
        "plan": plan_message(planned, SHOWN, estimate=estimate, budget=BUDGET),
        "progress": research_progress_message(planned, SHOWN),
        "stopped": result_message(make_research(ResearchState.STOPPED), SHOWN),
        "done": result_message(make_research(ResearchState.DONE), replace(SHOWN, canvas_address="https://a.example/")),
    }


def _owner_messages() -> dict[str, Message]:
    """Build the messages about owners of sources, with every verdict, and summaries of threads."""
    asked = OwnersQuestion(
        question_id="1", asker="U1", question="When?", document_name="Rules", document_date=MARCH, opens_at=""
    )
    words = {
        verdict: OwnersWord(owner="Bob", document_name="Rules", question="When?", verdict=verdict, words="")
        for verdict in ("holds", "outdated")
    }
    newer, older = (
        SaidSide(
            action_id=action,
            document_name="Rules " * 40,
            document_date=MARCH,
            quote="Soup. " * 300,
            opens_at="",
            holds=False,
        )
        for action in (NEWER_HOLDS, OLDER_HOLDS)
    )
    said = (Said(ts="1710000000.000100", user="U1", text="Soup it is."),)
    return {
        "owner is asked": question_message(asked),
        "owner is asked which of two holds": contradiction_message("1", "When?", (newer, older), both_hold=False),
        "one of two holds": contradiction_message("1", "When?", (replace(newer, holds=True), older), both_hold=False),
        "both of two hold": contradiction_message("1", "When?", (newer, older), both_hold=True),
        **{f"owner has said, {verdict}": question_message(asked, verdict=verdict) for verdict in (*words, "written")},
        **{f"owner says, {verdict}": word_message(word) for verdict, word in words.items()},
        "owner writes": word_message(replace(words["holds"], document_name="", verdict="written", words="Soup.")),
        **{f"owner is not reached, {name!r}": not_reached_message("Bob", name) for name in ("Rules", "")},
        "summary": summary_message(
            Summary(decisions=said, open_questions=said, main_points=said), str, wants_decisions=True
        ),
        "no decision": summary_message(Summary(main_points=said), lambda ts: "", wants_decisions=True),
        "empty thread": summary_message(Summary(), str, wants_decisions=False),
    }


def _messages() -> dict[str, Message]:
    """Every message that the blocks make, in the language that is spoken."""
    given = {
        level: Answer(
            **RESULT,
            text="Soup is served at noon [1] [2].",
            citations=CITATIONS,
            confidence_level=level,
            state=QueryState.COMPLETE,
        )
        for level in ConfidenceLevel
    }
    answers = {f"answer, {level}": answer(result, ALL_BUTTONS) for level, result in given.items()}
    refused = Refusal(
        **RESULT,
        confidence_level=ConfidenceLevel.INSUFFICIENT,
        state=QueryState.NO_CONTENT_FOUND,
        reason=RefusalReason.NOTHING_FOUND,
        message="Nothing.",
    )
    rules = ReadableCollection(name="Rules", documents=1200, newest=MARCH)
    helps = Guidance(collections=(rules,) * 6, questions=("What should I know about soup?",))
    files = [uploads.SharedFile(name="a.md", size=2048), uploads.SharedFile(name="b.png", problem="…")]
    document = ReadableDocument(
        document_id=UUID(int=2),
        title="Canteen rules",
        document_type="manual",
        document_date=MARCH,
        source_url="",
        collection="Rules",
    )
    return {
        **answers,
        **_other_messages(),
        **_owner_messages(),
        **_research_messages(),
        **{f"why, {name}": why_message(told, is_public=False, is_asker=True) for name, told in _explanations().items()},
        **{step: progress_message(step) for step in STEPS},
        "refusal": refusal(refused, ALL_BUTTONS),
        **{
            f"helpful refusal, {public}": refusal(refused, ALL_BUTTONS, guidance=helps, is_public=public)
            for public in (True, False)
        },
        "closest": refusal(replace(refused, closest=CITATIONS), ALL_BUTTONS),
        "closest, masked": refusal(replace(refused, closest=MASKED), ALL_BUTTONS),
        "late": late_answer_message(given[ConfidenceLevel.HIGH], question="When is lunch?", asked_on=MARCH),
        "shared": add_sharer("U0ALICE", answers["answer, high"]),
        "offer": private_offer(REQUEST),
        "help": help_message("/footnote"),
        "asked": handoff_message("1", HandoffQuestion(people=["U0BOB"], asker="U0ALICE", question="When?")),
        "resolved": handoff_message(
            "1", HandoffQuestion(people=["U0BOB"], asker="U0ALICE", question="When?"), resolved_by="U0BOB"
        ),
        "sources": sources_message(DocumentList(total=1200, documents=(document,)), NARROWED),
        "no sources": sources_message(DocumentList(total=0, documents=()), Filters()),
        "files": uploads.offer("1", files),
        "no files": uploads.nothing_to_offer(files[1:]),
        "report": uploads.report(files, say(uploads.NOBODY_READS)),
    }


def _views() -> dict[str, dict[str, Any]]:
    """Every modal and tab, in the language that is spoken."""
    shown = Home(
        collections=(ReadableCollection(name="Rules", documents=1200, newest=MARCH),),
        questions=(
            RecentQuestion(
                request_id=REQUEST,
                question="When?",
                asked_at=dt.datetime(2024, 3, 20, tzinfo=dt.UTC),
                state=QueryState.COMPLETE,
                is_readable=True,
            ),
        ),
        new=tuple(
            NewDocument(
                title="Canteen rules",
                source_url="",
                ingested_at=dt.datetime(2024, 3, 20, tzinfo=dt.UTC),
                is_new_edition=is_new_edition,
            )
            for is_new_edition in (False, True)
        ),
        threads={REQUEST: "https://test.slack.com/archives/C1/p1"},
        changed=tuple(
            ChangedDocument(
                title="Canteen rules",
                source_url="",
                changed_at=dt.datetime(2024, 3, 20, tzinfo=dt.UTC),
                is_quote_gone=gone,
            )
            for gone in (True, False)
        ),
        matters=tuple(OpenMatter(kind=kind, count=2) for kind in list(PAGES)[:5]),
        contact="",
        command="/footnote",
        direct_channel="D1",
        admin_url="https://footnote.example.com/admin/",
        docs_url="https://wiki.example.com/",
        note=say(ANSWERING),
    )
    interaction = Interaction(request_id=REQUEST, channel_id="C1")
    choices = [uploads.Choice(value="1", name="Rules")]
    return {
        "feedback": feedback_modal(interaction, Opinion(verdict="down", reasons=tuple(FeedbackReason), comment="")),
        "waiting": waiting_modal(say(FEEDBACK)),
        "told": text_modal(say(QUOTES), "…"),
        "quotes": quotes_modal([QuoteInPlace(citation=citation) for citation in CITATIONS]),
        "masked quotes": quotes_modal([QuoteInPlace(citation=citation) for citation in MASKED]),
        "no quotes": quotes_modal([]),
        "selection": selection_modal("x" * 4000, place="C1"),
        "taken": selection_receipt(),
        "other words": rewording_modal(interaction, "When?"),
        "choices": uploads.choices_modal("1", choices, choices, is_shortened=True),
        "no choices": uploads.choices_modal("1", [], None, is_shortened=False),
        "home": home(shown),
        **{f"why, {name}": why_modal(told, is_public=False, is_asker=True) for name, told in _explanations().items()},
        "why, of a channel": why_modal(_explanations()["high"], is_public=True, is_asker=False),
        "why, of somebody else": why_modal(_explanations()["high"], is_public=False, is_asker=False),
        "home of nobody": home_of_nobody(""),
        "words of an owner": words_modal("1", "D1"),
        "plan": plan_modal(make_research(ResearchState.PLANNED), "1", "D1", BUDGET),
    }


def _explanations() -> dict[str, Explanation]:
    """An explanation of every end that a question may have."""
    passage = ReadPassage(
        document_id=UUID(int=2),
        document_name="Canteen rules",
        document_date=MARCH,
        chapter="",
        section="Hours",
        page_number=None,
        address="https://library.example/canteen",
        is_quoted=True,
    )
    results: dict[str, Answer | Refusal] = {
        level.value: Answer(
            **RESULT, text="Soup.", citations=CITATIONS, confidence_level=level, state=QueryState.COMPLETE
        )
        for level in ConfidenceLevel
    }
    results |= {
        reason.value: Refusal(
            **RESULT,
            confidence_level=ConfidenceLevel.INSUFFICIENT,
            state=QueryState.NO_CONTENT_FOUND,
            reason=reason,
            message="Nothing.",
        )
        for reason in RefusalReason
    }
    return {
        name: Explanation(
            result=result,
            question="When is soup?",
            understood="When is soup served?",
            collections=(ReadableCollection(name="Rules", documents=1200, newest=MARCH),),
            passages=(passage, *[replace(passage, is_quoted=False)] * 60),
            left_out=tuple((kind, 2) for kind in LeftOut),
            is_at_limit=True,
        )
        for name, result in results.items()
    }


@pytest.mark.parametrize("code", LANGUAGES)
def test_messages_and_views_are_what_slack_takes(code: str) -> None:
    """Titles, buttons and texts have no more characters than Slack allows, and the SDK takes them for valid."""
    with speak_language(code):
        messages, views = _messages(), _views()
    for message in messages.values():
        check_blocks(message.blocks, surface="message")
    for view in views.values():
        check_blocks(view["blocks"], surface=view["type"])
        View(**view).validate_json()
        for part in ("title", "submit", "close"):
            assert len(view.get(part, {}).get("text", "")) <= 24


@pytest.mark.parametrize("code", sorted(LANGUAGES.keys() - {EN}))
def test_no_message_or_view_is_left_in_english(code: str) -> None:
    """Each differs from the English one, except where there are no words of ours."""
    english = {**_messages(), **_views()}
    with speak_language(code):
        translated = {**_messages(), **_views()}
    assert {name for name, made in english.items() if made == translated[name]} == set()


def test_sources_that_disagree_in_each_language() -> None:
    """Both with their dates in words; the document's own words stay, the cells of a row parted by dots."""
    said = {}
    for code in LANGUAGES:
        with speak_language(code):
            said[code] = json.dumps(_other_messages()["table"].blocks, ensure_ascii=False)
    at = "<https://library.example/canteen|Canteen rules, "
    assert f"Your sources disagree:\\n• [1] {at}20 March 2024>, section Hours: “Soup is served at noon.”" in said["en"]
    assert f"Ihre Quellen widersprechen sich:\\n• [1] {at}20. März 2024>" in said["de"]
    assert f"Vos sources se contredisent :\\n• [1] {at}20 mars 2024>" in said["fr"]
    assert f"Sus fuentes se contradicen:\\n• [1] {at}20 de marzo de 2024>" in said["es"]
    assert all("Kitchen plan>" in each and "“Soup · at one”" in each for each in said.values())


def test_an_answer_in_german() -> None:
    """The answer, its quotes and the dates of sources stay as they are; the words around them are German."""
    with speak_language("de"):
        said = answer(
            Answer(
                **RESULT,
                text="Soup is served at noon [1] [2].",
                citations=CITATIONS,
                confidence_level=ConfidenceLevel.LOW,
                state=QueryState.COMPLETE,
            ),
            ALL_BUTTONS,
        )
    assert said.text == "Soup is served at noon [1] [2]."
    _, sources, confidence, narrowed, buttons, votes = said.blocks
    assert sources["text"]["text"] == (
        "[1] <https://library.example/canteen|Canteen rules>, 2024-03-20, Abschnitt Hours\n"
        "[2] <https://library.example/canteen|Canteen rules>, 2024-03-20, Seite 4"
    )
    assert confidence["elements"][0]["text"] == "Geringe Sicherheit: Bitte prüfen Sie die Quellen"
    assert narrowed["elements"][0]["text"] == "Nur gesucht in: Abschnitt Hours, seit 20. März 2024"
    assert [button["text"]["text"] for button in buttons["elements"]] == [
        "Zitate zeigen",
        "Warum diese Antwort?",
        "Im Thread teilen",
        "Einen Menschen fragen",
    ]
    pair, bin_ = votes["elements"]
    assert bin_["text"]["text"] == "Entfernen"
    assert pair["positive_button"]["text"]["text"] == "Hilfreich"
    assert pair["negative_button"]["text"]["text"] == "Nicht hilfreich"


def test_a_mail_of_risks_has_one_line_as_its_subject_in_every_language() -> None:
    """A mail's header takes no line break, and its text names each risk in the words of the language."""
    assert {kind: str(words) for kind, words in KINDS.items()} == RISKS_IN_WORDS
    mails = {}
    for code in LANGUAGES:
        with speak_language(code):
            mails[code] = write_risk_digest(_make_risk_week(title="Canteen\nrules"))
    assert not [code for code, (subject, _) in mails.items() if "\n" in subject]
    assert (
        len({subject for subject, _ in mails.values()}) == len({text for _, text in mails.values()}) == len(LANGUAGES)
    )
    assert mails["en"][1].splitlines()[:6] == [
        "New risks: 12",
        "Open risks: 1,200 high, 1,200 medium, 1,200 low",
        "Decided in the week: 1 narrowed, 2 found right",
        "",
        "The highest open risks",
        "- Canteen rules: looks confidential, 1 person",
    ]
    assert "2,001 people" in mails["en"][1]
    assert mails["en"][1].count("https://footnote.example.com/admin/1/") == len(RiskKind)
