"""Every door by which words of an earlier answer come out again, each as one text."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from django.test import Client
from django.urls import reverse

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.audit import export
from core.asking.explanations import explain
from core.asking.receipts.verify_receipt import decode
from core.asking.verified_answers.editing import may_read, read_content
from core.asking.verified_answers.suggestions import list_suggestions
from core.errors import NotFoundError, ReceiptError
from core.llm.scripted import answers, script_model
from core.mcp.forms import Call
from core.mcp.tools import ASK, READ_PASSAGE, SEARCH, AskArguments, PassageArguments, SearchArguments
from core.models import Answer, Citation, Query, User, VerifiedAnswer
from core.programs.asking import Program
from core.serialization import as_json
from core.types import Audience, Origin
from tests.integration.rest.conftest import Caller

Door = Callable[[User, Query], str]


def by_results(person: User, queries: Iterable[Query]) -> str:
    """Return results among others, for one person."""
    ids = [query.request_id for query in queries]
    many = api.stored_results(ids, audience=audience_of([person.pk]), viewer=person.pk)
    return "".join(json.dumps(as_json(one)) for one in many.values())


def by_shared_result(person: User, query: Query) -> str:
    """Return the result alone, as Slack posts or shares it."""
    try:
        return json.dumps(as_json(api.stored_result(query.request_id, audience=audience_of([person.pk]))))
    except NotFoundError:
        return ""


def by_result(person: User, query: Query) -> str:
    """The result itself, alone and among others, for one person and as Slack posts or shares it."""
    return by_results(person, [query]) + by_shared_result(person, query)


def by_why(person: User, query: Query) -> str:
    """Return how the answer came about, as it is explained to one person and over REST."""
    try:
        told = str(explain(query.request_id, audience=audience_of([person.pk]), viewer=person.pk))
    except NotFoundError:
        told = ""
    return told + Caller(person, "ask").get(f"queries/{query.request_id}/why").content.decode()


def by_quotes(person: User, query: Query) -> str:
    """The quotes with the words around them."""
    quotes = api.stored_quotes(query.request_id, audience=audience_of([person.pk]), viewer=person.pk)
    return "".join(str(asdict(quote)) for quote in quotes)


def by_citation(person: User, query: Query) -> str:
    """Return the opened pages of each citation, as far as they are of that time."""
    opened, audience = [], audience_of([person.pk])
    for pk in Citation.objects.filter(answer__query=query).values_list("pk", flat=True):
        try:
            opened.append(str(api.open_citation(pk, audience=audience, viewer=person.pk).citation))
        except NotFoundError:
            continue
    return "".join(opened)


def by_follow_up(person: User, query: Query) -> str:
    """Return what a model reads of the conversation when somebody asks on in it."""
    with script_model("And who knows that?", answers()) as script:
        said = api.ask(
            "And who knows that?",
            asker=asker_for(person),
            audience=audience_of([person.pk]),
            conversation=query.conversation_id,
        )
    return json.dumps(script.asked) + json.dumps(as_json(said))


def by_asking_again(person: User, query: Query) -> str:
    """Return the reply to the same question, which may be a colleague's verified answer."""
    said = api.ask(query.question_text, asker=asker_for(person), audience=audience_of([person.pk]))
    return json.dumps(as_json(said))


def by_replay(person: User, query: Query) -> str:
    """Return what a replay shows of the question's result."""
    replayed = api.replay(query.request_id)
    is_asker = query.user_id == person.pk
    then, _ = api.readable_run(replayed.then, reads=audience_of([person.pk]), is_asker=is_asker)
    return str(then)


def by_private_offer(person: User, query: Query) -> str:
    """Return the standalone question, as it is offered to be answered in private."""
    try:
        return str(api.may_read_more(query.request_id, audience=audience_of([person.pk]), than=Audience.nobody()))
    except NotFoundError:
        return ""


def by_private_answer(person: User, query: Query) -> str:
    """The same question asked once more for one person, as a button or the check of a changed source asks it."""
    audience = audience_of([person.pk])
    said = api.ask(query.question_text, asker=asker_for(person), audience=audience, again=query.pk)
    kept = Query.objects.get(request_id=said.request_id)
    shown = api.stored_result(said.request_id, audience=audience)
    return json.dumps([as_json(said), as_json(shown), kept.question_text])


def by_mcp(person: User, query: Query) -> str:
    """Return what MCP's tools say: the same question, a search, and the passages that the answer cites."""
    call = Call(program=Program(person=person, origin=Origin.MCP))
    told: list[object] = [
        ASK.run(call, AskArguments(question=query.question_text)),
        SEARCH.run(call, SearchArguments(query=query.question_text, k=20)),
    ]
    for chunk in Citation.objects.filter(answer__query=query).values_list("chunk", flat=True):
        try:
            told.append(READ_PASSAGE.run(call, PassageArguments(chunk_id=chunk)) if chunk else "")
        except NotFoundError:
            continue
    return json.dumps(told, default=str)


def by_exports(person: User, query: Query) -> str:
    """Return the exports: figures as files, gaps, and the audit trail."""
    caller = Caller(person, "ask", "reports")
    files = [
        caller.get("reports", by="day", format="csv"),
        caller.get("reports/usage", format="csv"),
        caller.get("reports/editions"),
        caller.get("gaps"),
        caller.get("evaluations"),
    ]
    lines = [f"{file.status_code}: {file.content.decode()}\n" for file in files]
    return "".join([*lines, *export("csv", by=person)])


def by_list(person: User, query: Query) -> str:
    """A person's own last questions."""
    return str(api.recent_questions(person.pk, audience=audience_of([person.pk])))


def by_verified_answers(person: User, query: Query) -> str:
    """Verified answers as their page shows them, and what could be taken over."""
    shown = [
        str(read_content(row, reader=audience_of([person.pk])))
        for row in VerifiedAnswer.objects.all()
        if may_read(row, person)
    ]
    return "".join([*shown, *map(str, list_suggestions(viewer=person))])


def by_rest(person: User, query: Query) -> str:
    """The question and the lists over REST."""
    caller = Caller(person, "ask", "reports", "ingest")
    pages = (f"queries/{query.request_id}", "queries", "verified-answers")
    return "".join(caller.get(page).content.decode() for page in pages)


def by_admin(person: User, query: Query) -> str:
    """The pages of the question, its answer, its conversation and of verified answers."""
    client = Client()
    client.force_login(person)
    answer = Answer.objects.filter(query=query).first()
    addresses = [
        reverse("admin:core_query_change", args=[query.pk]),
        reverse("admin:core_conversation_change", args=[query.conversation_id]),
        reverse("admin:core_verifiedanswer_changelist"),
        reverse("admin:core_verifiedanswer_suggestions"),
        reverse("admin:core_query_changelist"),
        f"{reverse('admin:core_querylog_changelist')}?kept=no",
        reverse("admin:core_feedback_changelist"),
        reverse("admin:core_contentgap_changelist"),
        f"{reverse('admin:core_verifiedanswer_add')}?query={query.pk}",
        *([reverse("admin:core_answer_change", args=[answer.pk])] if answer else []),
        *(reverse("admin:core_verifiedanswer_change", args=[row.pk]) for row in VerifiedAnswer.objects.all()),
    ]
    return "".join(client.get(address, follow=True).content.decode() for address in addresses)


def by_receipt(person: User, query: Query) -> str:
    """Return all that a receipt holds or says instead: from the core, its page and REST, its parts decoded."""
    told = []
    try:
        reads = audience_of([person.pk])
        receipt = api.issue_receipt(query.request_id, audience=reads, viewer=person, by_right=True)
    except (NotFoundError, ReceiptError) as error:
        told.append(error.message)
    else:
        told.append(read_whole(receipt.content))
    client = Client()
    client.force_login(person)
    address = reverse("receipt", args=[query.request_id])
    told += [client.get(address).content.decode(), read_given(client.post(address).content)]
    return "".join([*told, read_given(Caller(person, "ask").post(f"queries/{query.request_id}/receipt").content)])


def read_given(content: bytes) -> str:
    """Return what was answered, decoded where it is a receipt."""
    try:
        return read_whole(json.loads(content))
    except (ValueError, KeyError):
        return content.decode()


def read_whole(receipt: Mapping[str, Any]) -> str:
    """Return everything that a receipt holds, decoded."""
    texts = [receipt["payload"], receipt["protected"], *receipt["header"]["disclosures"]]
    return "".join(json.dumps(json.loads(decode(each)), ensure_ascii=False) for each in texts)


# What each says is of the person alone, whichever question is asked about.
OF_PERSONS: tuple[Door, ...] = (by_list, by_verified_answers)
CHEAP: tuple[Door, ...] = (by_result, by_why, by_quotes, by_citation, *OF_PERSONS)
ALL: tuple[Door, ...] = (
    *CHEAP,
    by_follow_up,
    by_asking_again,
    by_replay,
    by_private_offer,
    by_private_answer,
    by_mcp,
    by_rest,
    by_exports,
    by_admin,
    by_receipt,  # issues one, which exports tell: the last
)


def said_of_each(doors: Iterable[Door], person: User, queries: Iterable[Query]) -> Iterator[tuple[str, str]]:
    """Yield the name and the output of each interface for each question; once where it is of the person alone.

    doors: none that changes what another one says.
    """
    for number, query in enumerate(queries):
        yield from said_by((door for door in doors if not number or door not in OF_PERSONS), person, query).items()


def said_by(doors: Iterable[Door], person: User, query: Query) -> dict[str, str]:
    """Return each interface's output for a person about a question."""
    return {door.__name__: door(person, query) for door in doors}
