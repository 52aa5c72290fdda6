"""Recognise that somebody wishes a summary of the thread in which they write. Pure."""

import re
from enum import StrEnum


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
_DECIDED = re.compile(
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
_WHOLE = re.compile(
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
    if _DECIDED.fullmatch(words):
        return Wish.DECISIONS
    return Wish.WHOLE if _WHOLE.fullmatch(words) else None


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
