"""The door to reading: what is read, and that whatever fails leaves the caller without a reading and no worse."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from pytest_django.fixtures import Settings

from core.asking.reading import reader
from core.asking.reading.reader import is_on, read, recall, scan, supports
from core.asking.reading.runtime import Output, Runtime
from core.asking.verification.entailment import judge_by_reading, make_judge
from core.asking.verification.statements import Claim
from core.llm.client import ModelSettings
from tests.unit.reading.conftest import add_scanner

QUESTION = "when does the canteen open?"
ANSWER = "the canteen opens at noon."
PASSAGE = ("canteen", ANSWER)


@pytest.fixture
def tiny(folder: Path, settings: Settings) -> Iterator[Path]:
    """The tiny reader is the one that is set."""
    settings.READER, settings.READER_BUDGET_MS = str(folder), 60_000
    forget()
    yield folder
    forget()


def forget() -> None:
    """Forget what was loaded and read."""
    reader._load_runtime.cache_clear()
    reader._kept.clear()


def test_a_passage_gets_a_probability_and_places(tiny: Path) -> None:
    """The places are in the text that was given."""
    [reading] = read(QUESTION, [PASSAGE])
    assert reading is not None
    assert 0 < reading.probability < 1
    assert all(0 <= span.start < span.end <= len(ANSWER) for span in reading.best)
    assert reading.spans.probability_within(0, len(ANSWER)) == pytest.approx(1)


def test_a_passage_is_read_the_same_beside_others(tiny: Path) -> None:
    """Reading other passages at the same time changes nothing."""
    [alone] = read(QUESTION, [PASSAGE])
    beside = read(
        QUESTION, [PASSAGE, ("", "noon " * 16), PASSAGE, *[("canteen", f"{ANSWER} {number}") for number in range(9)]]
    )
    assert alone is not None
    assert len(beside) == 12
    for one in (beside[0], beside[2]):
        assert one is not None
        assert one.answers == pytest.approx(alone.answers, abs=0.02)


def test_each_quote_is_held_against_the_statement(tiny: Path) -> None:
    """By another logit than that of answers."""
    [support] = supports("the canteen opens at noon", [ANSWER])
    [reading] = read("the canteen opens at noon", [("", ANSWER)])
    assert reading is not None
    assert support is not None
    assert support != reading.answers


@pytest.mark.parametrize(
    "text", ["", " ", "noon", "\\x00\\x07\\x1b", "noon " * 50_000, "日本語", "🦊", "def f(): return {}"]
)
def test_whatever_stands_in_a_passage_is_read(tiny: Path, text: str) -> None:
    """One word, control characters, 250,000 characters, code; and the same as a question."""
    [reading] = read(QUESTION, [("", text)])
    [asked] = read(text or "?", [PASSAGE])
    assert reading is not None
    assert asked is not None


def test_without_a_reader_nothing_is_read(settings: Settings) -> None:
    """As with "none"."""
    settings.READER = "none"
    assert read(QUESTION, [PASSAGE]) == [None]
    assert supports(QUESTION, [ANSWER, ANSWER]) == [None, None]
    assert not is_on()


def test_a_reader_that_cannot_be_loaded_is_said_once(
    tiny: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """And questions are answered without."""
    (tiny / "weights-1.safetensors").unlink()
    assert [read(QUESTION, [PASSAGE]) for _ in range(3)] == [[None]] * 3
    assert [record.message for record in caplog.records].count("reader_not_loaded") == 1


def test_when_the_time_is_over_the_rest_stays_unread(tiny: Path, settings: Settings) -> None:
    """The first passages are those that were found best."""
    many = [("canteen", f"{ANSWER} {number}") for number in range(20)]
    settings.READER_BUDGET_MS = 0
    assert read(QUESTION, many) == [None] * 20
    settings.READER_BUDGET_MS = 60_000
    assert None not in read(QUESTION, many)


def test_what_would_take_too_long_is_not_begun(tiny: Path) -> None:
    """As long as the last passages took: reading stops before the time is over and not after."""
    many = [("canteen", f"{ANSWER} {number}") for number in range(200)]
    assert read(QUESTION, many[:1], budget_s=60) != [None]
    runtime = reader.find_reader()
    assert runtime is not None
    runtime._seconds_a_token = 1.0
    assert read(QUESTION, many[1:3], budget_s=5) == [None, None]


def test_what_the_time_suffices_for_is_read(tiny: Path) -> None:
    """Read two of three passages at once where the time expected suffices for two, and then look at the clock again."""
    many = [("canteen", f"{ANSWER} {number}") for number in range(4)]
    assert read(QUESTION, many[:1], budget_s=60) != [None]
    runtime = reader.find_reader()
    assert runtime is not None
    runtime._seconds_a_token = 1.0
    encoded = runtime._loaded.encoder.encode(QUESTION, [f"canteen. {ANSWER} 1"])
    first, second, third = read(QUESTION, many[1:], budget_s=2.5 * len(encoded[0].ids))
    assert first is not None
    assert second is not None
    assert third is not None, "the time for a token is measured anew"


def test_a_slow_moment_does_not_end_reading_for_good(tiny: Path) -> None:
    """Each text that is not begun because of it lowers the expected time, so that the next one is tried."""
    many = [("canteen", f"{ANSWER} again {number}") for number in range(60)]
    assert read(QUESTION, many[:1], budget_s=60) != [None]
    runtime = reader.find_reader()
    assert runtime is not None
    runtime._seconds_a_token = 1.0
    tries = [read(QUESTION, [passage], budget_s=2) for passage in many[1:]]
    assert tries[0] == [None]
    assert tries[-1] != [None]


def test_a_passage_is_read_once_for_a_question(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rooms of an answer ask for the same readings; nothing else is kept than digests and figures."""
    first = read(QUESTION, [PASSAGE])
    monkeypatch.setattr(reader, "_run_texts", lambda *_: pytest.fail("it was read twice"))
    assert read(QUESTION, [PASSAGE, PASSAGE]) == [*first, *first]
    assert recall(QUESTION, [PASSAGE]) == first
    assert not any(b"canteen" in key for key in reader._kept)


def test_what_was_not_read_is_not_recalled(tiny: Path) -> None:
    """Nor for another question, nor under another heading."""
    read(QUESTION, [PASSAGE])
    assert recall("when?", [PASSAGE]) == [None]
    assert recall(QUESTION, [("other", ANSWER)]) == [None]


def test_a_heading_holds_no_answer(tiny: Path) -> None:
    """Places count from the text's first character, and none lies before it."""
    [reading] = read(QUESTION, [("canteen opens at noon", "noon")])
    assert reading is not None
    assert [(span.start, span.end) for span in reading.best] == [(0, 4)]


def test_without_memory_nothing_is_read(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch says so by a RuntimeError."""

    def fail(*args: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    runtime = reader.find_reader()
    assert runtime is not None
    monkeypatch.setattr(runtime._loaded.network, "read_packed", fail)
    assert read(QUESTION, [PASSAGE]) == [None]


def test_thirty_threads_at_once_read_the_same(tiny: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And load the reader once."""
    caplog.set_level("INFO")
    with ThreadPoolExecutor(30) as threads:
        found = list(threads.map(lambda _: read(QUESTION, [PASSAGE]), range(30)))
    assert len({one.answers for [one] in found if one}) == 1
    assert [record.message for record in caplog.records].count("reader_loaded") == 1


def test_no_word_is_logged(tiny: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither of the question nor of a passage."""
    caplog.set_level("DEBUG")
    read(QUESTION, [PASSAGE])
    assert "canteen" not in caplog.text
    assert torch.is_inference_mode_enabled() is False


def test_the_row_that_seems_to_answer_is_read_once_more_alone(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean counts where it is higher; a passage without a table is read once."""
    monkeypatch.setattr(reader, "_LOOKED_AT_AGAIN", float("-inf"))
    table = "Meal | Opens\n--- | ---\nlunch | noon\ndinner | nine"
    outputs = _note_outputs(monkeypatch)
    table_read, _ = read(QUESTION, [("canteen", table), PASSAGE])
    first, [(_, row, alone)] = outputs
    assert row in {"canteen. lunch: Opens = noon.", "canteen. dinner: Opens = nine."}
    assert table_read is not None
    assert table_read.answers == pytest.approx(max(first[0][2], (first[0][2] + alone) / 2))


def test_what_says_it_in_other_words_is_read_once_more_in_its_words(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean counts where it is higher; what has the question's words, or is read with certainty, is read once."""
    monkeypatch.setattr(reader, "_UNSURE", (float("-inf"), float("inf")))
    outputs = _note_outputs(monkeypatch)
    question = "when does the cafeteria open?"
    other, same = read(question, [PASSAGE, ("cafeteria", "the cafeteria opens at noon.")])
    first, [(reworded, text, again)] = outputs
    assert (reworded, text) == (QUESTION, f"canteen. {ANSWER}")
    assert other is not None
    assert same is not None
    assert other.answers == pytest.approx(max(first[0][2], (first[0][2] + again) / 2))
    assert same.answers == pytest.approx(first[1][2])
    monkeypatch.setattr(reader, "_UNSURE", (float("inf"), float("inf")))
    reader._kept.clear()
    read(question, [PASSAGE])
    assert len(outputs) == 3


def test_nothing_is_read_once_more_before_all_is_read(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read nothing twice: a passage that is would win over the right one, for which the time did not suffice."""
    monkeypatch.setattr(reader, "_UNSURE", (float("-inf"), float("inf")))
    outputs = _note_outputs(monkeypatch)
    run = reader._run_texts
    monkeypatch.setattr(reader, "_run_texts", lambda *given: run(*given)[:1])
    read("when does the cafeteria open?", [PASSAGE, ("canteen", f"{ANSWER} again")])
    assert len(outputs) == 1


ANYTHING = float("inf")  # a logit: what is read with less counts as scanned


def test_passages_are_scanned_by_the_smaller_network(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give what cannot answer a reading of its own, which counts as read, and leave the rest to the reader."""
    add_scanner(tiny)
    other = ("canteen", "noon .")
    first, second, again = scan(QUESTION, [PASSAGE, other, PASSAGE], least=ANYTHING, budget_s=60)
    assert first is not None
    assert second is not None
    assert again is not None
    assert first.answers == again.answers != second.answers
    assert all(0 <= span.start < span.end <= len(ANSWER) for span in first.best)
    assert recall(QUESTION, [PASSAGE, other]) == [first, second]
    assert scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=60) == [None], "it is known"
    reader._kept.clear()
    least = max(first.answers, second.answers)
    scanned = scan(QUESTION, [PASSAGE, other], least=least, budget_s=60)
    assert [reading is None for reading in scanned] == [first.answers == least, second.answers == least]
    assert scan(QUESTION, [], least=ANYTHING, budget_s=60) == []


def test_the_reader_is_not_the_scanner(tiny: Path) -> None:
    """Read with the one network, scan with the other."""
    add_scanner(tiny)
    [read_by_reader] = read(QUESTION, [PASSAGE])
    reader._kept.clear()
    [scanned] = scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=60)
    assert read_by_reader is not None
    assert scanned is not None
    assert read_by_reader.answers != scanned.answers


def test_without_a_scanner_nothing_is_scanned(tiny: Path, settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """A folder need not have one, and a damaged one is said once; the reader reads in both cases."""
    assert scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=60) == [None]
    assert "reader_not_loaded" not in caplog.text
    add_scanner(tiny)
    (tiny / "scanner.safetensors").write_bytes(b"")
    forget()
    assert [scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=60) for _ in range(3)] == [[None]] * 3
    assert [record.message for record in caplog.records].count("reader_not_loaded") == 1
    assert read(QUESTION, [PASSAGE]) != [None]
    settings.READER = "none"
    assert scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=60) == [None]


def test_what_is_not_scanned_in_time_is_left_to_the_reader(tiny: Path) -> None:
    """Scan it when there is time again."""
    add_scanner(tiny)
    assert scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=0) == [None]
    assert scan(QUESTION, [PASSAGE], least=ANYTHING, budget_s=60) != [None]


def _note_outputs(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[str, str, float]]]:
    """Return a list that takes the question, text and logit of what is read, run by run."""
    run, outputs = reader._run_texts, []

    def note(runtime: Runtime, question: str, texts: list[str], budget_s: float | None) -> list[Output]:
        found = run(runtime, question, texts, budget_s)
        outputs.append([(question, texts[output.place], output.answers) for output in found])
        return found

    monkeypatch.setattr(reader, "_run_texts", note)
    return outputs


@pytest.mark.parametrize(("supported", "verdict"), [(3.5, True), (1.0, None)])
def test_claims_that_a_quote_surely_supports_are_accepted(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, supported: float, verdict: bool | None
) -> None:
    """The judge where no model is one: it never refuses, and has no verdict once its time is over."""
    settings.VERIFIER_MODEL, settings.VERIFY_WITH_MODEL = "", "never"
    judge = make_judge(ModelSettings(model="ollama_chat/tiny", provider="ollama"), question=QUESTION)
    assert judge is not None
    monkeypatch.setattr(reader, "supports", lambda statement, quotes, *, budget_s: [supported if budget_s else None])
    claim = Claim(statement="It opens at noon.", quotes=(ANSWER,))
    assert list(judge([claim])) == [verdict]
    settings.READER_BUDGET_MS = 0
    assert judge_by_reading([claim]) == [None]
    settings.READER = "none"
    assert make_judge(ModelSettings(model="ollama_chat/tiny", provider="ollama"), question=QUESTION) is None
