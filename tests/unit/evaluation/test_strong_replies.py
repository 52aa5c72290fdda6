"""The replies of the played strong model: one for each question about the sample library that has an answer."""

from benchmarks.strong_model import DATASETS, StrongModel, known_replies
from core.quality.evaluation.datasets.dataset import read
from core.quality.evaluation.datasets.verdict import contains

ABOUT_SAMPLES = ("", "samples")  # everyday.jsonl asks about nothing else, and its lines name no library


def test_each_answerable_question_has_a_reply_with_what_is_expected() -> None:
    """And no other question has one."""
    replies, others = known_replies()
    items = [item for path in DATASETS for item in read(path.read_text(encoding="utf-8").splitlines()).items]
    answerable = {one.question: one for one in items if not one.refusal_expected and one.library in ABOUT_SAMPLES}
    assert {reply.question for reply in replies} == set(answerable)
    assert set(others) == {item.question for item in items} - set(answerable)
    for reply in replies:
        assert contains(" ".join(reply.sentences), answerable[reply.question].expected), reply.question
        assert reply.search, reply.question


def test_a_question_is_known_as_it_was_spelt_right_and_not_by_what_is_like_it() -> None:
    """Footnote corrects spelling and writes shorthand out before the model is asked."""
    replies, others = known_replies()
    model = StrongModel(replies, others=others)
    corrected = model.reply_to("how much vacation do I get as a full timer")
    assert corrected is not None
    assert corrected.question == "how much vaccation do i get as a full timer"
    assert model.reply_to("how many holidays does the porter have") is None
