"""The steps of the agent at an answer: in words, with links to what the viewer may read."""

import pytest
from django.test import Client
from django.urls import reverse

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.llm.scripted import answers, script_model
from core.models import Answer
from core.testing import Cast, make_document

TEXT = "The canteen in the harbour office opens at noon."


@pytest.mark.usefixtures("fast")
def test_without_a_language_model_none_is_said_to_have_led(cast: Cast) -> None:
    """The key-free model only chooses sentences, whatever its one step is called."""
    make_document("Canteen rules", TEXT, roles=[cast.staff])
    ask("When does the canteen open?", asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    cast.bob.is_staff = cast.bob.is_superuser = True
    cast.bob.save()
    client = Client()
    client.force_login(cast.bob)
    page = client.get(reverse("admin:core_answer_change", args=[Answer.objects.get().pk]), follow=True).content.decode()
    assert "No language model: sentences of the documents were chosen" in page
    assert "The model led" not in page


@pytest.mark.usefixtures("fast")
def test_the_steps_are_told_in_words(cast: Cast) -> None:
    """The page has the leader, the returned drafts and the dropped statements; a reader of nothing sees no title."""
    make_document("Canteen rules", TEXT, roles=[cast.staff])
    lie = answers(("The canteen in the harbour office opens at ten.", 1, TEXT.replace("noon", "ten")))
    with script_model(lie, lie):
        result = ask("When does the canteen open?", asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    answer = Answer.objects.get(query__request_id=result.request_id)
    for person in (cast.alice, cast.charlie):
        person.is_staff = person.is_superuser = True
        person.save()
        client = Client()
        client.force_login(person)
        page = client.get(reverse("admin:core_answer_change", args=[answer.pk]), follow=True).content.decode()
        assert "The model led, and called tools (hosted model)" in page
        assert "a number in it, or its unit, is not the one in its quotes (1)" in page
        assert "Gave its statements" in page
        assert "sent back: some statements were not supported by their quotes" in page
        assert "opens at ten" not in page
