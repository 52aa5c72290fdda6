"""A question as people type it, in plain words: without what only frames it, and without shorthand.

Pure. What is left out says nothing of the subject, and would only stand in the way of the words that do.
"""

import re

from core.language.nlp.text import one_line

_FEWEST = 2  # words that must be left of a question
_MOST_FRAMES = 4  # "Hi all, quick question: does anyone know whether ..."

_SHORTHAND = {
    "pw": "password", "pwd": "password", "tel": "telephone", "approx": "about", "max": "maximum", "hrs": "hours",
    "yr": "year", "yrs": "years", "wk": "week", "mtg": "meeting", "mgr": "manager", "dept": "department",
    "govt": "government", "mgmt": "management", "u": "you", "ur": "your", "b4": "before", "w/o": "without",
    "whats": "what is", "what's": "what is", "wheres": "where is", "where's": "where is", "whos": "who is",
    "who's": "who is", "whens": "when is", "when's": "when is", "hows": "how is", "how's": "how is",
    "didnt": "did not", "didn't": "did not", "dont": "do not", "don't": "do not", "doesnt": "does not",
    "doesn't": "does not", "cant": "cannot", "can't": "cannot", "couldnt": "could not", "couldn't": "could not",
    "wont": "will not", "won't": "will not", "isnt": "is not", "isn't": "is not", "wasnt": "was not",
    "wasn't": "was not", "arent": "are not", "aren't": "are not", "havent": "have not", "haven't": "have not",
    "hasnt": "has not", "hasn't": "has not", "im": "I am", "i'm": "I am", "ive": "I have", "i've": "I have",
    "i'd": "I would", "i'll": "I will", "pls": "", "plz": "", "thx": "", "btw": "",
}  # fmt: skip
SHORTHAND = frozenset(_SHORTHAND)  # in lower case
_WORD = re.compile(r"(?<![\w'’/.@-])[A-Za-z0-9]+(?:['’][a-z]+|/[a-z]+)?(?![\w'’/@-])")
_KNOW = r"(?:if|whether|about|of)"
_FRAMES = (
    re.compile(
        r"\A(?:hi|hello|hey|good morning|good afternoon|dear)\b(?: (?:all|everyone|everybody|team|there|folks|guys|bot"
        r"|footnote|colleagues))?[ ,.!:;-]+",
        re.IGNORECASE,
    ),
    re.compile(
        r"\A(?:(?:just )?a )?(?:quick |short |stupid |silly )?question(?: about)?(?: ?[:,.-]+ ?| (?=if\b))",
        re.IGNORECASE,
    ),
    re.compile(r"\A(?:sorry|excuse me|ok|okay|so|well|please|thanks)[ ,.!:;-]+", re.IGNORECASE),
    re.compile(
        rf"\A(?:does|do) (?:anyone|anybody|someone|somebody|you)(?: here)?(?: happen to)? know(?: {_KNOW})? ",
        re.IGNORECASE,
    ),
    re.compile(
        r"\A(?:can|could|would|will) (?:you|anyone|anybody|someone|somebody)(?: please)?"
        rf" (?:tell me|let me know|remind me|explain to me|help me out with)(?: {_KNOW})? ",
        re.IGNORECASE,
    ),
    re.compile(
        r"\A(?:i(?: was|'m| am)? (?:just )?wonder(?:ing|ed)?|i(?: would| just)? (?:want|wanted|need|like) to know"
        rf"|i have a question)(?: {_KNOW})?[ ,:]+",
        re.IGNORECASE,
    ),
)
_THANKS = re.compile(
    r"(?<![ ,.!;-])[ ,.!;-]+(?:(?:many )?thanks|thank you|please|cheers)(?: (?:a lot|so much|very much|in advance))?"
    r"[ .!]*\Z",
    re.IGNORECASE,
)


def make_plain(question: str) -> str:
    """Return the question without what only frames it, shorthand written out; as it is where little would be left."""
    text = one_line(question)
    for _ in range(_MOST_FRAMES):
        shorter = text
        for frame in _FRAMES:
            shorter = frame.sub("", shorter, count=1)
        if shorter == text or len(shorter.split()) < _FEWEST:
            break
        text = shorter
    thanked = _THANKS.sub("", text)
    text = thanked if len(thanked.split()) >= _FEWEST else text
    written = one_line(_WORD.sub(lambda word: _write_out_shorthand(word.group()), text))
    return written if len(written.split()) >= _FEWEST else question


def _write_out_shorthand(word: str) -> str:
    return _SHORTHAND.get(word.casefold().replace("’", "'"), word)
