"""The corpus's embedding model: the first document decides, and the setting no longer matters then."""

import pytest
from django.core.checks import Tags, run_checks
from pytest_django import DjangoAssertNumQueries, Settings

from core.library import embedding
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.store import store
from core.models import Collection, EmbeddingModel
from tests.integration.embedding.server import Embeddings

pytestmark = pytest.mark.django_db


def warnings() -> set[tuple[str, str | None]]:
    """Return the warnings of the system checks about the model."""
    found = run_checks(tags=[Tags.database], databases=["default"])
    return {(message.msg, message.hint) for message in found if message.id == "footnote.W005"}


@pytest.fixture
def embedded(server: Embeddings) -> None:
    """A library of one document, embedded by the model of the setting."""
    parsed = ParsedDocument(title="Lift", blocks=(Block(text="Press the button."),))
    shelf = Collection.objects.create(name="Manuals")
    store(parsed, collection=shelf, source="lift", content_hash="0" * 64)


def test_a_new_corpus_takes_the_model_of_the_setting(server: Embeddings, settings: Settings) -> None:
    """And would take another one after another setting, as long as nothing is in it."""
    assert embedding.provider().name == "openai/hash-384"
    settings.EMBEDDING_MODEL = "packaged"
    assert embedding.provider().name == "all-MiniLM-L6-v2"
    assert EmbeddingModel.objects.count() == 0
    assert warnings() == set()


@pytest.mark.usefixtures("embedded")
def test_the_first_document_decides(settings: Settings) -> None:
    """Another setting changes nothing but a warning that says what to do."""
    row = EmbeddingModel.objects.get()
    assert (row.name, row.setting, row.dimension) == ("openai/hash-384", "litellm:openai/hash-384", 384)
    assert warnings() == set()
    settings.EMBEDDING_MODEL = "packaged"
    assert embedding.provider().name == "openai/hash-384"
    said = "EMBEDDING_MODEL is packaged, and the library is embedded by openai/hash-384."
    advice = "To change the library's model, run: manage.py reembed. To keep it, set EMBEDDING_MODEL="
    assert warnings() == {(said, f"{advice}litellm:openai/hash-384")}


@pytest.mark.usefixtures("embedded")
def test_which_model_it_is_takes_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    """Every time: another process may have changed it. The provider itself is kept."""
    with django_assert_num_queries(1):
        first = embedding.provider()
    with django_assert_num_queries(1):
        assert embedding.provider() is first


@pytest.mark.usefixtures("embedded")
def test_a_provider_in_use_goes_before_it(fast: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    """As tests and measurements need."""
    with django_assert_num_queries(0):
        assert embedding.provider().name == "hashing-test-double"
