"""Recognise messages that are no question: a greeting, thanks, a wish for help, or for a new topic. Pure."""

import re
from enum import StrEnum


class SmallTalk(StrEnum):
    """The meaning of a message that is no question."""

    GREETING = "greeting"
    THANKS = "thanks"
    HELP = "help"
    NEW_TOPIC = "new_topic"


_LONGEST = 60  # characters; whoever writes more has something to ask
_NO_WORDS = re.compile(r":[a-z0-9_+-]+:|[^\w'’ ]+")  # emoji by their names in Slack, and punctuation
# Said along with any of them, in the four languages; they carry nothing.
_FILLERS = frozenset(
    (
        *("footnote", "bot", "there", "all", "everyone", "everybody", "team", "again", "please", "so", "very", "much"),
        *("dear", "alle", "zusammen", "nochmal", "bitte", "sehr", "à", "tous", "beaucoup", "todos", "por", "favor"),
    )
)
_PHRASES: dict[SmallTalk, tuple[str, ...]] = {
    SmallTalk.HELP: (
        *("help", "help me", "what can you do", "what do you do", "who are you", "what are you"),
        *("how do you work", "how do i use you", "how do i use this", "how can you help me", "how can you help"),
        *("what can i ask", "what can i ask you", "can you help me"),
        *("hilfe", "was kannst du", "wer bist du", "wie funktionierst du", "was kann ich dich fragen"),
        *("aide", "aidez moi", "que peux tu faire", "que sais tu faire", "qui es tu"),
        *("ayuda", "qué puedes hacer", "que puedes hacer", "quién eres", "quien eres"),
    ),
    SmallTalk.NEW_TOPIC: (
        *("new topic", "new conversation", "start over", "start again", "forget this", "forget everything"),
        *("end conversation", "end this conversation", "end the conversation", "end session", "change the topic"),
        *("neues thema", "von vorne", "vergiss das", "themenwechsel", "gespräch beenden", "neues gespräch"),
        *("nouveau sujet", "nouvelle conversation", "recommencer", "oublie ça", "terminer la conversation"),
        *("nuevo tema", "nueva conversación", "empezar de nuevo", "olvida eso", "terminar la conversación"),
    ),
    SmallTalk.THANKS: (
        *("thanks", "thank you", "thx", "ty", "cheers", "thanks a lot", "many thanks"),
        *("ok", "okay", "great", "perfect", "cool", "nice", "super", "got it", "understood", "well done", "bye"),
        *("goodbye", "see you", "have a nice day", "gut", "prima", "toll", "parfait", "perfecto"),
        *("danke", "danke schön", "dankeschön", "vielen dank", "tschüss", "verstanden"),
        *("merci", "merci beaucoup", "merci bien", "au revoir", "compris"),
        *("gracias", "muchas gracias", "adiós", "adios", "entendido"),
    ),
    SmallTalk.GREETING: (
        *("hi", "hello", "hey", "hiya", "howdy", "yo", "hi there", "hello there", "hey there", "good morning"),
        *("good afternoon", "good evening", "good day", "how are you", "how are you doing", "hello world", "ping"),
        *("test", "testing", "hallo", "guten morgen", "guten tag", "guten abend", "moin", "servus", "wie geht's"),
        *("bonjour", "bonsoir", "salut", "coucou", "ça va", "hola", "buenos días", "buenas tardes", "buenas noches"),
    ),
}
_MEANT = {phrase: kind for kind, phrases in _PHRASES.items() for phrase in phrases}


def has_words(text: str) -> bool:
    """Return True if a message has more than emoji and punctuation."""
    return any(character.isalnum() for character in _NO_WORDS.sub(" ", text))


def recognise(text: str) -> SmallTalk | None:
    """Return the meaning of a message, if it has no other part; None for a possible question.

    text: as it was typed, without the mention of the bot.
    """
    if len(text) > _LONGEST:
        return None
    words = _NO_WORDS.sub(" ", text.casefold().replace("’", "'")).split()
    meant = {_MEANT.get(part) for part in _split(words)}
    return None if None in meant else next((kind for kind in _PHRASES if kind in meant), None)


def _split(words: list[str]) -> list[str]:
    """The phrases of a message, without the fillers between them; what is left over is a part too."""
    parts: list[str] = []
    while words:
        end = next((size for size in range(len(words), 0, -1) if " ".join(words[:size]) in _MEANT), 0)
        if end:
            parts.append(" ".join(words[:end]))
        elif words[0] not in _FILLERS:
            return [" ".join(words)]
        words = words[end or 1 :]
    return parts
