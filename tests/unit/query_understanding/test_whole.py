"""Questions about a document as a whole, and the words by which they name it."""

import pytest

from core.language.query_understanding.whole import Name, find_id_asked, find_whole_document, read_name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Summarise the pilot manual", "the pilot manual"),
        ("please summarize the pilot manual for me in five sentences", "the pilot manual"),
        ("summarise the pilot manual in seven short points", "the pilot manual"),
        ("Could you please give us a short summary of the pilot manual?", "the pilot manual"),
        ("I need an overview of the pilot manual", "the pilot manual"),
        ("can I have a quick overview on the pilot manual, please?", "the pilot manual,"),
        ("tl;dr of the pilot manual", "the pilot manual"),
        ("outline the pilot manual briefly", "the pilot manual"),
        ("What are the main points of the pilot manual?", "the pilot manual"),
        ("key takeaways from the pilot manual", "the pilot manual"),
        ("what is the pilot manual all about?", "the pilot manual"),
        ("what's in the pilot manual?", "the pilot manual"),
        ("tell me about the pilot manual", "the pilot manual"),
        ("summarise arXiv 2212.11772", "arXiv 2212.11772"),
        ("what is arXiv 2212.11772 about?", "arXiv 2212.11772"),
        ("What's in arXiv 2212.11772?", "arXiv 2212.11772"),
        ("tell me about pilots", ""),
        ("what does the pilot manual say about fog?", ""),
        ("who wrote the summary of the pilot manual?", ""),
        ("How do I outline a chart?", ""),
    ],
)
def test_what_is_asked_about_as_a_whole(question: str, name: str) -> None:
    """By the frame of the question; of a thing one may ask in the same words."""
    assert find_whole_document(question) == name


@pytest.mark.parametrize(
    ("question", "by_id"),
    [
        ("Which paper has the arXiv id 2212.11772 and what does it propose?", "2212.11772"),
        ("which paper has the arXiv id 2212.11772", "2212.11772"),
        ("what paper is arxiv 2212.11772, and what is it about?", "2212.11772"),
        ("What does arXiv:2212.11772 show?", "2212.11772"),
        ("what does the paper 2212.11772 say about fog?", ""),
        ("Which paper has the arXiv id 2212.11772 and who wrote it?", ""),
        ("Which paper has the most pages?", ""),
    ],
)
def test_a_paper_is_asked_for_by_its_id(question: str, by_id: str) -> None:
    """The question asks no more than for the paper and its content."""
    assert find_id_asked(question) == by_id


def test_a_name_has_words_of_its_own_and_words_for_a_kind() -> None:
    """Some kinds are types that a document has, others are what people call whatever they read."""
    assert read_name("the tide rules") == Name(own=("tide",), has_kind=True)
    assert read_name("the tide report") == Name(own=("tide",), types=("report",), has_kind=True)
    assert read_name("how the tide works") == Name(own=("tide", "works"))
    assert read_name("the document on the tide") == Name(own=("tide",), has_kind=True)


def test_what_has_become_a_filter_is_no_word_of_the_name() -> None:
    """Dates, and "latest"."""
    words = "the latest harbour minutes of March 2024"
    assert read_name(words, is_dated=True) == Name(own=("harbour",), types=("minutes",), has_kind=True)
    assert read_name(words).own == ("latest", "harbour", "March", "2024")
