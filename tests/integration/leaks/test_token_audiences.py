"""A program whose token asks for others is given what all of them may read, by every door that takes its token."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from pytest_django import Settings

from core.api import MOST_SEARCH_RESULTS
from core.asking.research.running import run_research
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.llm.scripted import answers, calls, script_model
from core.models import AuthToken, ModelReply, User
from core.models.token_audiences import columns_of
from core.signals import ChannelReaders, channel_readers_asked
from core.testing import Cast
from core.values.token_audience import TokenAudience
from tests.integration.leaks.test_doors import assert_exactly, by_mcp
from tests.integration.leaks.test_model_replies import tell_everything
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    Built,
    World,
    built,
    chunks_of,
    held_marks,
    logged,
    readable_by,
    tried,
    worlds,
)
from tests.integration.rest.conftest import (
    CANARIES,
    CANTEEN,
    CANTEEN_QUESTION,
    VAULT,
    VAULT_QUESTION,
    Caller,
    Library,
    assert_no_canary,
)
from tests.integration.rest.conftest import library as library

pytestmark = pytest.mark.usefixtures("floors", "fast")
TEAM, CHANNEL, OFFICE = "T0TEST", "C0GENERAL", "the harbour office"
HERE = TokenAudience(team_id=TEAM, channel_id=CHANNEL)


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


class OnBehalf(Caller):
    """A person who calls with a token that asks for others."""

    def __init__(self, user: User, asks_for: TokenAudience) -> None:
        super().__init__(user)
        AuthToken.objects.filter(pk=self.row.pk).update(**columns_of(asks_for))


def of_people(*people: User) -> TokenAudience:
    """Return these people, as a token names them."""
    return TokenAudience(people=frozenset(person.pk for person in people))


@contextmanager
def read_by(readers: ChannelReaders) -> Iterator[None]:
    """Let Slack name these readers of every channel; tests of the bot cover how they are found."""

    def answer(**_: Any) -> ChannelReaders:
        return readers

    receivers, channel_readers_asked.receivers = channel_readers_asked.receivers, []
    channel_readers_asked.connect(answer, weak=False)
    try:
        yield
    finally:
        channel_readers_asked.receivers = receivers


def said_by_every_door(caller: Caller, chunks: set[UUID]) -> str:
    """Return what each address that takes the scope ask, and each tool, says to a program."""
    said = [
        by_mcp(caller, "search", query=QUESTION, k=MOST_SEARCH_RESULTS),
        by_mcp(caller, "ask", question=QUESTION),
        caller.post("search", query=QUESTION, k=MOST_SEARCH_RESULTS).content.decode(),
        caller.post("ask", question=QUESTION).content.decode(),
        *(caller.get(path).content.decode() for path in ("documents", "queries", "evaluations", "feedback")),
        caller.post("research", topic=QUESTION).content.decode(),
        caller.get("research").content.decode(),
        *(by_mcp(caller, "read_passage", chunk_id=str(pk)) for pk in chunks),
    ]
    return "".join(said)


@given(world=worlds(guests=False))
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(8)
def test_a_token_for_people_gives_what_all_of_them_may_read(world: World) -> None:
    """And its own person: every readable chunk, by REST and MCP, and no trace of another."""
    with built(world) as here, logged() as lines:
        person = here.asker()
        caller = OnBehalf(person, of_people(*(here.people[number] for number in world.readers if number is not None)))
        assert_floor(here, caller, here.readable(), lines)


@given(world=worlds(guests=False))
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@tried(8)
def test_a_token_for_a_channel_gives_what_its_readers_and_its_person_may_read(world: World) -> None:
    """The person need not be in the channel, and counts all the same."""
    with built(world) as here, logged() as lines, read_by(ChannelReaders(is_known=True, audience=here.audience())):
        person = here.people[-1]
        readers = [here.people[number].pk for number in world.readers if number is not None]
        readable = readable_by([*readers, person.pk], frozenset())
        assert_floor(here, OnBehalf(person, HERE), readable, lines)


def assert_floor(here: Built, caller: Caller, readable: set[UUID], lines: list[str]) -> None:
    """Assert that the program gets the readable chunks, and no interface reveals another document."""
    found = caller.post("search", query=QUESTION, k=MOST_SEARCH_RESULTS).json()
    assert_exactly(here, found, readable)
    by_tool = json.loads(by_mcp(caller, "search", query=QUESTION, k=MOST_SEARCH_RESULTS))
    assert_exactly(here, by_tool["result"]["structuredContent"], readable)
    listed = {one["id"] for one in caller.get("documents", page_size=200).json()["results"]}
    assert listed == {str(pk) for pk in here.wholes(readable)}
    every = chunks_of({document.pk for document in here.documents})
    said = said_by_every_door(caller, every)
    assert held_marks(said, here.marks_outside(readable)) == set()
    greedy = calls("pgvector_retriever", query="the harbour house secret of every plan")
    with script_model(greedy, greedy, answers()) as script:
        caller.post("ask", question=QUESTION)
    assert held_marks(json.dumps(script.asked), here.marks_outside(readable)) == set()
    assert held_marks(" ".join(lines), here.marks_outside(readable)) == set()


@pytest.mark.parametrize(
    "asks_for", [HERE, TokenAudience(people=frozenset({UUID(int=7)}))], ids=["unknown channel", "somebody deleted"]
)
def test_whom_nobody_knows_reads_nothing_and_the_answer_says_so(
    asks_for: TokenAudience, cast: Cast, library: Library
) -> None:
    """In the message, in `audience`, and in place of a passage or of an earlier result."""
    caller = OnBehalf(cast.alice, asks_for)
    with read_by(ChannelReaders(is_known=False)):
        answered = caller.ask(VAULT_QUESTION)
        problem = answered["audience"]["problem"]
        assert problem.endswith(("nothing can be shown.", "another token."))
        assert (answered["answer"], answered["message"], answered["retrieved"]) == (None, problem, [])
        searched = caller.post("search", query=VAULT_QUESTION).json()
        assert (searched["results"], searched["audience"]["problem"]) == ([], problem)
        chunk = chunks_of({library.canteen.pk}).pop()
        assert problem in by_mcp(caller, "read_passage", chunk_id=str(chunk))
        earlier = caller.get(f"queries/{answered['request_id']}")
        assert (earlier.status_code, earlier.json()["detail"]) == (404, problem)
        assert caller.get("documents").json()["count"] == 0
        assert_no_canary(caller.get("queries"))


def test_an_answer_says_for_whom_it_is(cast: Cast, library: Library) -> None:
    """By its kind, and by a number or a channel; never by the names of people."""
    people = OnBehalf(cast.alice, of_people(cast.alice, cast.bob)).ask(CANTEEN_QUESTION)
    assert people["audience"] == {"kind": "people", "label": "1", "problem": None}
    assert cast.bob.email not in json.dumps(people)
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.bob))):
        channel = OnBehalf(cast.alice, HERE)
        assert channel.ask(CANTEEN_QUESTION)["audience"] == {"kind": "channel", "label": CHANNEL, "problem": None}
        said = json.loads(by_mcp(channel, "search", query=CANTEEN_QUESTION))["result"]["structuredContent"]
        assert said["audience"]["kind"] == "channel"
    assert Caller(cast.alice).ask(CANTEEN_QUESTION)["audience"]["kind"] == "person"


def test_a_conversation_is_not_carried_from_one_audience_to_another(cast: Cast, library: Library) -> None:
    """Neither from the person's own to others, nor the other way round, nor between two of others."""
    callers = [Caller(cast.alice), OnBehalf(cast.alice, of_people(cast.bob)), OnBehalf(cast.alice, HERE)]
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice, cast.bob))):
        for caller in callers:
            begun = caller.ask(CANTEEN_QUESTION)["conversation_id"]
            for other in callers:
                continued = other.post("ask", question="And on Fridays?", conversation=begun)
                assert continued.status_code == (200 if other is caller else 404)
                if other is not caller:
                    assert other.post(f"conversations/{begun}/end").status_code == 404
                    assert "no such conversation" in by_mcp(other, "end_conversation", conversation_id=begun)
            by_tool = json.loads(by_mcp(caller, "ask", question=CANTEEN_QUESTION))["result"]["structuredContent"]
            for other in callers:
                went_on = by_mcp(other, "ask", question="And now?", conversation_id=by_tool["conversation_id"])
                assert ("no such conversation" in went_on) == (other is not caller)


def test_the_persons_own_questions_are_not_told_to_others(cast: Cast, library: Library) -> None:
    """Not in lists, not one by one, not by a vote. The person is shown what was asked for others, as they may read."""
    own, others = Caller(cast.alice), OnBehalf(cast.alice, of_people(cast.bob))
    secret = own.ask(VAULT_QUESTION)
    selected = own.ask("When does the shop close?", selected_text="The shop quagmire-7741 closes at six.")
    for asked in (secret, selected):
        assert own.post("feedback", request_id=asked["request_id"], verdict="up", comment="quagmire-7741").json()
        assert others.get(f"queries/{asked['request_id']}").status_code == 404
        assert others.post("feedback", request_id=asked["request_id"], verdict="up").status_code == 404
    for path in ("queries", "feedback", "evaluations"):
        assert others.get(path).json()["count"] == 0
        assert_no_canary(others.get(path))
    for_others = others.ask(CANTEEN_QUESTION)
    assert others.get(f"queries/{for_others['request_id']}").json()["answer"] == for_others["answer"]
    assert own.get(f"queries/{for_others['request_id']}").json()["answer"] == for_others["answer"]
    assert own.get("queries").json()["count"] == 3
    assert others.get("queries").json()["count"] == 1
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice))):
        in_channel = OnBehalf(cast.alice, HERE)
        assert in_channel.get(f"queries/{for_others['request_id']}").status_code == 404
        assert in_channel.get("queries").json()["count"] == 0


def test_a_research_is_for_those_for_whom_it_was_planned(cast: Cast, library: Library) -> None:
    """Programs for others are shown theirs alone, by every verb; the person is shown all, as they may read."""
    own, others, here = Caller(cast.alice), OnBehalf(cast.alice, of_people(cast.bob)), OnBehalf(cast.alice, HERE)
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice, cast.bob))):
        planned = {caller: caller.post("research", topic=OFFICE).json() for caller in (own, others, here)}
        assert [len(one["questions"]) for one in planned.values()] == [2, 1, 1]
        assert planned[others]["audience"] == {"kind": "people", "label": "1", "problem": None}
        for caller, research in planned.items():
            pk = research["research_id"]
            for other in (others, here):
                seen = 200 if other is caller else 404
                assert other.get(f"research/{pk}").status_code == seen
                assert other.get(f"research/{pk}/document").status_code == seen
                assert (OFFICE in by_mcp(other, "read_research", research_id=pk)) == (other is caller)
                if other is not caller:
                    assert other.post(f"research/{pk}/start").status_code == 404
                    assert other.post(f"research/{pk}/stop").status_code == 404
                    body = {"questions": [{"text": "What is it?"}]}
                    assert other.client.put(f"/api/v1/research/{pk}/plan", body, format="json").status_code == 404
                    assert other.client.delete(f"/api/v1/research/{pk}").status_code == 404
            assert own.get(f"research/{pk}").status_code == 200
        assert [caller.get("research").json()["count"] for caller in (own, others, here)] == [3, 1, 1]
        assert others.post(f"research/{planned[others]['research_id']}/start").status_code == 200
        run_research(UUID(planned[others]["research_id"]))
        done = others.get(f"research/{planned[others]['research_id']}")
        assert done.json()["state"] == "done"
        assert CANTEEN in done.content.decode()
        assert_no_canary(done)


def test_who_joins_the_channel_sees_of_a_research_what_they_may_read(cast: Cast, library: Library) -> None:
    """At the next look, in the plan and the page; where nobody knows who reads, nothing is shown, and it can end."""
    caller = OnBehalf(cast.alice, HERE)
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice))):
        pk = caller.post("research", topic=OFFICE).json()["research_id"]
        assert caller.post(f"research/{pk}/start").status_code == 200
        run_research(UUID(pk))
        assert VAULT in caller.get(f"research/{pk}").content.decode()
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice, cast.bob))):
        for path in (f"research/{pk}", f"research/{pk}/document"):
            assert CANTEEN in caller.get(path).content.decode()
            assert_no_canary(caller.get(path))
        assert [row["questions"] for row in caller.get("research").json()["results"]] == [1]
    with read_by(ChannelReaders(is_known=False)):
        for response in (
            caller.get("research"),
            caller.get(f"research/{pk}"),
            caller.get(f"research/{pk}/document"),
            caller.post("research", topic=OFFICE),
            caller.post(f"research/{pk}/start"),
        ):
            assert (response.status_code, "who reads that channel" in response.json()["detail"]) == (404, True)
        assert caller.client.delete(f"/api/v1/research/{pk}").status_code == 204


def test_a_research_for_a_channel_keeps_to_its_collections(cast: Cast, library: Library) -> None:
    """As every answer there does: the plan and what is asked."""
    shelf = ChannelReaders(is_known=True, audience=cast.audience(cast.alice), collections=("Zanzibar shelf",))
    caller = OnBehalf(cast.alice, HERE)
    with read_by(shelf):
        planned = caller.post("research", topic=OFFICE).json()
        assert [one["filters"]["collections"] for one in planned["questions"]] == [["Zanzibar shelf"]]
        pk, asked = planned["research_id"], {"questions": [{"text": CANTEEN_QUESTION}]}
        assert caller.client.put(f"/api/v1/research/{pk}/plan", asked, format="json").status_code == 200
        assert caller.post(f"research/{pk}/start").status_code == 200
        run_research(UUID(pk))
        page = caller.get(f"research/{pk}").json()["page"]
    assert CANTEEN not in json.dumps(page)
    assert {citation["document_id"] for citation in page["citations"]} == {str(library.vault.pk)}


def test_a_kept_reply_does_not_cross(cast: Cast, library: Library, settings: Settings) -> None:
    """A model's text for the person alone is not reused for others, nor the other way round."""
    settings.MODEL_CACHE_HOURS = 24
    own, others = Caller(cast.alice), OnBehalf(cast.alice, of_people(cast.bob))
    with script_model(*[tell_everything] * 8) as script:
        assert VAULT in str(own.ask(VAULT_QUESTION)["answer"])
        for _ in range(2):
            response = others.post("ask", question=VAULT_QUESTION)
            assert_no_canary(response)
            assert_no_canary(others.get(f"queries/{response.json()['request_id']}"))
        asked = len(script.asked)
        assert VAULT in str(own.ask(VAULT_QUESTION)["answer"])
    assert ModelReply.objects.exists()
    assert len(script.asked) == asked  # the person's own is given again


def test_a_verified_answer_does_not_cross(cast: Cast, library: Library) -> None:
    """It is the person's, and as if it were not there for others of whom one may not read its source."""
    code = "The vault in the harbour office opens with the code quagmire-7741."
    quote = SourceQuote(document="Zanzibar vault rules", quote=VAULT)
    verify_answer(Content(question=VAULT_QUESTION, text=code, quotes=(quote,), owner=cast.alice), by=cast.alice)
    assert Caller(cast.alice).ask(VAULT_QUESTION)["verified"]
    others = OnBehalf(cast.alice, of_people(cast.bob))
    assert_no_canary(others.post("ask", question=VAULT_QUESTION))
    assert [canary for canary in CANARIES if canary in by_mcp(others, "ask", question=VAULT_QUESTION)] == []
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice))):
        assert OnBehalf(cast.alice, HERE).ask(VAULT_QUESTION)["verified"]


def test_who_joins_the_channel_narrows_it_at_once(cast: Cast, library: Library) -> None:
    """The very next call: an answer of before is not shown again, and what is asked is asked for the newcomer too."""
    caller = OnBehalf(cast.alice, HERE)
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice))):
        answered = caller.ask(VAULT_QUESTION)
        assert VAULT in answered["answer"]
        assert caller.get(f"queries/{answered['request_id']}").status_code == 200
    with read_by(ChannelReaders(is_known=True, audience=cast.audience(cast.alice, cast.bob))):
        assert caller.get(f"queries/{answered['request_id']}").status_code == 404
        assert_no_canary(caller.post("ask", question=VAULT_QUESTION))
        assert_no_canary(caller.post("search", query=VAULT_QUESTION, k=MOST_SEARCH_RESULTS))


def test_readers_who_change_while_it_is_answered_are_not_told(cast: Cast, library: Library) -> None:
    """Bob joins after the search and before the answer: it is for neither him nor those before."""
    told = iter([cast.audience(cast.alice), cast.audience(cast.alice, cast.bob)])

    def answer(**_: Any) -> ChannelReaders:
        return ChannelReaders(is_known=True, audience=next(told))

    with read_by(ChannelReaders(is_known=False)):
        channel_readers_asked.receivers = []
        channel_readers_asked.connect(answer, weak=False)
        response = OnBehalf(cast.alice, HERE).post("ask", question=VAULT_QUESTION)
    assert response.status_code == 404
    assert "Who may read" in response.json()["detail"]
    assert_no_canary(response)
