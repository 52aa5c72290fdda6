"""Hold that readings decide the order of passages, the sentence, the closest, and how sure an answer is."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.asking.answering import ordering
from core.asking.answering.closest import closest_passages
from core.asking.answering.ordering import READ, order_by_reading
from core.asking.answering.understanding import understand_selection
from core.asking.confidence.estimate import probability
from core.asking.confidence.evidence import evidence_of
from core.asking.confidence.judgement import judge
from core.asking.generation.extractive.selection import select
from core.asking.generation.markup import MarkedPassage
from core.asking.reading.readings import Reading, hold
from core.language.nlp.sentence_scoring import ignore_meaning, match
from core.types import Filters, Passage
from tests.unit.reading.made import make_reading, reads
from tests.unit.verification.passages import passage

TODAY = dt.date(2026, 3, 15)
QUESTION = "what time can I get lunch?"
CANTEEN = passage("The kitchen is on the first floor. Soup is served from noon. Bring your own cup.", name="Canteen")
LUNCH = passage("Lunch vouchers are handed out by the porter. You get lunch money in May.", name="Lunch")
READ_SO = reads({CANTEEN.content: ("noon", 4.0), LUNCH.content: ("May", -4.0)})


def test_the_sentence_that_holds_the_answer_is_chosen() -> None:
    """Though another one has the question's words; without a reader that one is."""
    shown = [MarkedPassage(number=n, source=p.source, text=p.content) for n, p in enumerate((LUNCH, CANTEEN), 1)]
    _, with_reader = select(QUESTION, shown, ignore_meaning, today=TODAY, read_passages=READ_SO)
    _, without = select(QUESTION, shown, ignore_meaning, today=TODAY)
    assert with_reader[0].text == "Soup is served from noon."
    assert "lunch" in without[0].text.casefold()


def test_each_side_of_a_comparison_is_the_sentence_that_is_read_to_answer_it() -> None:
    """Though the heading of June's minutes, which tell of May, names June; and nothing beside it."""
    may = MarkedPassage(number=1, source="Minutes, 12 June, Visitors", text="In May 184 people came. Soup was served.")
    june = MarkedPassage(number=2, source="Minutes, 10 July, Visitors", text="In June 210 people came. We had rain.")
    answers = {"visitors in May": (4.0, -2.0), "visitors in June": (-1.0, 4.0)}

    def read(asked: str, passages: Sequence[tuple[str, str]]) -> list[Reading | None]:
        said = dict(zip((may.text, june.text), answers.get(asked, (-4.0, -4.0)), strict=True))
        return [make_reading(text, text.split()[2], answers=said[text]) for _, text in passages]

    _, chosen = select("Compare visitors in May and June", [may, june], ignore_meaning, today=TODAY, read_passages=read)
    assert [one.text for one in chosen] == ["In May 184 people came.", "In June 210 people came."]


def test_what_is_read_to_answer_needs_nothing_of_the_kind_beside_it() -> None:
    """A price in a table's row has no currency; the price of a lost key in the same passage answers nothing."""
    text = "Ticket | Adults\n--- | ---\nSwim | 6.80\nSauna | 9.50\n\nA lost key costs 15 pounds."
    shown = [MarkedPassage(number=1, source="Prices", text=text)]
    question = "what does the sauna cost?"
    _, read = select(question, shown, ignore_meaning, today=TODAY, read_passages=reads({text: ("9.50", 5.0)}))
    _, without = select(question, shown, ignore_meaning, today=TODAY)
    assert [one.text for one in read] == ["Sauna | 9.50"]
    assert "A lost key costs 15 pounds." in [one.text for one in without]


def test_how_sure_an_answer_is_comes_from_its_own_passage() -> None:
    """A passage that is read to answer makes no sentence of another one sure."""
    echo = passage("This form asks where the key of the hall is kept.", name="Form")
    other = passage("The porter has it.", name="Lodge")
    read = reads({echo.content: ("hall", -3.0), other.content: ("porter", 1.0)})
    found = evidence_of("where is the key of the hall kept?", [echo, other], ignore_meaning, read=read)
    assert found is not None
    assert found.answers == -3.0


def test_an_answer_of_a_passage_that_was_not_read_is_judged_as_without_a_reader() -> None:
    """When the time for reading ends, what other passages say makes it neither sure nor unsure."""
    late = passage("The key of the hall is kept in the lodge.", name="Lodge")
    other = passage("Soup is served from noon.", name="Canteen")
    question = "where is the key of the hall kept?"
    found = evidence_of(question, [late, other], be_near, read=reads({other.content: ("noon", -5.0)}))
    alone = evidence_of(question, [late, other], be_near)
    assert found is not None
    assert alone is not None
    assert found.answers is None
    assert probability(found) == probability(alone) > 0.5


def test_a_sentence_without_the_questions_words_is_compared_if_it_is_read_to_answer() -> None:
    """Among more sentences than meaning is compared for."""
    text = " ".join(f"Lunch number {number} is at a time of its own." for number in range(40)) + " Noon it is."
    reading = make_reading(text, "Noon", answers=5.0)
    assert "Noon it is." not in [found.text for found in match(QUESTION, [("", text)], ignore_meaning).sentences]
    found = match(QUESTION, [("", text)], ignore_meaning, held=hold([reading])).sentences
    assert max(found, key=lambda sentence: sentence.score).text == "Noon it is."


def test_a_passage_that_surely_answers_goes_before_one_that_hardly_does() -> None:
    """Though a sentence of the latter has more of the question's words."""
    hardly, surely = "You get lunch money in May.", "Noon it is, if the kitchen is open."
    readings = [make_reading(hardly, "May", answers=1.0), make_reading(surely, "Noon", answers=4.5)]
    found = match(QUESTION, [("", hardly), ("", surely)], ignore_meaning, held=hold(readings)).sentences
    assert max(found, key=lambda sentence: sentence.score).text == surely
    readings[1] = make_reading(surely, "Noon", answers=1.0)
    found = match(QUESTION, [("", hardly), ("", surely)], ignore_meaning, held=hold(readings)).sentences
    assert max(found, key=lambda sentence: sentence.score).text == hardly


def test_the_closest_passage_is_the_one_that_is_read_to_answer() -> None:
    """And its words are those of the answer."""
    [first, *_] = closest_passages(QUESTION, [LUNCH, CANTEEN], ignore_meaning, read=READ_SO)
    assert "from noon" in first.quoted_excerpt


def test_a_row_that_comes_closest_is_shown_with_the_names_of_its_columns() -> None:
    """Without the rule below them where it is said on one line."""
    table = "Dish | Noon | Evening\n--- | --- | ---\nSoup | 4 | 5\nStew | 7 | 9\nCake | 3 | 3"
    prices = passage(f"Prices are in crowns.\n\n{table}\n\nBring your own cup.", name="Canteen")
    read = reads({prices.content: ("9", 4.0)})
    [first] = closest_passages("what is the stew at night?", [prices], ignore_meaning, read=read)
    assert "Dish | Noon | Evening" in first.quoted_excerpt
    assert "Stew | 7 | 9" in first.quoted_excerpt
    assert first.quoted_excerpt in prices.content
    assert "---" not in first.excerpt


def be_near(question: str, texts: Sequence[str]) -> Sequence[float]:
    """Every sentence is about what is asked."""
    return [0.5] * len(texts)


def test_a_passage_that_answers_makes_sure() -> None:
    """The same words, read to answer and not."""
    understood = understand_selection(QUESTION, given=Filters(), today=TODAY)

    def sure(logit: float) -> float:
        read = reads({CANTEEN.content: ("noon", logit)})
        return judge(understood, [CANTEEN], be_near, read=read).confidence

    assert sure(-5.0) < sure(0.0) < sure(5.0)
    assert sure(-5.0) < 0.2
    assert sure(5.0) > 0.6


def test_each_side_is_read_for_itself() -> None:
    """A passage that was read to answer one of two questions makes none sure of the other."""
    first, second = "When is soup served", "who hands out lunch vouchers"
    understood = understand_selection(f"{first}, and {second}?", given=Filters(), today=TODAY)
    known = {CANTEEN.content: ("noon", 5.0), LUNCH.content: ("porter", -5.0)}

    def read(asked: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading | None]:
        answers = known if asked == first else {text: (words, -5.0) for text, (words, _) in known.items()}
        return reads(answers)(asked, passages)

    judged = judge(understood, [CANTEEN, LUNCH], ignore_meaning, read=read)
    assert judged.lacking == (second,)


def test_the_evidence_tells_whether_anything_was_read() -> None:
    """Of passages that were not read the other figures speak."""
    unread = evidence_of(QUESTION, [CANTEEN], ignore_meaning)
    read = evidence_of(QUESTION, [LUNCH, CANTEEN], ignore_meaning, read=READ_SO)
    assert unread is not None
    assert read is not None
    assert (unread.answers, read.answers) == (None, 4.0)


class Reader:
    """A reader that counts, with the logits of passages by their content."""

    def __init__(self, logits: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
        self.logits, self.asked = logits, 0
        self.scanned: dict[str, float] = {}  # what a scanner says of passages by their content; of others nothing
        monkeypatch.setattr(ordering, "read", self.read)
        monkeypatch.setattr(ordering, "scan", self.scan)

    def read(self, question: str, passages: Sequence[tuple[str, str]], *, budget_s: float) -> list[Reading | None]:
        self.asked += len(passages)
        if budget_s <= 0:
            return [None] * len(passages)
        return [make_reading(text, text.split()[0], answers=self.logits.get(text, -6.0)) for _, text in passages]

    def scan(
        self, question: str, passages: Sequence[tuple[str, str]], *, least: float, budget_s: float
    ) -> list[Reading | None]:
        return [
            make_reading(text, text.split()[0], answers=self.scanned[text])
            if self.scanned.get(text, least) < least
            else None
            for _, text in passages
        ]


def list_found(count: int) -> list[Passage]:
    """Passages of a search, best first."""
    return [replace(passage(f"passage {number}"), score=1 - number / 50, rank=number + 1) for number in range(count)]


def test_a_passage_that_answers_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the ranks are numbered anew; those that are not read keep their order behind."""
    Reader({"passage 5": 4.0}, monkeypatch)
    ordered = order_by_reading(QUESTION, list_found(20), budget_s=9)
    assert [each.content for each in ordered[:3]] == ["passage 5", "passage 0", "passage 1"]
    assert [each.content for each in ordered[READ:]] == [f"passage {number}" for number in range(READ, 20)]
    assert [each.rank for each in ordered] == list(range(1, 21))


def test_reading_ends_with_a_passage_that_surely_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the question asks for several things."""
    reader = Reader({"passage 1": 3.0}, monkeypatch)
    order_by_reading(QUESTION, list_found(20), budget_s=9)
    assert reader.asked == 3
    order_by_reading(QUESTION, list_found(20), budget_s=9, is_wide=True)
    assert reader.asked == 3 + READ


def test_behind_the_first_step_only_what_may_answer_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the scanner says; what it does not know is read."""
    reader = Reader({"passage 7": 4.0}, monkeypatch)
    reader.scanned = {f"passage {number}": -2.5 for number in range(READ)} | {"passage 7": -1.5}
    ordered = order_by_reading(QUESTION, list_found(20), budget_s=9)
    assert ordered[0].content == "passage 7"
    assert reader.asked == 3 + 1
    del reader.scanned["passage 9"]
    order_by_reading(QUESTION, list_found(20), budget_s=9, is_wide=True)
    assert reader.asked == 4 + 3 + 2


def test_of_what_is_asked_last_nothing_is_read_that_the_scanner_doubts(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first passage on: a program's guide seldom answers what it is not asked about by name."""
    guide = list_found(4)
    reader = Reader({"passage 3": 4.0}, monkeypatch)
    reader.scanned = {each.content: -0.5 for each in guide}
    assert order_by_reading(QUESTION, guide, budget_s=9, is_last=True) == tuple(guide)
    assert reader.asked == 0
    reader.scanned["passage 3"] = 0.5
    assert order_by_reading(QUESTION, guide, budget_s=9, is_last=True)[0].content == "passage 3"
    assert reader.asked == 1


def test_without_time_the_order_is_that_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same passages with the same ranks."""
    Reader({"passage 1": 3.0}, monkeypatch)
    found = list_found(20)
    assert order_by_reading(QUESTION, found, budget_s=0) == tuple(found)
    assert order_by_reading(QUESTION, [], budget_s=9) == ()
