"""Hostile texts for a pattern, and whether reading them costs more than their length. The standard library alone.

Run as a program, it reads patterns as JSON lines and writes a line for each that is slow. A process of its own can be
ended whatever a pattern does.

A text is a head, something repeated, and an end that spoils the match. Heads and what is repeated are drawn from the
pattern as it is parsed: what each part of it matches, alone and in sequence, in the place of each repetition.
"""

import itertools
import json
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

PROBES = "a 1-.A\n:é\u00a0/<>\"'(_,"  # characters of which a class may take some
ENDS = ("x", "\n!", "")
MOST_SAMPLES = 12  # of one part of a pattern
MOST_TEXTS = 120  # heads and repeated parts of one pattern
SHORT, TIMES_AS_LONG = 2_000, 10  # characters; how much longer the long text is
SUSPICIOUS_S = 0.0015  # of processor time for a short text; a quadratic reading takes at least this
LONGEST_S = 4.0  # of processor time, for the readings of a text: some times what quadratic ones take
LINEAR = 30.0  # times as much for the long text; a linear reading costs 10 times as much, a quadratic one 100 times
ROUNDS = 7  # readings of each length; a busy machine makes some of them dear and none of them cheap
ENOUGH_S = 0.4  # of processor time for one pattern, after which no further text is tried
REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
CHARACTERS = (ops.IN, ops.ANY, ops.NOT_LITERAL, ops.RANGE, ops.CATEGORY)
WORD = "word"  # neighbouring literals as one part

Part = tuple[Any, Any]

# What parts match, by the identity of what they are made of; the part is kept, so that no other gets its identity.
_known: dict[tuple[Any, ...], tuple[Part, list[str]]] = {}


class GivenUpError(Exception):
    """A text was read for too long."""


def slow(pattern: re.Pattern[Any], how: str, longest_s: float = LONGEST_S) -> str:
    """A text of which the reading costs more than its length, as a Python expression; empty when none was found."""
    read = _reader(pattern, how)
    begun = time.thread_time()
    for head, repeated, end in hostile(pattern):

        def text(length: int, head: str = head, repeated: str = repeated, end: str = end) -> Any:
            whole = head + repeated * (length // len(repeated)) + end
            return whole if isinstance(pattern.pattern, str) else whole.encode("latin-1", "replace")

        if _is_slow(read, text, longest_s):
            return f"{head!r} + {repeated!r} * n + {end!r}"
        if time.thread_time() - begun > ENOUGH_S:
            break
    return ""


def hostile(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """(head, what is repeated, end) of the hostile texts for a pattern."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = parser.parse(text, pattern.flags if isinstance(pattern.pattern, str) else pattern.flags | re.ASCII)
    found = dict.fromkeys(_drawn(list(parsed), pattern.flags))
    for head, repeated in itertools.islice(((h, r) for h, r in found if r), MOST_TEXTS):
        for end in ENDS:
            yield head, repeated, end


def _drawn(parsed: Sequence[Part], flags: int) -> Iterator[tuple[str, str]]:
    sequences = list(_sequences(parsed))
    for before, sequence in sequences:
        head = _samples(before, flags)[0]
        for place in range(len(sequence)):
            yield from _at(place, sequence, head, flags)
        for sample in _samples(sequence, flags)[1:6]:
            yield head, sample
    # What looks around or back is in no sample: a few of the pattern's own marks in each order.
    if any(part[0] in (ops.GROUPREF, ops.ASSERT, ops.ASSERT_NOT) for _, some in sequences for part in some):
        for three in itertools.product([*_marks(parsed)[:3], " ", "a"], repeat=3):
            yield "", "".join(three)


def _at(place: int, sequence: Sequence[Part], head: str, flags: int) -> Iterator[tuple[str, str]]:
    """Yield samples of one part of a sequence, and of the sequences that begin there."""
    part, before = sequence[place], _samples(sequence[:place], flags)[0]
    if part[0] in REPEATS:
        for sample in _samples(_joined(part[1][2]), flags)[:6]:
            yield from ((head + before, sample), ("", head + before + sample), ("", sample + " "))
    elif part[0] in CHARACTERS:
        yield from (("", sample) for sample in _characters(part, flags)[:3])
    for end in range(place + 1, min(len(sequence), place + 6) + 1):
        yield head + before, _samples(sequence[place:end], flags)[0]
    yield "", _samples(sequence[: place + 1], flags)[0]


def _marks(parsed: Sequence[Part]) -> list[str]:
    """The punctuation that a pattern names."""
    words = (part[1] for _, sequence in _sequences(parsed) for part in sequence if part[0] == WORD)
    return list(dict.fromkeys(mark for word in words for mark in word if not mark.isalnum() and not mark.isspace()))


def _joined(parsed: Any) -> list[Part]:
    """The parts of a sequence, neighbouring literals as one."""
    parts: list[Part] = []
    for op, arg in parsed:
        if op is ops.LITERAL and parts and parts[-1][0] == WORD:
            parts[-1] = (WORD, parts[-1][1] + chr(arg))
        else:
            parts.append((WORD, chr(arg)) if op is ops.LITERAL else (op, arg))
    return parts


def _sequences(parsed: Any) -> Iterator[tuple[list[Part], list[Part]]]:
    """Yield every sequence of parts in a pattern, each with the parts before it."""
    stack: list[tuple[list[Part], list[Part]]] = [([], _joined(parsed))]
    while stack:
        before, sequence = stack.pop()
        yield before, sequence
        for place, part in enumerate(sequence):
            earlier = [*before, *sequence[:place]]
            stack += [(earlier, _joined(inner)) for inner in _inner(part)]


def _inner(part: Part) -> list[Any]:
    op, arg = part
    if op is ops.BRANCH:
        return list(arg[1])
    if op is ops.SUBPATTERN:
        return [arg[3]]
    if op in REPEATS:
        return [arg[2]]
    if op is ops.ATOMIC_GROUP:
        return [arg]
    return [arg[1]] if op in (ops.ASSERT, ops.ASSERT_NOT) else []


def _samples(parts: Sequence[Part], flags: int) -> list[str]:
    """Texts that a sequence matches, the plainest first."""
    found = [""]
    for part in parts:
        here = _of_part(part, flags)[:6]
        found = list(dict.fromkeys([text + here[0] for text in found] + [found[0] + other for other in here[1:]]))
        found = found[:MOST_SAMPLES]
    return found


def _of_part(part: Part, flags: int) -> list[str]:
    """Return what a part matches, remembered: each place of each sequence that it is in asks for it again."""
    key = (id(part[1]), part[0], flags)
    known = _known.get(key)
    if known is None:
        known = _known[key] = (part, _match_of_part(part, flags))
    return known[1]


def _match_of_part(part: Part, flags: int) -> list[str]:
    op, arg = part
    if op == WORD:
        return [str(arg)]
    if op in CHARACTERS:
        return _characters(part, flags)
    if op is ops.BRANCH:
        return [sample for each in arg[1] for sample in _samples(_joined(each), flags)[:2]] or [""]
    if op in REPEATS:
        return [sample * max(arg[0], min(1, arg[1])) for sample in _samples(_joined(arg[2]), flags)]
    if op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
        return _samples(_joined(_inner(part)[0]), flags)
    return [""]


def _characters(part: Part, flags: int) -> list[str]:
    """A few characters of a class."""
    state = parser.State()
    state.flags = flags
    one = compiler.compile(parser.SubPattern(state, [part]), flags)
    named = [chr(arg) for op, arg in part[1] if op is ops.LITERAL] if part[0] is ops.IN else []
    return list(dict.fromkeys(each for each in [*named[:3], *PROBES] if one.fullmatch(each)))[:5] or ["\u4e00"]


def _reader(pattern: re.Pattern[Any], how: str) -> Callable[[Any], Any]:
    if how == "search":
        return lambda text: sum(1 for _ in pattern.finditer(text))
    return {"match": pattern.match, "fullmatch": pattern.fullmatch}[how]


def _is_slow(read: Callable[[Any], Any], text: Callable[[int], Any], longest_s: float) -> bool:
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    try:
        return costs_more_than_its_length(read, text)
    except GivenUpError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def costs_more_than_its_length(read: Callable[[Any], Any], text: Callable[[int], Any]) -> bool:
    """Return True if reading takes more than linear time. text: makes a text of so many characters."""
    if _cost(read, text(SHORT)) < SUSPICIOUS_S:
        return False
    short = min(_cost(read, text(SHORT)) for _ in range(ROUNDS))
    return all(_cost(read, text(TIMES_AS_LONG * SHORT)) > LINEAR * short for _ in range(ROUNDS))


def _cost(read: Callable[[Any], Any], text: Any) -> float:
    """Seconds of processor time: of the thread, for a timer of the process makes the process's own clock coarse."""
    start = time.thread_time()
    read(text)
    return time.thread_time() - start


def _give_up(*_: Any) -> None:
    raise GivenUpError


def main(longest_s: float = LONGEST_S) -> None:
    """Measure the patterns that come in, each text for at most so many seconds of processor time."""
    signal.signal(signal.SIGPROF, _give_up)
    for line in sys.stdin:
        given = json.loads(line)
        text = given["pattern"].encode("latin-1") if given["bytes"] else given["pattern"]
        found = slow(re.compile(text, given["flags"]), given["how"], longest_s)
        if found:
            _write(given["name"], found)
    _write("", f"{time.thread_time():.1f} s")


def _write(name: str, text: str) -> None:
    sys.stdout.write(json.dumps({"name": name, "text": text}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
