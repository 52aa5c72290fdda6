"""Recognise messages that are no question, such as a greeting or thanks, and reply to them. Pure."""

import re
from contextlib import nullcontext
from enum import StrEnum

from core.language.i18n.translation import LANGUAGES, say, speak_language, translatable
from core.language.nlp.small_talk import is_small_talk

GREETING = translatable(
    "Hello! What would you like to know? I look it up in the documents that you may read and show you the place."
)
WELCOME = translatable("You are welcome! Just ask when there is something else you would like to know.")
FORGOTTEN = translatable("All right, let us start afresh. What would you like to know?")
ABOUT = translatable(
    "I answer questions from your organisation's documents. Just ask, in your own words, as you would a colleague."
)
NATURE = translatable(
    "I am Footnote, a program and no person. I answer questions from your organisation's documents and show the place."
)
LIBRARY = translatable(
    "I answer from the documents that you may read, and no others. In Slack `/footnote sources` lists them, and my "
    "Home tab counts them by collection; other programs find the list at /api/v1/documents."
)
CHAT = translatable("Just ask when there is something that you would like to know.")


class SmallTalk(StrEnum):
    """The meaning of a message that is no question."""

    GREETING = "greeting"
    THANKS = "thanks"
    HELP = "help"
    NEW_TOPIC = "new_topic"
    NATURE = "nature"  # what or who answers
    LIBRARY = "library"  # which documents there are, of which no stored answer may name one
    CHAT = "chat"  # anything else that asks nothing and that nobody looks for, such as laughter


SENTENCES = {
    SmallTalk.GREETING: GREETING,
    SmallTalk.THANKS: WELCOME,
    SmallTalk.HELP: ABOUT,
    SmallTalk.NEW_TOPIC: FORGOTTEN,
    SmallTalk.NATURE: NATURE,
    SmallTalk.LIBRARY: LIBRARY,
    SmallTalk.CHAT: CHAT,
}
_LONGEST = 60  # characters; whoever writes more has something to ask
_NO_WORDS = re.compile(r":[a-z0-9_+-]+:|[^\w'’ ]+")  # emoji by their names in Slack, and punctuation
# Said along with any of them, in the four languages; they carry nothing.
_FILLERS = frozenset(
    (
        *("footnote", "bot", "there", "all", "everyone", "everybody", "team", "again", "please", "so", "very", "much"),
        *("dear", "alle", "zusammen", "nochmal", "bitte", "sehr", "à", "tous", "beaucoup", "todos", "por", "favor"),
    )
)
_ENGLISH: dict[SmallTalk, tuple[str, ...]] = {
    SmallTalk.LIBRARY: ("what can you read", "what can i read", "what do you have access to", "what have you read"),
    SmallTalk.HELP: (
        *("help", "help me", "what can you do", "what do you do", "who are you", "what are you"),
        *("how do you work", "how do i use you", "how do i use this", "how can you help me", "how can you help"),
        *("what can i ask", "what can i ask you", "can you help me"),
    ),
    SmallTalk.NEW_TOPIC: (
        *("new topic", "new conversation", "start over", "start again", "forget this", "forget everything"),
        *("end conversation", "end this conversation", "end the conversation", "end session", "change the topic"),
    ),
    SmallTalk.THANKS: (
        *("thanks", "thank you", "thx", "ty", "cheers", "thanks a lot", "many thanks"),
        *("ok", "okay", "great", "perfect", "cool", "nice", "super", "got it", "understood", "well done", "bye"),
        *("goodbye", "see you", "have a nice day"),
    ),
    SmallTalk.GREETING: (
        *("hi", "hello", "hey", "hiya", "howdy", "yo", "hi there", "hello there", "hey there", "good morning"),
        *("good afternoon", "good evening", "good day", "how are you", "how are you doing", "hello world", "ping"),
        *("test", "testing"),
    ),
}
_GERMAN: dict[SmallTalk, tuple[str, ...]] = {
    SmallTalk.LIBRARY: (
        *("welche dokumente hast du", "welche dokumente kennst du", "welche dokumente kann ich lesen"),
        "welche dokumente kannst du lesen",
    ),
    SmallTalk.HELP: ("hilfe", "was kannst du", "wer bist du", "wie funktionierst du", "was kann ich dich fragen"),
    SmallTalk.NEW_TOPIC: (
        *("neues thema", "von vorne", "vergiss das", "themenwechsel", "gespräch beenden", "neues gespräch"),
    ),
    SmallTalk.THANKS: (
        *("danke", "danke schön", "dankeschön", "vielen dank", "tschüss", "verstanden", "gut", "prima", "toll"),
        "auf wiedersehen",
    ),
    SmallTalk.GREETING: (
        *("hallo", "guten morgen", "guten tag", "guten abend", "moin", "servus", "wie geht's", "wie gehts"),
        *("wie geht es dir", "wie geht es ihnen"),
    ),
}
_FRENCH: dict[SmallTalk, tuple[str, ...]] = {
    SmallTalk.LIBRARY: ("quels documents as tu", "quels documents puis je lire", "quels documents connais tu"),
    SmallTalk.HELP: ("aide", "aidez moi", "que peux tu faire", "que sais tu faire", "qui es tu"),
    SmallTalk.NEW_TOPIC: (
        *("nouveau sujet", "nouvelle conversation", "recommencer", "oublie ça", "terminer la conversation"),
    ),
    SmallTalk.THANKS: ("merci", "merci beaucoup", "merci bien", "au revoir", "compris", "parfait"),
    SmallTalk.GREETING: (
        *("bonjour", "bonsoir", "salut", "coucou", "ça va", "comment ça va", "comment vas tu", "comment allez vous"),
    ),
}
_SPANISH: dict[SmallTalk, tuple[str, ...]] = {
    SmallTalk.LIBRARY: ("qué documentos tienes", "que documentos tienes", "qué documentos puedo leer"),
    SmallTalk.HELP: ("ayuda", "qué puedes hacer", "que puedes hacer", "quién eres", "quien eres"),
    SmallTalk.NEW_TOPIC: (
        *("nuevo tema", "nueva conversación", "empezar de nuevo", "olvida eso", "terminar la conversación"),
    ),
    SmallTalk.THANKS: ("gracias", "muchas gracias", "adiós", "adios", "entendido", "perfecto"),
    SmallTalk.GREETING: (
        *("hola", "buenos días", "buenas tardes", "buenas noches", "qué tal", "cómo estás", "cómo está"),
    ),
}
_OF_LANGUAGE = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH}
_MEANT = {
    phrase: (meaning, language)
    for language, of_meaning in _OF_LANGUAGE.items()
    for meaning, phrases in of_meaning.items()
    for phrase in phrases
}
_ASKS_FOR_LIBRARY = re.compile(
    r"(?:(?:hi|hello|hey|please|and|can you) ){0,3}(?:"
    r"(?:which|what) (?:documents?|docs|files?|sources?)"
    r" (?:(?:can|may|could|do) (?:i|we|you) (?:read|see|access|have|know|search|open)|are (?:there|available))"
    r"|(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| my| your)?(?: available)? (?:documents|docs|files|sources)"
    r"(?: (?:that )?(?:i|you) (?:can|may) (?:read|see|search))?"
    r"|how many (?:documents|docs|files|sources)"
    r" (?:(?:can|may|do) (?:i|we|you) (?:read|see|have|know|search)|are there)"
    r")(?: here)?"
)
# Replies to what Footnote asked.
_REPLIES = frozenset(
    """yes yep yup yeah yea yay no nope nah sure right exactly true please ja nein oui non sí si genau one first
    second last both all none""".split()  # noqa: SIM905
)
_NATURE = re.compile(
    r"\b(?:bot|robot|human|person|machine|ai|real|sentient|chatgpt|mensch|echt|name|who (?:made|built|wrote|created))\b"
)
_GREETS = re.compile(
    r"\b(?:hi+|hello|hey+a?|hiya|howdy|hullo|gm|morning|moin|hej|hoi|ciao|salve|привет|你好|test\w*)\b"
)
_THANKS = re.compile(
    r"\b(?:th[ax]\w*|thnx|tx|ty\w*|ta|cheers|danke\w*|merci|gracias|grazie|obrigad[oa]|tack|bye|cya)\b"
)


def has_words(text: str) -> bool:
    """Return True if a message has more than emoji and punctuation."""
    return any(character.isalnum() for character in _NO_WORDS.sub(" ", text))


def recognise(text: str) -> SmallTalk | None:
    """Return the meaning of a message, if it has no other part; None for a possible question, and for a reply.

    text: as it was typed, without the mention of the bot.
    """
    words = _list_words(text)
    if len(text) <= _LONGEST:
        meant = {_MEANT[part][0] if part in _MEANT else None for part in _split_phrases(words)}
        if None not in meant:
            return next((meaning for meaning in _ENGLISH if meaning in meant), None)
    if not has_words(text) or _REPLIES.issuperset(words):
        return None
    said = " ".join(words)
    if _ASKS_FOR_LIBRARY.fullmatch(said):
        return SmallTalk.LIBRARY
    is_addressed = bool(_THANKS.search(said) or _GREETS.search(said))  # "thanks, Anna" has a name, as has "Cool Room"
    if not is_small_talk(text, is_strict=not is_addressed):
        return None
    kinds = {SmallTalk.NATURE: _NATURE, SmallTalk.THANKS: _THANKS, SmallTalk.GREETING: _GREETS}
    return next((kind for kind, pattern in kinds.items() if pattern.search(said)), SmallTalk.CHAT)


def reply_to(text: str) -> str:
    """Return what is said to a message that is no question, in its language where that is known; "" for a question."""
    meaning = recognise(text)
    if meaning is None:
        return ""
    language = next((_MEANT[part][1] for part in _split_phrases(_list_words(text)) if part in _MEANT), "")
    with speak_language(language) if language in LANGUAGES and language != "en" else nullcontext():
        return say(SENTENCES[meaning])


def _list_words(text: str) -> list[str]:
    return _NO_WORDS.sub(" ", text.casefold().replace("’", "'")).split()


def _split_phrases(words: list[str]) -> list[str]:
    """Return the phrases of a message, without the fillers between them; what is left over is a part too."""
    parts: list[str] = []
    while words:
        end = next((size for size in range(len(words), 0, -1) if " ".join(words[:size]) in _MEANT), 0)
        if end:
            parts.append(" ".join(words[:end]))
        elif words[0] not in _FILLERS:
            return [*parts, " ".join(words)]
        words = words[end or 1 :]
    return parts
