"""Words of writing other than Latin: the parts by which they are compared and indexed. Pure.

Chinese, Japanese, Thai, Lao, Khmer and Burmese put no space between words, and Korean puts particles behind them. Each
run of such letters is compared by its pairs of neighbours (bigrams), as Lucene's CJKBigramFilter does. No word in Latin
letters is touched, and a Greek letter or two are a formula's.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

# The letters of Latin writing, with marks or without: for use within brackets of a pattern.
LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
CAPITALS = "A-Z" + "".join(one for one in map(chr, range(0xC0, 0x250)) if one.isupper())
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HIRAGANA = "\u3041-\u3096\u309d\u309e"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
_STACKED = f"{_THAI}\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
_RUN = f"[{_HAN}{_HIRAGANA}{_KATAKANA}]+|[{_HANGUL}]+|[{_STACKED}]+"
# Cyrillic, Armenian, Hebrew, Arabic, the scripts of India, Georgian, Ethiopic: letters with the marks on them.
_SPACED = (
    "[\u0370-\u03ff\u1f00-\u1fff]{3,}|[\u0400-\u052f]{2,}|[\u0531-\u0587]{2,}|[\u0591-\u05c7\u05d0-\u05ea]{2,}"
    "|[\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ed\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]{2,}"
    "|[\u0900-\u0963\u0971-\u0d7f]{2,}|[\u10a0-\u10ff]{2,}|[\u1200-\u137f]{2,}"
)
WORD_OR_RUN = f"{_RUN}|{_SPACED}"  # a word, or a run of words without spaces
# What a sentence begins with: a capital, or a letter of a script that has none.
INITIAL = (
    "[\u0401\u0404\u0406\u0407\u0410-\u042f\u0531-\u0556\u05d0-\u05ea\u0620-\u06d3\u0900-\u0d7f\u0e01-\u0edf\u1000-\u109f"
    "\u10d0-\u137f\u1780-\u17d3\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]|[\u0391-\u03a9](?=[\u03ac-\u03ce])"
)
# The ends of sentences that need no space behind them: of Chinese and Japanese, Arabic and Urdu, the scripts of India,
# Armenian, Ethiopic, Khmer and Burmese.
FULL_STOPS = "。！？｡؟۔।॥։።។။"
CLOSING_BRACKETS = "」』）】》〉］"

_UNSPACED = re.compile(_RUN)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_OF_CHINESE = re.compile(f"[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+")
_STARTS_SINGLE = re.compile(f"[{_HAN}{_HANGUL}]")  # of which one alone may be a word
_STARTS_HANGUL, _STARTS_HIRAGANA = re.compile(f"[{_HANGUL}]"), re.compile(f"[{_HIRAGANA}]")
# Vowels and tones of Thai and its kin are written on the consonant before them; in Khmer and Burmese a sign puts the
# next consonant below it.
_CLUSTER = re.compile(
    "(?:[^\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3]|^)"
    "(?:[\u1039\u17d2].|[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3])*",
    re.DOTALL,
)


# Words of grammar and of asking, longest first: they part what is compared, as the function words of English do.
_CHINESE_STOPS = re.compile(
    "|".join(
        sorted(
            """什么时候 什麼時候 什么 甚么 什麼 甚麼 多少 怎么 怎样 怎麼 怎樣 如何 为什么 為什麼 为何 為何 哪里 哪儿
    哪裡 哪個 哪个 哪些 哪天 哪年 何时 何处 何處 是否 谁 誰 吗 嗎 呢 吧 的 了 是 请问 請問 可以 可否 我们 我們
    你们 你們 他们 他們 我 你 您 他 她 它 这个 這個 那个 那個 这些 這些 那些 这 這 那 有没有 有沒有 需要 应该
    應該 能否 多久 多长 多長 在""".split(),  # noqa: SIM905
            key=len,
            reverse=True,
        )
    )
)
_JAPANESE_STOPS = re.compile(
    "|".join(
        sorted(
            """でしょうか ですか ますか ましたか ください ました です ます でした という について とは には では から
    まで より など して した する される れる られ いる ある こと もの ため どこ いつ だれ どの どれ どちら どう
    どんな いくら いくつ なぜ これ それ あれ この その あの ここ そこ どのくらい どれくらい なに なん は が を
    に で と の も へ や か ね よ て た し な い""".split(),  # noqa: SIM905
            key=len,
            reverse=True,
        )
    )
)
_THAI_STOPS = re.compile(
    "|".join(
        sorted(
            """อะไร เท่าไร เท่าไหร่ เมื่อไร เมื่อไหร่ ที่ไหน อย่างไร ยังไง ทำไม ใคร กี่ ครับ ค่ะ คะ ไหม หรือไม่ หรือ และ ของ เป็น
    คือ ได้ ให้ จะ ต้อง สามารถ ที่ ใน กับ แต่ ซึ่ง โดย จาก ถึง ว่า นี้ นั้น ไว้ ด้วย แล้ว อยู่ บ้าง""".split(),  # noqa: SIM905
            key=len,
            reverse=True,
        )
    )
)
_KOREAN_STOPS = frozenset(
    """무엇 무엇입니까 무엇인가요 뭐 뭔가요 언제 언제입니까 언제인가요 어디 어디입니까 어디인가요 어디에 어디서
    누구 누가 누구입니까 누구인가요 몇 얼마 얼마나 얼마입니까 얼마인가요 왜 어떻게 어느 어떤 무슨 며칠
    며칠입니까 며칠인가요 있습니까 있나요 있습니다 없습니다 합니까 하나요 합니다 입니다 됩니까 되나요 됩니다 수
    것 등 및 또는 그리고 저는 제가 우리 이 그 저 해야 할""".split()  # noqa: SIM905
)
_CALLED = {"CJK": "Chinese", "HANGUL": "Korean", "MYANMAR": "Burmese", "DEVANAGARI": "Hindi"}
_MOST, _SOME = 0.5, 0.15  # shares of letters beyond Latin
_ENGLISH = re.compile(
    r"\b(?:the|of|an?|is|are|was|were|in|to|and|or|what|who|how|when|where|which|why|do|does|can|may|for|on|at|by|with|from)\b",
    re.IGNORECASE | re.ASCII,
)
_COUNTED = re.compile("[几幾何](.)?")
# Of Russian, Arabic and Hebrew, those that questions have.
_SPACED_STOPS = frozenset(
    """что как где когда кто сколько какой какая какое какие почему зачем чем это или не на по за из от до для
    при без над под его её их он она они мы вы мне нас вас был была было были есть можно нужно надо ли же бы то
    так все я и в с к о у ما ماذا متى أين اين كيف كم من هل في على إلى الى عن هو هي هذا هذه التي الذي أن إن لا لم
    لن مع أو او و كل بعد قبل عند מה מי מתי איפה היכן איך כמה למה האם של את על אל עם או לא זה זו הוא היא הם יש
    אין כל אני אנחנו""".split()  # noqa: SIM905
)
# Particles and endings behind a word, the longest first.
_KOREAN_ENDING = re.compile(
    "(?<=.)(?:입니까|인가요|습니까|습니다|합니까|합니다|됩니까|됩니다|하나요|되나요|나요|에서는|에서|에게서|에게|까지|부터|으로|이라는|라는|보다|처럼|마다"
    "|께서|한테|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)


# A space between two clauses of Thai or its kin, which have no mark for the end of a sentence.
BETWEEN_CLAUSES = re.compile(f"(?<=[{_STACKED}])[ \t\u00a0\u3000]+(?=[{_STACKED}])")


def has_unspaced(text: str) -> bool:
    """Return True if a text has letters of a script that is compared by pairs of neighbours."""
    return not text.isascii() and bool(_UNSPACED.search(text))


def count_words(text: str) -> int:
    """Count the words between spaces; in writing without spaces two letters count as a word."""
    if not has_unspaced(text):
        return len(text.split())
    runs = [len(_split_clusters(found.group())) for found in _UNSPACED.finditer(text)]
    return len(_UNSPACED.sub(" ", text).split()) + sum((clusters + 1) // 2 for clusters in runs)


def list_indexed(text: str) -> list[str]:
    """List what full-text search finds a text's unspaced runs by, in their order and as often as each occurs.

    Their pairs, single ideographs and syllables, and the Latin words and figures among them, which PostgreSQL reads as
    one word with what they touch.
    """
    if not has_unspaced(text):
        return []
    found: list[str] = []
    for word in unicodedata.normalize("NFKC", text).split():
        for run in _UNSPACED.finditer(word):
            clusters = _split_clusters(run.group())
            found += _pair_clusters(clusters)
            found += [one for one in clusters if len(clusters) > 1 and _STARTS_SINGLE.match(one)]
        if has_unspaced(word):
            found += [part for part in _UNSPACED.sub(" ", word).split() if any(map(str.isalnum, part))]
    return found


def write_asked(question: str) -> str:
    """Write a question for full-text search: each unspaced run as its telling pairs, the rest as it is."""
    return _replace_runs(question, split_run)


def write_phrase(phrase: str) -> str:
    """Write a phrase for full-text search: each unspaced run as all its pairs, in their order."""
    return _replace_runs(phrase, pair_run)


def _replace_runs(text: str, parts: Callable[[str], Iterable[str]]) -> str:
    if not has_unspaced(text):
        return text
    return _UNSPACED.sub(lambda run: f" {' '.join(parts(run.group()))} ", unicodedata.normalize("NFKC", text))


def pair_run(run: str) -> list[str]:
    """List all pairs of neighbours of a match of WORD_OR_RUN; a word between spaces, as it is."""
    return _pair_clusters(_split_clusters(run)) if _UNSPACED.fullmatch(run) else [run]


@lru_cache(maxsize=20_000)
def split_run(run: str) -> tuple[str, ...]:
    """Return the parts by which a match of WORD_OR_RUN is compared, without words of grammar and of asking."""
    written = unicodedata.normalize("NFKC", run).casefold()
    if not _UNSPACED.fullmatch(written):
        return () if written in _SPACED_STOPS else (written,)
    return tuple(part for piece in _split_telling(written) for part in _pair_clusters(_split_clusters(piece)))


def _split_telling(run: str) -> Iterator[str]:
    """Yield the pieces of a run between words of grammar."""
    if _STARTS_HANGUL.match(run):
        bare = _KOREAN_ENDING.sub("", run)
        if run not in _KOREAN_STOPS and bare not in _KOREAN_STOPS:
            yield bare
    elif not _OF_CHINESE.match(run):
        yield from filter(None, _THAI_STOPS.split(run))
    else:
        for part in _OF_CHINESE.findall(run):
            if _STARTS_HIRAGANA.match(part):
                yield from (piece for piece in _JAPANESE_STOPS.split(part) if len(piece) > 1)
            else:
                # What is counted is a word of its own: 几点 is answered by 九点, whatever follows it.
                for piece in filter(None, _CHINESE_STOPS.split(part)):
                    yield from filter(None, _COUNTED.split(piece))


def _split_clusters(run: str) -> list[str]:
    return _CLUSTER.findall(run)


def add_singles(parts: Iterable[str]) -> frozenset[str]:
    """Add to the parts of a text the single ideographs and syllables that its pairs are made of."""
    known = frozenset(parts)
    return known.union(*(_STARTS_SINGLE.findall(part) for part in known if not part.isascii()))


def _pair_clusters(clusters: list[str]) -> list[str]:
    return clusters if len(clusters) < 2 else [one + two for one, two in pairwise(clusters)]


def measure_beyond_latin(text: str) -> float:
    """Measure the share of a text's letters that are not Latin, 0..1."""
    if text.isascii():
        return 0.0
    beyond = sum(one.isalpha() and not is_latin(one) for one in _NOT_ASCII.findall(text))
    return beyond / sum(map(str.isalpha, text)) if beyond else 0.0


def name_script(text: str) -> str:
    """Name the writing that most letters of a text are of, as people call it; "" for a text without letters."""
    letters = Counter(unicodedata.name(one, "").partition(" ")[0] for one in text if one.isalpha())
    if not letters:
        return ""
    if letters["HIRAGANA"] + letters["KATAKANA"] > letters["CJK"] / 10:  # Japanese is written with Chinese letters too
        return "Japanese"
    [(most, _)] = letters.most_common(1)
    return _CALLED.get(most, most.capitalize())


def is_beyond_latin(text: str) -> bool:
    """Return True if models of English read nothing in a text: most of its letters are not Latin.

    Or some letters of a script without spaces are, and no word of English grammar: 怎么安装 Microsoft Teams.
    """
    share = measure_beyond_latin(text)
    return share > _MOST or (share > _SOME and has_unspaced(text) and not _ENGLISH.search(text))


@lru_cache(maxsize=4096)
def is_latin(letter: str) -> bool:
    """Return True if a letter is of the Latin alphabet, with marks or without."""
    return letter.isascii() or unicodedata.name(letter, "").startswith(("LATIN", "FULLWIDTH LATIN"))
