"""A page about a topic: planned from what its asker may read, asked within a budget, proven sentence by sentence."""

import datetime as dt
import io
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import docx
import pytest
from django.utils import timezone
from procrastinate.contrib.django import app
from pytest_django import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.answering.pipeline import Answering
from core.asking.history.retention import erase_texts
from core.asking.research import running
from core.asking.research.quoting import MOST_QUOTED
from core.asking.research.running import end_lost, run_research
from core.errors import InvalidQuestionError, NotFoundError
from core.llm.scripted import answers, script_model
from core.models import Answer as AnswerRow
from core.models import Budget as LimitOfModels
from core.models import Query, Research, ResearchLine
from core.models.budgets import Scope
from core.signals import research_moved
from core.testing import Cast, make_document
from core.types import Origin
from core.values.research import (
    MOST_QUESTIONS,
    Budget,
    Outcome,
    PlannedQuestion,
    ResearchState,
    StopReason,
)
from core.values.research import Research as Seen

pytestmark = pytest.mark.usefixtures("fast")

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
PRICES = "Lunch in the canteen in the harbour office costs seven euros."
FERRY = "The ferry to the island leaves at nine."


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> None:
    """Two documents about the canteen, of two years; one about something else; one that Alice may not read."""
    make_document(
        "Harbour canteen rules", CANTEEN, roles=[cast.staff], section="Opening hours", document_date=dt.date(2023, 5, 1)
    )
    make_document("Harbour canteen prices", PRICES, roles=[cast.staff], document_date=dt.date(2025, 5, 1))
    make_document("Timetable", FERRY, roles=[cast.staff])
    make_document("Canteen accounts", "The canteen of the harbour office lost 900 euros.", roles=[])


def plan(cast: Cast, topic: str = "the canteen of the harbour office") -> UUID:
    """Return a research of Alice's that is planned."""
    return api.plan_research(
        topic, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]), origin=Origin.REST
    )


def look(research_id: UUID, cast: Cast) -> Seen:
    """Return a research as Alice sees it."""
    return api.read_research(research_id, user_id=cast.alice.pk, audience=audience_of([cast.alice.pk]))


def run(research_id: UUID, cast: Cast, budget: Budget | None = None) -> Seen:
    """Start a research, run it as the worker does, and return what Alice sees."""
    api.start_research(research_id, user_id=cast.alice.pk, budget=budget)
    run_research(research_id)
    return look(research_id, cast)


class TestPlan:
    """The plan is made of what its asker may read, and is theirs to change."""

    def test_it_asks_the_sections_that_speak_of_the_topic(self, cast: Cast) -> None:
        """Each in its document; nothing of other things, and nothing of what Alice may not read."""
        seen = look(plan(cast), cast)
        assert [(one.heading, one.filters.source) for one in seen.questions] == [
            ("Harbour canteen prices", "Harbour canteen prices"),
            ("Opening hours", "Harbour canteen rules"),
        ]
        assert seen.state is ResearchState.PLANNED
        assert not Query.objects.exists()

    def test_a_period_leaves_out_other_documents(self, cast: Cast) -> None:
        """Documents without a date may be of it."""
        seen = look(plan(cast, "the canteen of the harbour office since 2024"), cast)
        assert [one.filters.source for one in seen.questions] == ["Harbour canteen prices"]

    def test_how_something_changed_is_told_from_the_oldest_on(self, cast: Cast) -> None:
        """Within a section that several documents have."""
        for year in (2025, 2021, 2023):
            text = f"In {year} the harbour fee for boats was {year - 2000} euros."
            make_document(
                f"Fees {year}", text, roles=[cast.staff], section="Harbour fee", document_date=dt.date(year, 1, 1)
            )
        seen = look(plan(cast, "how the harbour fee for boats changed"), cast)
        assert [one.filters.source for one in seen.questions][:3] == ["Fees 2021", "Fees 2023", "Fees 2025"]

    def test_a_topic_of_which_nothing_can_be_read_is_refused(self, cast: Cast) -> None:
        """To whoever may read nothing of it as to whoever asks for what is not there."""
        with pytest.raises(NotFoundError, match="Nothing that you can read"):
            api.plan_research(
                "the canteen",
                asker=asker_for(cast.charlie),
                audience=audience_of([cast.charlie.pk]),
                origin=Origin.REST,
            )
        assert not Research.objects.exists()

    def test_what_is_near_by_chance_alone_is_no_plan(self, cast: Cast) -> None:
        """Something is always the nearest: without a word of the topic it has to be near in meaning."""
        with pytest.raises(NotFoundError, match="Nothing that you can read"):
            plan(cast, "lockout tagout")

    def test_it_can_be_changed_until_it_has_begun(self, cast: Cast) -> None:
        """A question that is kept keeps its place; a new one is asked everywhere."""
        research_id = plan(cast)
        second = next(one for one in look(research_id, cast).questions if one.heading == "Opening hours")
        changed = [
            PlannedQuestion(text="When does the ferry leave?", heading="Ferry"),
            PlannedQuestion(text=second.text, heading="Hours", question_id=second.question_id),
        ]
        api.change_plan(research_id, changed, user_id=cast.alice.pk)
        kept = look(research_id, cast).questions
        assert [(one.heading, one.text, one.filters.source) for one in kept] == [
            ("Ferry", "When does the ferry leave?", ""),
            ("Hours", second.text, "Harbour canteen rules"),
        ]
        assert ResearchLine.objects.get(number=2).made_of  # whose words are in it is still known
        run(research_id, cast)
        with pytest.raises(InvalidQuestionError, match="has begun"):
            api.change_plan(research_id, changed, user_id=cast.alice.pk)

    @pytest.mark.parametrize(
        ("questions", "said"),
        [([], "needs a question"), (["ab"], "too short"), (["What is it?"] * (MOST_QUESTIONS + 1), "at most 24")],
    )
    def test_a_plan_that_cannot_be_asked_is_refused(self, cast: Cast, questions: Sequence[str], said: str) -> None:
        """And the plan stays as it was."""
        research_id = plan(cast)
        before = look(research_id, cast).questions
        with pytest.raises(InvalidQuestionError, match=said):
            api.change_plan(research_id, [PlannedQuestion(text=one) for one in questions], user_id=cast.alice.pk)
        assert [one.text for one in look(research_id, cast).questions] == [one.text for one in before]

    def test_a_model_writes_an_outline(self, cast: Cast) -> None:
        """Of what it is shown: sections that Alice may read, and no other. Addresses that it adds are left out."""
        outline = (
            "# Hours\n- When does the canteen open?\n- See https://evil.example/?q=1\n# Prices\n- What is lunch?\n"
        )
        with script_model(outline) as script:
            seen = look(plan(cast), cast)
        assert [(one.heading, one.text) for one in seen.questions] == [
            ("Hours", "When does the canteen open?"),
            ("Prices", "What is lunch?"),
        ]
        assert seen.planned_by == "scripted/model"
        prompt = str(script.asked)
        assert "Harbour canteen rules" in prompt
        assert "accounts" not in prompt

    @pytest.mark.parametrize("reply", ["I cannot help with that.", RuntimeError("down")])
    def test_without_an_outline_rules_plan(self, cast: Cast, reply: object) -> None:
        """Also where the model does not respond."""
        with script_model(reply):
            seen = look(plan(cast), cast)
        assert seen.planned_by == ""
        assert [one.heading for one in seen.questions] == ["Harbour canteen prices", "Opening hours"]


class TestPage:
    """Each sentence of the page was verified, and says where."""

    def test_sentences_have_citations_of_their_words(self, cast: Cast) -> None:
        """Numbered through the page; each quote stands in its passage word for word."""
        seen = run(plan(cast), cast)
        assert seen.state is ResearchState.DONE
        page = seen.page
        assert {one.text for one in page.sentences} == {CANTEEN, PRICES}
        numbers = [number for one in page.sentences for number in one.citations]
        assert numbers == [1, 2]
        assert [one.number for one in page.citations] == numbers
        assert {one.quoted_excerpt for one in page.citations} == {CANTEEN, PRICES}
        assert (seen.progress.asked, seen.progress.total) == (2, 2)

    def test_a_sentence_is_quoted_once_and_an_answer_is_whole(self, cast: Cast) -> None:
        """Whichever section is quoted again; an answer of which half stands elsewhere would say another thing."""
        research_id = plan(cast)
        quoted = [
            PlannedQuestion(text=one.text, heading=one.heading, question_id=one.question_id)
            for one in look(research_id, cast).questions
            if one.heading == "Opening hours"
        ]
        asked = [
            PlannedQuestion(text=f"When does the canteen in the harbour office {verb}?") for verb in ("open", "close")
        ]
        api.change_plan(research_id, [*quoted * 2, *asked], user_id=cast.alice.pk)
        seen = run(research_id, cast)
        assert [one.outcome for one in seen.questions] == [Outcome.QUOTED] * 2 + [Outcome.ANSWERED] * 2
        assert [one.text for one in seen.page.sentences] == [CANTEEN] * 3
        assert len(seen.page.citations) == 1

    def test_what_is_not_proven_is_listed(self, cast: Cast) -> None:
        """And nothing is said of it."""
        research_id = plan(cast)
        asked = [PlannedQuestion(text="Who painted the ceiling of the cathedral?")]
        api.change_plan(research_id, asked, user_id=cast.alice.pk)
        seen = run(research_id, cast)
        assert seen.page.sentences == ()
        assert [(one.question, one.was_asked) for one in seen.page.unproven] == [(asked[0].text, True)]

    def test_no_sentence_of_a_model_is_shown_that_was_not_verified(self, cast: Cast) -> None:
        """It invents a price, and quotes what is not there: what is left is what the documents say."""
        invented = answers(
            ("The canteen opens at noon.", 1, CANTEEN),
            ("A lunch costs ninety euros.", 1, "A lunch costs ninety euros."),
            ("The canteen opens at eleven.", 1, CANTEEN),
        )
        with script_model("# Hours\n- When does the canteen in the harbour office open?\n", invented, invented):
            seen = run(plan(cast), cast)
        assert [one.text for one in seen.page.sentences] == ["The canteen opens at noon."]

    def test_it_is_written_as_markdown_and_word(self, cast: Cast, settings: Settings) -> None:
        """Citations open at their page; what a document says is no markup."""
        settings.PUBLIC_URL = "https://footnote.example.com"
        marked = "The canteen in the harbour office sells [tea](https://evil.example) at <b>noon</b> & *later*."
        make_document("Harbour canteen *menu*", marked, roles=[cast.staff])
        seen = run(plan(cast), cast)
        markdown = api.write_research(seen, form="markdown").decode()
        assert r"\[tea\](https://evil.example) at \<b\>noon" in markdown
        word = docx.Document(io.BytesIO(api.write_research(seen, form="docx")))
        links = {one.target_ref for one in word.part.rels.values() if one.is_external}
        assert links == {one.opens_at for one in seen.page.citations}
        assert all(one in markdown for one in links)
        assert marked in " ".join(paragraph.text for paragraph in word.paragraphs)
        with pytest.raises(ValueError, match="pdf"):
            api.write_research(seen, form="pdf")


class TestRunning:
    """It ends by its plan, its asker, a limit or a fault, and keeps what was found."""

    def test_it_is_queued_once(self, cast: Cast) -> None:
        """Starting it again changes nothing, its budget included."""
        research_id = plan(cast)
        api.start_research(research_id, user_id=cast.alice.pk, budget=Budget(most_minutes=3))
        api.start_research(research_id, user_id=cast.alice.pk, budget=Budget(most_minutes=9))
        jobs = app.job_manager.list_jobs(task="core.research")
        assert [json.loads(str(job.task_kwargs)) for job in jobs] == [{"research": str(research_id)}]
        assert look(research_id, cast).budget.most_minutes == 3

    @pytest.mark.parametrize("budget", [Budget(most_minutes=0), Budget(most_minutes=121), Budget(most_usd=Decimal(0))])
    def test_a_budget_that_cannot_be_is_refused(self, cast: Cast, budget: Budget) -> None:
        """Nothing is queued."""
        with pytest.raises(InvalidQuestionError):
            api.start_research(plan(cast), user_id=cast.alice.pk, budget=budget)

    def test_its_asker_stops_it(self, cast: Cast) -> None:
        """Between two questions; what was found is kept, and the rest is listed as not asked."""
        research_id = plan(cast)

        def stop(**_: object) -> None:
            if ResearchLine.objects.exclude(outcome=Outcome.OPEN).exists():
                api.stop_research(research_id, user_id=cast.alice.pk)

        research_moved.connect(stop)
        try:
            seen = run(research_id, cast)
        finally:
            research_moved.disconnect(stop)
        assert (seen.state, seen.stop_reason) == (ResearchState.STOPPED, StopReason.ASKER)
        assert [one.text for one in seen.page.sentences] == [PRICES]
        assert [one.was_asked for one in seen.page.unproven] == [False]

    def test_one_that_waits_is_stopped_at_once(self, cast: Cast) -> None:
        """And the worker asks nothing."""
        research_id = plan(cast)
        api.start_research(research_id, user_id=cast.alice.pk)
        api.stop_research(research_id, user_id=cast.alice.pk)
        assert look(research_id, cast).state is ResearchState.STOPPED
        run_research(research_id)
        assert not Query.objects.exists()

    def test_a_plan_that_was_stopped_can_be_started(self, cast: Cast) -> None:
        """There was nothing to stop."""
        research_id = plan(cast)
        api.stop_research(research_id, user_id=cast.alice.pk)
        assert run(research_id, cast).state is ResearchState.DONE

    @pytest.mark.parametrize("way", ["deleted", "erased"])
    def test_what_is_answered_too_late_is_erased(self, cast: Cast, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
        """Its asker deletes it, or its text is erased, while a question is being answered."""
        research_id = plan(cast)
        answer = Answering.run

        def act_meanwhile(*arguments: Any, **options: Any) -> Any:
            given = answer(*arguments, **options)
            if way == "deleted":
                api.delete_research(research_id, user_id=cast.alice.pk)
            else:
                ResearchLine.objects.update(text="", heading="")
            return given

        monkeypatch.setattr(Answering, "run", act_meanwhile)
        api.start_research(research_id, user_id=cast.alice.pk)
        run_research(research_id)
        assert Query.objects.count() == 1
        assert not Query.objects.filter(erased_at=None).exists()

    def test_its_limits_stop_it(self, cast: Cast) -> None:
        """Time and cost are looked at before each question."""
        research_id = plan(cast)
        api.start_research(research_id, user_id=cast.alice.pk, budget=Budget(most_minutes=2))
        begun = timezone.now() - dt.timedelta(minutes=2)
        Research.objects.filter(pk=research_id).update(state="running", started_at=begun)
        run_research(research_id)
        assert look(research_id, cast).stop_reason is StopReason.MINUTES
        other = plan(cast)
        Research.objects.filter(pk=other).update(planning_usd=Decimal("0.02"))
        seen = run(other, cast, Budget(most_usd=Decimal("0.01")))
        assert seen.stop_reason is StopReason.COST
        assert not Query.objects.exists()

    def test_it_ends_with_its_askers_account(self, cast: Cast) -> None:
        """Nothing more is asked in the name of somebody who has left."""
        research_id = plan(cast)
        api.start_research(research_id, user_id=cast.alice.pk)
        cast.alice.is_active = False
        cast.alice.save()
        run_research(research_id)
        assert Research.objects.get(pk=research_id).stop_reason == StopReason.ACCOUNT
        assert not Query.objects.exists()

    def test_the_next_worker_goes_on(self, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
        """It asks nothing again; a fault ends it at the last try alone."""
        research_id = plan(cast)
        api.start_research(research_id, user_id=cast.alice.pk)
        asked = running._ask

        def fail_at_second(research: Research, line: ResearchLine) -> StopReason | None:
            if line.number == 2:
                raise RuntimeError("down")
            return asked(research, line)

        monkeypatch.setattr(running, "_ask", fail_at_second)
        with pytest.raises(RuntimeError):
            run_research(research_id, is_last_try=False)
        assert look(research_id, cast).state is ResearchState.RUNNING
        with pytest.raises(RuntimeError):
            run_research(research_id, is_last_try=True)
        assert look(research_id, cast).stop_reason is StopReason.ERROR
        monkeypatch.undo()
        Research.objects.filter(pk=research_id).update(state="running", finished_at=None, stop_reason="")
        run_research(research_id)
        assert look(research_id, cast).state is ResearchState.DONE
        assert Query.objects.count() == 2

    def test_one_without_a_worker_is_ended(self, cast: Cast) -> None:
        """It keeps what it found."""
        research_id = plan(cast)
        long_ago = timezone.now() - dt.timedelta(hours=1)
        Research.objects.filter(pk=research_id).update(state="running", started_at=long_ago, seen_at=long_ago)
        assert end_lost() == 1
        assert look(research_id, cast).state is ResearchState.FAILED

    def test_a_budget_that_is_used_up_ends_it(self, cast: Cast) -> None:
        """The question is left open, and is not called unproven."""
        with script_model("# Hours\n- When does the canteen in the harbour office open?\n"):
            research_id = plan(cast)
            refuses = LimitOfModels.UsedUp.REFUSE
            LimitOfModels.objects.create(scope=Scope.PERSON, user=cast.alice, hard_tokens=0, when_used_up=refuses)
            seen = run(research_id, cast)
        assert (seen.state, seen.stop_reason) == (ResearchState.STOPPED, StopReason.BUDGET)
        assert [one.outcome for one in seen.questions] == [Outcome.OPEN]


def test_its_texts_are_erased(cast: Cast) -> None:
    """By the retention period: topic, plan and answers; figures stay. A deleted one leaves no text either."""
    kept, deleted = plan(cast), plan(cast)
    run(kept, cast)
    run(deleted, cast)
    api.delete_research(deleted, user_id=cast.alice.pk)
    assert Query.objects.filter(erased_at=None).count() == 2
    erase_texts(before=timezone.now())
    row = Research.objects.get()
    assert (row.pk, row.topic) == (kept, "")
    assert [(line.text, line.heading, line.outcome) for line in row.lines.all()] == [("", "", "quoted")] * 2
    assert not AnswerRow.objects.exclude(answer_text="").exists()
    with pytest.raises(NotFoundError):
        look(kept, cast)
    assert api.list_researches(cast.alice.pk) == ()


def test_an_unknown_one_is_not_there(cast: Cast) -> None:
    """As one of somebody else."""
    with pytest.raises(NotFoundError):
        look(uuid4(), cast)


class TestQuotations:
    """A question of what a section says is answered by its own sentences, in their order."""

    def test_a_section_is_quoted_in_its_order(self, cast: Cast) -> None:
        """With what introduces an item and the columns of a row; headings, questions and code say nothing."""
        text = (
            "Lamps\n\nThe lamps of the north pier are lit at dusk.\n\nBefore lighting them:\n\n- Wipe the lens.\n"
            "- Fill the tank.\n\nWho lights them?\n\n| Lamp | Oil |\n|---|---|\n| Red | 2 litres |\n"
        )
        make_document("North pier lamps", text, roles=[cast.staff], section="Lighting the lamps of the north pier")
        seen = run(plan(cast, "lighting the lamps of the north pier"), cast)
        assert [one.text for one in seen.page.sentences] == [
            "The lamps of the north pier are lit at dusk.",
            "Before lighting them: Wipe the lens.",
            "Before lighting them: Fill the tank.",
            "Red – Oil: 2 litres",
        ]
        assert [one.outcome for one in seen.questions] == [Outcome.QUOTED]

    def test_of_a_long_section_the_nearest_sentences_are_quoted(self, cast: Cast) -> None:
        """As many as fit, in their order."""
        others = [f"On day {day} the sea off the south pier was calm." for day in range(1, 20)]
        told = "The lamps of the south pier are lit at dusk."
        text = " ".join([*others[:10], told, *others[10:]])
        make_document("South pier lamps", text, roles=[cast.staff], section="Lamps of the south pier")
        seen = run(plan(cast, "the lamps of the south pier"), cast)
        said = [one.text for one in seen.page.sentences]
        assert len(said) == MOST_QUOTED
        assert told in said
        assert said == [one for one in [*others[:10], told, *others[10:]] if one in said]
