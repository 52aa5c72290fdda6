"""Choose the messages of a thread that sum it up. Pure: no model, and every word stays as it was written."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from bot.blocks.thread_summary import Said, Summary
from bot.thread_summaries.wishes import Wish

MOST_IN_PART = 3  # messages quoted under one heading
_SHORTEST = 3  # words of a message that can sum anything up
_DAMPING, _ROUNDS = 0.85, 30  # of LexRank, as its paper has them (Erkan and Radev 2004)

_DOES = "go with|do|take|keep|use|move|ship|drop|postpone|stay|meet|start|stop|switch|send|buy|hire"
_DECIDES = re.compile(
    r"\b(?:we(?: have|['’]ve)? (?:all )?(?:decided|agreed|settled|concluded)"
    r"|(?:it (?:is|was)|it['’]s) (?:decided|agreed|settled)"
    r"|(?:the )?(?:decision|conclusion|outcome) (?:is|was)"
    rf"|(?:let['’]s|we['’]ll|we will|we['’]re going to|we are going to) (?:{_DOES})"
    r"|approved|signed off|final answer|going with"
    r"|beschlossen|entschieden|vereinbart|abgemacht|geeinigt|freigegeben|genehmigt"
    r"|wir (?:machen|nehmen|bleiben bei|gehen mit)"
    r"|(?:on a|nous avons|c['’]est) (?:décidé|convenu)|on (?:part|va) (?:sur|avec)|validé|approuvé"
    r"|(?:hemos|se ha|queda) (?:decidido|acordado)|decidimos|acordamos|quedamos en|aprobado)\b"
    r"|\b(?:decided|agreed|decision|conclusion|outcome|beschluss|entscheidung|décision|decisión) ?:",
    re.IGNORECASE,
)
# Before the words of a decision in a sentence, these take it back: "we have not agreed", "if it is decided".
_TAKES_BACK = re.compile(
    r"\b(?:not|never|if|until|unless|once|nicht|nie|wenn|falls|pas|jamais|si|no|nunca)\b|n['’]t\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")


def summarise(thread: Sequence[Said], wish: Wish) -> Summary:
    """Choose from a thread, in the order in which it was written, what answers a wish.

    Of decisions, the last ones count. Where a decision is wished for and none was made, the main points are given.
    """
    decisions = [said for said in thread if said.is_ticked or states_decision(said.text)][-MOST_IN_PART:]
    if wish is Wish.DECISIONS and decisions:
        return Summary(decisions=tuple(decisions))
    questions = [said for said in _list_unanswered(thread) if said not in decisions][-MOST_IN_PART:]
    rest = [said for said in thread if said not in decisions and said not in questions]
    central = _find_central(rest, MOST_IN_PART)
    return Summary(decisions=tuple(decisions), open_questions=tuple(questions), main_points=tuple(central))


def states_decision(text: str) -> bool:
    """Return True if a sentence of the text says that something is decided, and not that it is open."""
    for part in _SENTENCE.split(text):
        found = _DECIDES.search(part)
        if found and not part.rstrip().endswith("?") and not _TAKES_BACK.search(part[: found.start()]):
            return True
    return False


def _list_unanswered(thread: Sequence[Said]) -> list[Said]:
    """List the questions after which nobody else wrote anything but questions."""
    unanswered: list[Said] = []
    for said in thread:
        if said.text.rstrip().endswith("?"):
            unanswered.append(said)
        else:
            unanswered = [question for question in unanswered if question.user == said.user]
    return unanswered


def _find_central(thread: Sequence[Said], most: int) -> list[Said]:
    """Find the messages that share most of their words with the others, by LexRank over tf-idf vectors."""
    said = [one for one in thread if len(_WORD.findall(one.text)) >= _SHORTEST]
    if len(said) <= most:
        return said
    vectors = _weigh_words([Counter(word.casefold() for word in _WORD.findall(one.text)) for one in said])
    likeness = [[0.0] * len(said) for _ in said]
    for i, j in combinations(range(len(said)), 2):
        likeness[i][j] = likeness[j][i] = sum(weight * vectors[j].get(word, 0.0) for word, weight in vectors[i].items())
    ranks = _rank_messages(likeness)
    best = sorted(range(len(said)), key=lambda n: (-ranks[n], n))[:most]
    return [said[n] for n in sorted(best)]


def _weigh_words(counts: Sequence[Counter[str]]) -> list[dict[str, float]]:
    """Return a unit vector for each message: its words, the rarer in the thread the heavier."""
    holding = Counter(word for count in counts for word in count)
    vectors = []
    for count in counts:
        weights = {word: n * math.log(1 + len(counts) / holding[word]) for word, n in count.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        vectors.append({word: weight / length for word, weight in weights.items()})
    return vectors


def _rank_messages(likeness: Sequence[Sequence[float]]) -> list[float]:
    """Return each message's share of a walk that goes from message to message by their likeness."""
    size = len(likeness)
    sums = [sum(row) or 1.0 for row in likeness]
    ranks = [1.0 / size] * size
    for _ in range(_ROUNDS):
        ranks = [
            (1 - _DAMPING) / size + _DAMPING * sum(ranks[j] * likeness[j][i] / sums[j] for j in range(size))
            for i in range(size)
        ]
    return ranks
