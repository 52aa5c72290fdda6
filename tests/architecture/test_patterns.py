"""No pattern of the packages costs more than the length of what it reads, whatever that is."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.patterns import attacks
from tests.patterns.finding import Found, found_patterns, made_of_words

# Each makes its pattern of words that it escapes, and of constants that the test below reads.
MADE_OF_WORDS = {
    ("core/quality/oversharing/vocabulary.py", "_compile"),  # of constants, whose patterns the test below reads
    ("core/quality/evaluation/datasets/verdict.py", "_occurs_apart"),  # words of a dataset
    ("slack_emulator/page/writing.py", "write_as_sent"),  # names of people of the demo
}


def measured(patterns: list[Found], *, longest_s: float = attacks.LONGEST_S) -> dict[str, str]:
    """Find the slow ones among some patterns, each with a text, by a process that does nothing else."""
    texts = [one.pattern.pattern for one in patterns]
    lines = [
        json.dumps(
            {
                "name": one.name,
                "pattern": text if isinstance(text, str) else text.decode("latin-1"),
                "bytes": not isinstance(text, str),
                "flags": one.pattern.flags,
                "how": one.how,
            }
        )
        for one, text in zip(patterns, texts, strict=True)
    ]
    done = subprocess.run(
        [sys.executable, str(Path(attacks.__file__)), str(longest_s)],
        input="\n".join(lines), capture_output=True, text=True, check=True, timeout=240,
    )  # fmt: skip
    *found, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert last["name"] == ""
    return {one["name"]: one["text"] for one in found}


def test_every_pattern_reads_what_is_hostile_in_linear_time() -> None:
    """A pattern that begins again at each place, or tries each way to part a text, freezes the process that reads."""
    patterns = found_patterns()
    assert len(patterns) > 200
    assert measured(patterns) == {}


def test_functions_make_patterns_of_escaped_words_alone() -> None:
    """Patterns of anything else are constants, which the test above finds."""
    assert made_of_words() == MADE_OF_WORDS


SLOW = {
    "white space before each mark": (r"\s+(?=[,.?!])", "search"),
    "words up to the end": (r"\w.+$", "search"),
    "a comment in comments": (r"(?:<!--.*?-->\s*)*<html", "match"),
    "one repetition in another": (r"(\w+-?)+$", "fullmatch"),
    "any words between": (r"\bhow do .+? and .+? differ", "search"),
}
LINEAR = {
    "white space once": (r"(?<!\s)\s++(?=[,.?!])", "search"),
    "bounded": (r"(?:a|b|c){1,20}d", "search"),
    "no beginning within": (r"<[!@#][^<>]*>", "search"),
}


def test_the_measure_tells_slow_patterns_from_linear_ones() -> None:
    """It can fail, and it does not call everything slow."""
    examples = [Found(name=name, pattern=re.compile(text), how=how) for name, (text, how) in (SLOW | LINEAR).items()]
    assert set(measured(examples, longest_s=1)) == set(SLOW)
