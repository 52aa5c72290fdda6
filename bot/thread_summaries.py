"""Sum up a thread: recognise that somebody wishes it, and choose the messages to quote. Pure, and without a model.

Quoted are the messages in which something was decided, asked or mainly said. Every word stays as it was written.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from itertools import combinations

from bot.blocks.thread_summary import Said, Summary


class Wish(StrEnum):
    """Kinds of summaries."""

    DECISIONS = "decisions"
    WHOLE = "whole"


_LONGEST = 120  # characters; whoever writes more asks about something else as well
# The patterns read words with single spaces between them.
_THREAD = (
    "(?:(?:this|the|our|dies(?:e[nmrs]?)?|de[nmrs]|das|die|ce|cette|cet|la|le|est[ea]|el) )?"
    "(?:whole |entire |ganzen? )?"
    "(?:thread|conversation|discussion|chat|faden|unterhaltung|gespräch|diskussion|fil|hilo|conversación|discusión)"
)
# "Here" or the thread has to be named: "What was decided?" alone may be about the documents.
_HERE = f"(?:here|so far here|hier|ici|aquí|(?:in|on|im|dans|en) {_THREAD})"
_WISHES_DECISIONS = re.compile(
    "(?:what|which decisions?) (?:was|were|has been|have been|did we|have we|did you)"
    f" (?:decided?|agreed?(?: (?:up)?on)?|settled?|concluded?) {_HERE}"
    "|what (?:is|was|were|are) the (?:decisions?|conclusions?|outcomes?|agreements?)"
    f" (?:of {_THREAD}|{_HERE})"
    f"|was (?:wurde|haben wir|habt ihr) {_HERE} (?:beschlossen|entschieden|vereinbart|ausgemacht)"
    f"|qu['’]est[ -]ce (?:qui a été|qu['’]on a|que nous avons) (?:décidé|convenu) {_HERE}"
    f"|qu['’]a[ -]t[ -](?:on|il été) (?:décidé|convenu) {_HERE}"
    f"|qué (?:se ha|se|hemos|fue) (?:decidido|decidió|acordado|acordó) {_HERE}",
    re.IGNORECASE,
)
_WISHES_WHOLE = re.compile(
    f"(?:summari[sz]e|sum up|recap|catch me up on|give (?:me|us) a (?:summary|recap) of) {_THREAD}"
    f"|(?:a )?(?:summary|recap) of {_THREAD}"
    f"|what (?:was|has been) (?:said|discussed) {_HERE}"
    f"|what did (?:we|you|they) (?:discuss|talk about) {_HERE}"
    "|tl ?[;,]? ?dr"
    f"|fass(?:e|en sie|t)? (?:bitte )?{_THREAD} (?:bitte )?zusammen"
    f"|zusammenfassung (?:von )?{_THREAD}s?"
    f"|was wurde {_HERE} (?:besprochen|gesagt|diskutiert)"
    f"|résume[zr]? {_THREAD}"
    f"|(?:un )?résumé (?:de |du )?{_THREAD}"
    f"|resum(?:e|a|ir|en) {_THREAD}"
    f"|(?:un )?resumen (?:de |del )?{_THREAD}",
    re.IGNORECASE,
)
# Taken off at either end, with the punctuation around them.
_POLITE = (
    *(
        "hi",
        "hey",
        "hello",
        "hallo",
        "bonjour",
        "hola",
        "please",
        "bitte",
        "can you",
        "could you",
        "would you",
        "for me",
    ),
    *("for us", "kannst du", "können sie", "peux-tu", "pouvez-vous", "puedes", "puede", "s'il te plaît"),
    *("s’il te plaît", "s'il vous plaît", "s’il vous plaît", "por favor"),
)
_AROUND = " .,;:!?¿¡"


def find_wish(text: str) -> Wish | None:
    """Return the summary that a message asks for; None where it asks for anything else, or for more than that.

    text: as it was typed, without the mention of the bot.
    """
    if len(text) > _LONGEST:
        return None
    words = _drop_polite(" ".join(text.split()))
    if _WISHES_DECISIONS.fullmatch(words):
        return Wish.DECISIONS
    return Wish.WHOLE if _WISHES_WHOLE.fullmatch(words) else None


def _drop_polite(words: str) -> str:
    rest, before = words.strip(_AROUND), ""
    while rest != before:
        before, low = rest, rest.casefold()
        for polite in _POLITE:
            if low.startswith((f"{polite} ", f"{polite},")):
                rest = rest[len(polite) :]
            elif low.endswith(f" {polite}"):
                rest = rest[: -len(polite)]
            if rest != before:
                break
        rest = rest.strip(_AROUND)
    return rest


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
