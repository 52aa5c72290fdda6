"""Test the matching of sentences with a question: their weights, and which are compared in meaning."""

from collections.abc import Sequence

import pytest

from core.language.nlp.sentence_scoring import MOST_COMPARED, Matches, ignore_meaning, match
from core.language.nlp.text import content_stems, split_questions, words_of

ANN = "Then Ann Berg drew it."


def matched(question: str, *passages: tuple[str, str]) -> Matches:
    """The passages, each a heading and a text, beside a question by words alone."""
    return match(question, passages, ignore_meaning)


@pytest.mark.parametrize(
    ("word", "heading", "coverage"),
    [
        ("lantern", "Pier rules", {"The lantern burns.": 1.0, "The keeper sleeps.": 0.25}),
        ("lanterns", "Lantern rules", {"The lantern burns.": 1.0, "The keeper sleeps.": 0.4}),
        ("rules", "Pier rules", {"The lantern burns.": 0.4, "The keeper sleeps.": 0.4}),
        ("2024", "Pier rules, 3 March 2024", {"The lantern burns.": 1.0, "The keeper sleeps.": 1.0}),
        ("March", "Pier rules, 3 March 2024", {"The lantern burns.": 1.0, "The keeper sleeps.": 1.0}),
        ("anchor", "Pier rules", {"The lantern burns.": 0.0, "The keeper sleeps.": 0.0}),
        ("what is it", "Pier rules", {"The lantern burns.": 0.0, "The keeper sleeps.": 0.0}),
    ],
)
def test_where_a_word_stands_says_what_it_counts(word: str, heading: str, coverage: dict[str, float]) -> None:
    """Fully in the sentence, less in the heading, least elsewhere in the passage; a date in the heading fully."""
    found = matched(word, (heading, "The lantern burns. The keeper sleeps."))
    assert {sentence.text: sentence.coverage for sentence in found.sentences} == pytest.approx(coverage)


@pytest.mark.parametrize(
    ("heading", "coverage"),
    [
        ("Pier rules, May dogs come along?", 0.8),
        ("Pier rules, Visits > May dogs come along?, page 3", 0.8),
        ("Pier rules, Dogs come along", 0.4),
    ],
)
def test_a_question_above_an_answer_counts_as_what_introduces_it(heading: str, coverage: float) -> None:
    """As in lists of questions and answers: "yes, on a lead" holds no word of what is asked."""
    compared: list[str] = []

    def compare(_question: str, texts: Sequence[str]) -> Sequence[float]:
        compared.extend(texts)
        return [0.0] * len(texts)

    [found] = match("dogs along", [(heading, "Yes, on a lead.")], compare).sentences
    assert found.coverage == pytest.approx(coverage)
    assert compared == ["May dogs come along? Yes, on a lead." if coverage == 0.8 else "Yes, on a lead."]


def test_another_passage_does_not_count() -> None:
    """Neither its sentences nor its heading lend a word."""
    found = matched("lantern tide", ("Tide tables", "The lantern burns."), ("Rules", "The keeper sleeps."))
    assert [sentence.coverage > 0 for sentence in found.sentences] == [True, False]


def test_rare_words_weigh_more_and_earlier_questions_half() -> None:
    """A word of both questions weighs as one of the last."""
    passage = ("", "The keeper paints. The keeper sleeps. The anchor holds.")
    weights = matched("Who is the keeper of the buoy? Does the buoy need an anchor, a keel, a keeper?", passage).weights
    assert set(weights) == {"keeper", "buoy", "need", "anchor", "keel"}
    assert weights["keel"] == weights["buoy"] > weights["anchor"] > weights["keeper"] > 0
    alone = matched("Does the keel need an anchor?", passage).weights
    before = matched("Does the keel need an anchor? Who sleeps?", passage).weights
    assert {stem: before[stem] / alone[stem] for stem in alone} == pytest.approx(dict.fromkeys(alone, 0.5))


def test_what_of_the_question_a_passage_lacks() -> None:
    """The heading counts as the text does, other passages do not; of a question without words nothing is lacking."""
    passages = (("Lantern rules", "The keeper sleeps."), ("Tides", "The anchor holds."))
    found = matched("Does the keeper of the lantern sleep?", *passages)
    assert [found.measure_missing(0), found.measure_missing(1)] == pytest.approx([0.0, 1.0])
    half = matched("The lantern and the compass?", *passages)
    assert half.measure_missing(0) == pytest.approx(half.weights["compass"] / sum(half.weights.values()))
    assert matched("What is it?", *passages).measure_missing(1) == 0.0


def test_only_promising_sentences_are_compared_in_meaning() -> None:
    """Those that hold most of the question; of equal ones those of the first passages; in the order of the text."""
    shown: list[str] = []

    def counting(question: str, texts: Sequence[str]) -> Sequence[float]:
        shown.extend(texts)
        return [float(number) for number in range(len(texts))]

    idle = " ".join(f"Rope {number} lies here." for number in range(MOST_COMPARED))
    found = match("Who lit the lantern?", [("", idle), ("", idle), ("", f"{idle} Ann lit the lantern.")], counting)
    first = [f"Rope {number} lies here." for number in range(MOST_COMPARED - 1)]
    assert shown == [*first, "Ann lit the lantern."]
    assert [(s.text, s.similarity) for s in found.sentences] == list(zip(shown, range(MOST_COMPARED), strict=True))
    last = found.sentences[-1]
    assert (last.passage, last.start, last.end) == (2, len(idle) + 1, len(idle) + 1 + len("Ann lit the lantern."))


def test_without_sentences_nothing_is_compared() -> None:
    """Not even the question is embedded."""

    def never(question: str, texts: Sequence[str]) -> Sequence[float]:
        raise AssertionError(question)

    assert match("Who lit the lantern?", [("Lantern", " \n ")], never).sentences == ()


@pytest.mark.parametrize(
    ("question", "asks", "holding"),
    [
        ("How many of its 7 piers hold boats?", True, {"It holds twelve boats."}),
        ("What was the load limit of the pier?", True, {"It holds 7 boats.", "It holds twelve boats."}),
        (
            "What year was the load limit set?",
            True,
            {"It opened in 1904.", "It holds 7 boats.", "It holds twelve boats."},
        ),
        (
            "What did Ann say about the load limit?",
            False,
            {"It opened in 1904.", "It holds 7 boats.", "It holds twelve boats.", ANN},
        ),
        ("When was the pier built?", True, {"It opened in 1904.", "It holds 7 boats.", "It holds twelve boats."}),
        ("Who built the pier?", True, {ANN}),
        ("Was Ann Berg known? Who drew it?", True, set()),
        ("Why was it built?", False, {"It opened in 1904.", "It holds 7 boats.", "It holds twelve boats.", ANN}),
    ],
)
def test_the_kind_of_thing_that_is_asked_for(question: str, asks: bool, holding: set[str]) -> None:
    """A number, a date or a name that the question does not name itself; nothing else lacks a kind."""
    texts = ("It opened in 1904.", "It holds 7 boats.", "It holds twelve boats.", ANN)
    found = matched(question, *(("", text) for text in texts)).sentences
    assert {sentence.asks_for_kind for sentence in found} == {asks}
    kept = {sentence.text for sentence in found if sentence.holds_kind}
    assert kept == holding


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Who sails? And where to?", ["Who sails?", "And where to?"]),
        ("The boat leaks. Who mends it?", ["The boat leaks. Who mends it?"]),
        ("Who sails?", ["Who sails?"]),
        ("rope", ["rope"]),
        (" ", [" "]),
        ("", [""]),
    ],
)
def test_questions_one_after_the_other(text: str, questions: list[str]) -> None:
    """A question mark ends one; there is always one, be it empty."""
    assert split_questions(text) == questions


def test_a_month_is_no_function_word() -> None:
    """ "May" is kept where "may" is not."""
    assert content_stems("May the crew sail in May? It may.") == ["may", "crew", "sail", "may"]


@pytest.mark.parametrize(
    ("line", "is_matched"),
    [
        ('  "answer": "The lantern burns at dusk. [1]",', False),
        ('{"id": "1", "question": "lantern", "as": "bob@example.com"}', False),
        ('ask "When does the lantern burn?" --json', False),
        ("When, the visitor asked, does the lantern burn?", True),
        ('The keeper says: "The lantern burns at dusk."', True),
        ("The lantern burns when the sun does not.", True),
    ],
)
def test_what_answers_nobody_is_left_out(line: str, is_matched: bool) -> None:
    """JSON, and examples that repeat the question word for word; their words do not count for the passage either."""
    found = matched("When does the lantern burn?", ("Manual", f"The keeper sleeps.\n\n{line}"))
    assert ("lantern" in found.stems[0]) is is_matched
    assert any("lantern" in sentence.text for sentence in found.sentences) is is_matched


def test_words_to_look_for_are_no_question() -> None:
    """A sentence that has them unchanged is the best there is."""
    [sentence] = matched("lantern burns at dusk", ("", "The lantern burns at dusk.")).sentences
    assert sentence.coverage == 1.0


@pytest.mark.parametrize(
    ("question", "line", "is_matched"),
    [
        ("What happened to the boat at Wick?", "Place: Wick Boat: Maribel Weather: Clear", False),
        ("Which boat was at Wick?", "Place: Wick Boat: Maribel Weather: Clear", True),
        ("What happened to the boat at Wick?", "The boat ran aground at Wick.", True),
        ("What was the catch in November 2024?", "The catch was 7 tonnes in September.", False),
        ("What was the catch in November 2024?", "The catch was 7 tonnes in November, 5 in September.", True),
        ("What was the catch in November 2024?", "The catch was 7 tonnes.", True),
        ("Which deadline was set in November 2024?", "The catch is to be told in September.", True),
    ],
)
def test_what_cannot_answer_is_left_out(question: str, line: str, is_matched: bool) -> None:
    """A form's line for what happened, and another month's figure."""
    assert bool(matched(question, ("Log", line)).sentences) is is_matched


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("What is the phone number of room 4?", True),
        ("Where is the key of room 4?", True),
        ("Which key does room 4 need?", True),
        ("What is the phone number of room 9?", False),  # a word that the form has nowhere
        ("How many seats are there?", False),  # another field's label
    ],
)
def test_a_question_names_a_field_by_its_label(question: str, is_named: bool) -> None:
    """And nothing that its form does not hold."""
    form = ("Rooms", "Card of room 4\n\nPhone: 4471\nKey: at the desk\nSeats on request: 18")
    assert any(sentence.is_named for sentence in matched(question, form).sentences) is is_named


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does 2.1 of the pier rules say?", ["- 2.1 Rinse the deck."]),
        ("What does clause 2.10 say?", ["- 2.10 Lock the shed."]),
        ("What does 2.2 say?", []),
        ("What does 2.1 of the harbour rules say?", []),  # of another document
        ("How often is the deck rinsed by 2.1?", []),
    ],
)
def test_a_question_names_a_clause_by_its_number(question: str, named: list[str]) -> None:
    """And else nothing but its document; what is named goes first."""
    found = matched(question, ("Pier rules", "- 2.1 Rinse the deck.\n- 2.10 Lock the shed.\n- 3. Go home."))
    assert [sentence.text for sentence in found.sentences if sentence.is_named] == named
    assert not named or max(found.sentences, key=lambda sentence: sentence.score).text == named[0]


@pytest.mark.parametrize(
    ("text", "words", "stems"),
    [
        ("Zoë Lefèvre", ["Zoë", "Lefèvre"], ["zoe", "lefevr"]),
        ("Zoe Lefevre", ["Zoe", "Lefevre"], ["zoe", "lefevr"]),
        ("Søren Ångström, Łódź, 7×3", ["Søren", "Ångström", "Łódź", "7", "3"], ["soren", "angstrom", "lodz", "7", "3"]),
        ("Großmann's Bücher", ["Großmann's", "Bücher"], ["grossmann", "bucher"]),
    ],
)
def test_letters_with_marks_are_letters(text: str, words: list[str], stems: list[str]) -> None:
    """And meet those without, as people type them."""
    assert words_of(text) == words
    assert content_stems(text) == stems


@pytest.mark.parametrize(
    ("question", "heading", "is_named"),
    [
        ("What happens if the power fails?", "Instruction 7, 3 June 2025, If the power fails", True),
        ("what do i do if the power fails", "Instruction 7, 2.4 If the power fails, page 3", True),
        ("What happens if the power fails at night?", "Instruction 7, If the power fails", False),
        ("Who voted for the indoor pool?", "Minutes, 1. Indoor pool", False),
        ("What happens if the power fails?", "Instruction 7, Power", False),
        ("What about power?", "Instruction 7, Power", False),
        ("What should I know about weighing quasars?", "Fog, Weighing quasars", False),
    ],
)
def test_a_section_is_named_by_its_heading_alone(question: str, heading: str, is_named: bool) -> None:
    """And answered by its first sentence, which stands in the passage that begins it."""
    sentences = matched(question, (heading, "The battery lasts 40 minutes. Mr Lind voted against the pool.")).sentences
    assert [sentence.is_named for sentence in sentences] == [is_named, False][: len(sentences)]
