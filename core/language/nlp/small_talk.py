"""Recognise messages that ask nothing of a library: greetings, thanks, laughter, tests, typing at random. Pure.

A message is small talk only as a whole: each of its words has to be, so that "thanks, and when is lunch?" is not.
"""

import re
from functools import cache
from itertools import pairwise

from core.language.nlp.known_words import is_english_word

_EMOJI = re.compile(r":[a-z0-9_+-]{1,40}:|<@[A-Za-z0-9|._-]{1,80}>")  # by their names in Slack, and who is mentioned
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LONGEST = 120  # characters; whoever writes more has something to ask
_MOST_WORDS = 12

# Each of these alone is small talk. English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish,
# Turkish, and greetings and thanks of other writings.
_SOCIAL = frozenset(
    """hi hello hey heya hiya howdy yo sup wassup greetings gm gn hullo hallo aloha ahoy
    thanks thank thanx thankyou thx thnx tx ty tysm tyvm cheers kudos ta
    ok okay okey oki okie okidoki k kk yep yup yeah yea yay nope nah uh huh hm hmm hmmm mhm ah aha oh ooh oops ups
    lol lmao rofl haha hahaha hahahaha hehe hihi xd omg wow wtf wth smh ikr brb afk gg np nvm fyi tbh idk imho
    bye goodbye cya ciao seeya ttyl toodles farewell goodnight
    cool nice great awesome perfect super superb excellent brilliant fantastic amazing lovely wonderful sweet neat
    noted understood gotcha roger sorry apologies congrats congratulations welcome
    danke dankeschön dankeschoen bitte moin servus grüezi tschüss tschuess tschau prima klasse toll genau verstanden
    entschuldigung gruss grüsse grüße
    merci bonjour bonsoir salut coucou bisous parfait compris pardon désolé
    gracias hola adiós adios buenos buenas perfecto entendido vale perdón
    grazie buongiorno buonasera salve prego perfetto capito scusa
    obrigado obrigada olá ola tchau bom perfeito
    dank dankjewel hoi doei bedankt goedemorgen goedemiddag goedenavond
    dzięki dziękuję dziekuje cześć czesc witam
    tack hej hejsan tjena tak kiitos moi hei
    merhaba selam teşekkürler tesekkurler sağol günaydın
    привет здравствуйте спасибо пока привіт дякую
    γεια ευχαριστώ مرحبا السلام شكرا أهلا שלום תודה नमस्ते धन्यवाद สวัสดี ขอบคุณ
    你好 您好 谢谢 謝謝 多谢 再见 哈哈
    こんにちは どうも ありがとう ありがとうございます おはよう すみません 안녕 안녕하세요 감사합니다 고마워
    """.split()  # noqa: SIM905
)
# These may stand beside them.
_BESIDE = frozenset(
    """m8 mate mates man bro bruh dude buddy pal friend friends folks guys all everyone everybody team there bot
    footnote you u ur your a an
    the and for of to so very much many lot lots again that this it its it's is was are that's thats
    i i'm im am me my we've got getting get just really indeed too also then now here
    good morning afternoon evening night day days weekend week one fine well bad job work done help helpful appreciated
    appreciate have had happy new year christmas xmas birthday holidays see soon later tomorrow today cu cul8r
    no not yes please pls plz problem problems worries prob how what's whats up going doing today be been better best
    never mind forget ignore never-mind nevermind sure right exactly true alright fair enough love like will can could
    stuff effort info answer answers
    schön schoen vielen viele lieben guten gute gut morgen tag abend nacht mittag alle zusammen dir euch ihnen für die
    das hilfe sehr schönes wochenende wie geht's gehts mir es ist alles klar ja nein passt top auf wiedersehen bis
    dann
    beaucoup bien le la les à a tous toutes au revoir bonne bon journée soirée nuit ça ca va d'accord daccord oui non
    de rien pour mille fois équipe tutti tutte ragazzi todos todas gente equipo leute
    muchas muchos días dias tardes noches que qué tal por todo de nada hasta luego mañana sí si bien muy
    mille tante giorno sera notte come va bene di tutto
    muito dia tarde noite tudo bem
    wel je u bedankt welkom fijne dag
    dzień dobry bardzo dobranoc
    så mycket god morgon
    çok iyi günler
    большое добрый день вам ευχαριστώ πολύ عليكم صباح الخير 大家 早上好 晚上好 你们
    """.split()  # noqa: SIM905
)
# Of whoever tries out if anybody answers.
_TRIES = frozenset("test tests tested testing tester teste testen essai prueba prova ping pong foo bar baz".split())  # noqa: SIM905
_BESIDE_TRIES = frozenset(
    """a an one two three four another just only simple quick little this is it be does do on work works working
    here now only message question please ignore more again still check checking mic hello world ein eine nur das ist un
    une una""".split()  # noqa: SIM905
)
_TO_THE_BOT = re.compile(
    r"(?:so |and |but |hey |hi |hello )?(?:"
    r"(?:(?:are|r) )?(?:you|u) (?:still |really |even |just )?(?:a |an )?(?:real |actual |human |live )?"
    r"(?:there|here|ok|okay|awake|alive|online|working|ready|bot|robot|human|person|machine|ai|real|sentient|chatgpt)"
    r"(?: today| now| again)?"
    r"|am i (?:talking|speaking|chatting) (?:to|with) an? (?:real |actual )?(?:bot|robot|human|person|machine|ai)"
    r"|(?:is )?(?:anyone|anybody|somebody|someone) (?:there|here|home|listening)"
    r"|(?:does|is) (?:this|it) (?:thing |bot )?(?:work|working|on)"
    r"|(?:can|do) (?:you|u) (?:hear|read|see|understand|love|like|hate) me|(?:can|may) i ask (?:you )?something"
    r"|(?:what|who) (?:are|r) (?:you|u)|what(?:'s| is| s) your name|who (?:made|built|wrote|created) (?:you|u)"
    r"|what (?:can|do) (?:you|u) do|how do (?:you|u) work|how can (?:you|u) help(?: me)?"
    r"|tell me (?:a|another) (?:joke|story)|(?:i )?love (?:you|u)|(?:you|u) (?:are|r) (?:great|stupid|dumb|useless)"
    r"|wer bist du|bist du (?:ein bot|da|ein mensch|echt)|was kannst du|funktioniert das"
    r"|qui es tu|es tu (?:là|un robot)|quién eres|eres un (?:bot|robot)"
    r")"
)
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn")
_NEIGHBOURS = frozenset(pair for row in _ROWS for one, other in pairwise(row) for pair in (one + other, other + one))
_FEWEST_TYPED = 3  # letters of a word that seems to be typed at random


def is_small_talk(text: str, *, is_strict: bool = False) -> bool:
    """Return True if a message as a whole asks nothing; False for whatever may be a question.

    text: as it was typed. is_strict: what may be looked for is a question, as "WEEE", "bar" and "Cool Room" may.
    """
    if len(text) > _LONGEST:
        return False
    written = _WORD.findall(_EMOJI.sub(" ", text))
    words = [word.casefold().replace("’", "'") for word in written]
    if not words:
        return True
    if len(words) > _MOST_WORDS:
        return False
    if _TO_THE_BOT.fullmatch(" ".join(words)):
        return True
    if is_strict:
        return _is_social(words, [word.casefold() for word in written], is_asked="?" in text)
    if all(map(_is_typed_at_random, words)):
        return True
    if any(word in _TRIES for word in words):
        return "?" not in text and all(
            word in _TRIES or word in _BESIDE_TRIES or word in _SOCIAL or word.isdecimal() for word in words
        )
    return _is_social(words, written, is_asked="?" in text)


def _is_social(words: list[str], written: list[str], *, is_asked: bool) -> bool:
    """Return True if all words are social, or may stand beside one that is; and for one name in addressing somebody."""
    short = [_drop_emphasis(word) for word in words]
    unknown = [place for place, word in enumerate(short) if word not in _SOCIAL | _BESIDE]
    has_social = any(word in _SOCIAL for word in short)
    rest = " ".join(word for word in words if word not in _SOCIAL and word not in _ADDRESSED)
    if rest in _PHRASES or " ".join(words) in _PHRASES:
        return True
    if not unknown:
        return has_social and not _ASKS.intersection(words)
    addressed = len(unknown) == 1 and not is_asked and unknown[0] > 0 and written[unknown[0]][:1].isupper()
    return addressed and has_social and len(words) <= 4


def _drop_emphasis(word: str) -> str:
    """Return a word without repetitions for emphasis: "heyyy", "thaaanks", "hahahahaha"."""
    if word in _SOCIAL or word in _BESIDE:
        return word
    bare = _REPEATED.sub(r"\1", word)
    return "haha" if bare and set(bare) <= {"h", "a"} and len(bare) > 3 else bare


_REPEATED = re.compile(r"(\w)\1{1,60}")
_ASKS = frozenset("how what when where which who whom whose why wie was que qué quoi come".split())  # noqa: SIM905
_ADDRESSED = frozenset(
    """mate mates man bro buddy pal friend friends folks guys all everyone everybody team there bot footnote again alle
    zusammen dir euch ihnen à tous toutes todos a tutti""".split()  # noqa: SIM905
)
# Without a word that is social by itself.
_PHRASES = frozenset(
    {
        *(
            "good morning",
            "morning",
            "good afternoon",
            "good evening",
            "good night",
            "good day",
            "good job",
            "well done",
            "got it",
        ),
        *("how are you", "how are you doing", "how is it going", "what's up", "whats up", "how are you today", "yes"),
        *("no", "no problem", "no worries", "never mind", "nevermind", "forget it", "forget that", "ignore that"),
        *(
            "ignore this",
            "you too",
            "see you",
            "see you later",
            "see you soon",
            "see you tomorrow",
            "until tomorrow",
            "have a good day",
            "have a nice day",
        ),
        *(
            "yes please",
            "no please",
            "please",
            "sure",
            "right",
            "exactly",
            "alright",
            "all good",
            "fair enough",
            "help",
        ),
        *(
            "help me",
            "help please",
            "please help",
            "please help me",
            "good bot",
            "bad bot",
            "happy new year",
            "happy birthday",
            "hello world",
        ),
        *(
            "guten morgen",
            "guten tag",
            "guten abend",
            "gute nacht",
            "wie geht's",
            "wie gehts",
            "alles klar",
            "ja",
            "nein",
        ),
        *(
            "hilfe",
            "auf wiedersehen",
            "schönes wochenende",
            "au revoir",
            "bonne journée",
            "bonne nuit",
            "ça va",
            "ca va",
        ),
        *("oui", "non", "d'accord", "de rien", "qué tal", "que tal", "de nada", "hasta luego", "muy bien", "sí", "si"),
        *(
            "come va",
            "va bene",
            "bom dia",
            "boa tarde",
            "boa noite",
            "tudo bem",
            "dzień dobry",
            "god morgon",
            "iyi günler",
        ),
        *(
            "добрый день",
            "صباح الخير",
            "早上好",
            "晚上好",
            "大家 早上好",
            "that's right",
            "that's all",
            "thats all",
            "not now",
        ),
    }
)


@cache
def _is_typed_at_random(word: str) -> bool:
    """Return True for letters beside each other on a keyboard, one letter again and again, and a syllable repeated."""
    if len(word) < _FEWEST_TYPED or not word.isalpha() or not word.isascii():
        return False
    if len(set(word)) == 1:
        return True
    if is_english_word(word):
        return False
    beside = sum(
        word[place : place + 2] in _NEIGHBOURS or word[place] == word[place + 1] for place in range(len(word) - 1)
    )
    half = len(word) // 2
    repeats = len(word) % 2 == 0 and half >= _FEWEST_TYPED and word[:half] == word[half:]
    return beside >= 0.8 * (len(word) - 1) or (repeats and not is_english_word(word[:half]))
