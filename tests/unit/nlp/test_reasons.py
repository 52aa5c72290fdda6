"""Telling a reason from what only says again what is asked for."""

import pytest

from core.language.nlp.reasons import lacks_reason

WHY = "Why was the east gate closed in May 2031?"


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        (WHY, "The east gate was closed on 4 May 2031. [1]", True),
        ("how come the ferry fare rose?", "The ferry fare rose to 4 euros.", True),
        (WHY, "The east gate was closed on 4 May 2031 because its hinge had broken.", False),
        (WHY, "The east gate was closed to prevent accidents.", False),
        (WHY, "Its lower hinge had broken.", False),
        ("When was the east gate closed?", "The east gate was closed on 4 May 2031.", False),
        ("why?", "The east gate was closed.", False),
    ],
)
def test_a_text_that_says_the_question_again_gives_no_reason(question: str, text: str, lacks: bool) -> None:
    assert lacks_reason(question, text) is lacks
