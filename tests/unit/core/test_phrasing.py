"""Headings become questions that a colleague would ask, and headings of form become none."""

import pytest

from core.asking.suggestions.phrasing import Phrased, Sort, name_topic, name_with_article, phrase
from core.language.nlp.headings import is_of_form, write_in_sentence


def question_of(heading: str, text: str = "", **of: bool) -> str:
    made = phrase(heading, text, **of)
    return made.question if made else ""


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("2.1 Opening hours", "What are the opening hours?"),
        ("Dress code", "What is the dress code?"),
        ("The purpose of a lockout", "What is the purpose of a lockout?"),
        ("Report an accident", "How do I report an accident?"),
        ("Adding documents", "How do I add documents?"),
        ("Getting your badge back", "How do I get my badge back?"),
        ("How to claim expenses", "How do I claim expenses?"),
        ("Where to ask for help", "Where can I ask for help?"),
        ("Who to call", "Whom should I call?"),
        ("How answers are made", "How are answers made?"),
        ("How vector search works", "How does vector search work?"),
        ("What an answer looks like", "What does an answer look like?"),
        ("When you are late for work", "What should I do when I am late for work?"),
        ("When a machine stops", "What happens when a machine stops?"),
        ("Before you leave the shop", "What should I do before I leave the shop?"),
        ("After a splash into the eyes", "What should I do after a splash into the eyes?"),
        ("3. Who opens the gate at night?", "Who opens the gate at night?"),
        ("Annual leave", "What should I know about annual leave?"),
        ("The slash command", "What is the slash command?"),
        ("Review of the budget", "What should I know about the review of the budget?"),
    ],
)
def test_a_heading_becomes_what_its_section_answers(heading: str, question: str) -> None:
    """In the words of whoever wants to know."""
    assert question_of(heading) == question


@pytest.mark.parametrize(
    "heading",
    [
        "Before you begin",
        *("Introduction", "1.2", "IV.", "Table of contents", "Appendix B", "Summary", "The basics"),
        *("Figure 3", "Chapter 4", "References", "Chapter quiz", "Quick links", "List of figures", "Week 2"),
        *("[InSite](https://example.org)", "set_status(name)", "Who are we?", "What this shows", "Really?"),
        *("Gates are closed at night", "On your own machine", "Many at once", "Untangling the cables", "Invite it"),
        *("508 - Accessibility", "A heading that is much too long to be read within a question by anybody"),
    ],
)
def test_what_tells_no_subject_makes_no_question(heading: str) -> None:
    """A part of a text, a sentence, a piece of code, or what only the text itself can say."""
    assert question_of(heading) == ""


def test_what_the_document_is_decides_how_a_subject_is_asked_about() -> None:
    """Rules of a handbook, definitions of a book."""
    assert question_of("Sick leave", is_of_rules=True) == "What are the rules for sick leave?"
    assert question_of("Exact search", defines=True) == "What is exact search?"
    assert question_of("Word vectors", defines=True) == "What are word vectors?"
    assert question_of("Loss function", "Training needs a loss function.", defines=True) == "What is a loss function?"


def test_a_question_that_says_too_little_is_told() -> None:
    """If no document is named, nobody knows which steps are meant."""
    assert phrase("Steps", "") == Phrased(question="What are the steps?", sort=Sort.LOOKED_UP, is_vague=True)
    assert phrase("Opening hours", "") == Phrased(
        question="What are the opening hours?", sort=Sort.LOOKED_UP, is_vague=False
    )


def test_names_keep_their_capitals_within_a_sentence() -> None:
    """A word in small letters in the text is no name; a word with a capital within a sentence is one."""
    assert write_in_sentence("Canteen Soup", "The canteen has soup.") == "canteen soup"
    assert write_in_sentence("Visiting Harbour House", "You reach Harbour House by ship.") == "visiting Harbour House"
    assert write_in_sentence("OPENING HOURS", "") == "opening hours"
    assert write_in_sentence("OSHA rules", "") == "OSHA rules"
    assert write_in_sentence("Paperwork Reduction Act", "") == "the Paperwork Reduction Act"
    assert write_in_sentence("Open market in Ghent", "The market is open.") == "open market in Ghent"
    assert name_topic("Understanding word vectors", "") == "word vectors"
    assert name_with_article("review of the budget") == "the review of the budget"
    assert name_with_article("opening hours") == "opening hours"
    assert is_of_form("Appendix B")
    assert not is_of_form("Opening hours")
