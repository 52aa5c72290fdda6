"""Find passwords, keys and tokens in the text of documents, and mask them. Pure, and linear in the text's length.

Two kinds of signs are used: the published formats of tokens (a prefix, and a length), and words that announce a secret
("password:", "Passwort lautet", a column "PIN") before a value that looks like one. Formats are those that the vendors
document; the README of the detector's dataset, evaluation/secrets.jsonl, says how well it finds what people write.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

MASK = "•"  # one for each character, so that every place in the text stays where it is


class SecretKind(StrEnum):
    """Lists the kinds of secrets."""

    PASSWORD = "password"  # noqa: S105 - the name of a kind
    CODE = "code"  # PINs, codes of doors and alarms, recovery codes
    TOKEN = "token"  # noqa: S105 - the name of a kind
    PRIVATE_KEY = "private_key"
    CONNECTION = "connection"  # the password within an address or a connection string


SECRETS_IN_WORDS = {
    SecretKind.PASSWORD: "password",
    SecretKind.CODE: "PIN or code",
    SecretKind.TOKEN: "access key or token",
    SecretKind.PRIVATE_KEY: "private key",
    SecretKind.CONNECTION: "password in an address",
}


@dataclass(frozen=True, order=True, slots=True)
class Secret:
    """Holds the place of a secret: text[start:end]."""

    start: int
    end: int
    kind: SecretKind


# Each format is anchored on its literal beginning, and every repetition is bounded.
_FORMATS = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"  # Amazon
    r"|gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{22,255}"
    r"|gl(?:pat|ptt|dt|rt|soat|cbt|ft|agent|oas)-[A-Za-z0-9_.-]{20,255}"  # GitLab
    r"|xox[abeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{10,255}"  # Slack
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{24,255}"  # Stripe
    r"|sk-(?:proj-|svcacct-|admin-|ant-|or-)?(?=[A-Za-z_-]{0,255}[0-9])[A-Za-z0-9_-]{20,255}"  # OpenAI, Anthropic
    r"|AIza[0-9A-Za-z_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_-]{20,255}"  # Google
    r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,255}|hf_[A-Za-z0-9]{30,60}|dckr_pat_[A-Za-z0-9_-]{20,60}"
    r"|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}|SK[0-9a-f]{32}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
    r"|do[opr]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32}|hvs\.[A-Za-z0-9_-]{20,255}|lin_api_[A-Za-z0-9]{32,60}"
    r"|ntn_[A-Za-z0-9]{40,60}|ATATT3[A-Za-z0-9_=-]{50,255}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}"  # Telegram
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,70}"
    r"|eyJ[A-Za-z0-9_-]{10,2000}+\.eyJ[A-Za-z0-9_-]{10,4000}+\.[A-Za-z0-9_-]{10,1000}"  # JSON Web Token
    r")"
)
_WEBHOOK = re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,200})")
_BEARER = re.compile(r"(?<!\w)(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,2000})", re.IGNORECASE)
_USER_OPTION = re.compile(r"(?i:curl)\b[^\n]{0,200}?\s(?:-u|--user)[ =]['\"]?[^\s:'\"]{1,100}:([^\s'\"]{3,200})")
_IN_ADDRESS = re.compile(r"://[^\s:/@<>'\"]{0,100}:([^\s/@<>'\"]{3,200})@")

_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{16}")  # or else the lines are only spoken of
_REST_OF_KEY = re.compile(r"(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{1,200}(?=\s|\\n|\Z)){1,400}")
# What is left of a key whose beginning is in another passage: lines of base64 alone, 40 characters and more.
_KEY_LINES = re.compile(r"(?m)^[A-Za-z0-9+/]{40,100}={0,2}[ \t]*(?:\n[A-Za-z0-9+/]{1,100}={0,2}[ \t]*(?=\n|\Z)){1,200}")

_FOR_PEOPLE = (
    r"pass ?words?|passwd|pass ?phrases?|pwd|pw"
    r"|passw(?:ö|oe)rter|passwort|kennwort|kennw(?:ö|oe)rter|zugangsdaten"
    r"|mots? de passe|mdp|phrase secr[èe]te"
    r"|contrase[ñn]as?|clave de (?:acceso|usuario|la red)|clave wi-?fi"
    r"|(?:wi-?fi|wlan|wpa2?|netzwerk)[ -]?(?:key|schl(?:ü|ue)ssel)|network (?:security )?key|clé (?:wi-?fi|wpa2?)"
    r"|pre-?shared key|psk"
)
_CODE = (
    r"pin(?:[ -]?(?:code|number|nummer))?|puk|pass ?codes?|(?:door|gate|alarm|safe|access|entry|lock|key ?pad|garage"
    r"|lift|cabinet|lock ?box|key ?safe|disarm) ?(?:codes?|pin|combination)|(?:safe|lock) combination|combination"
    r"|(?:tür|tuer|alarm|zugangs|tresor|schloss|zutritts|tor|öffnungs)-?(?:codes?|pin|kombination|zahl)|zahlenkombination"
    r"|codes? (?:d[’'] ?(?:accès|entrée|alarme)|d[eu] (?:la |l[’'] ?)?(?:porte|portail|coffre|alarme|digicode|secours))"
    r"|digicode|c[óo]digos? (?:de (?:la |el )?(?:puerta|alarma|acceso|caja|entrada|seguridad|recuperaci[óo]n)"
    r"|del? (?:portal|garaje))"
)
_RECOVERY = (
    r"(?:recovery|backup|rescue|one[- ]time|scratch) codes?|wiederherstellungs-?codes?|notfall-?codes?|ersatz-?codes?"
    r"|codes? de (?:secours|récupération)|c[óo]digos? de (?:recuperaci[óo]n|respaldo)"
)
_FOR_PROGRAMS = (
    r"(?:api|access|secret|auth|bearer|client|app|account|signing|encryption|shared|storage|subscription|master|webhook"
    r"|service)[ _-]?(?:access[ _-]?)?(?:keys?|secrets?|tokens?)|secret|tokens?|credentials?|private[ _-]?key"
    r"|(?:api|zugriffs|geheim)-?(?:schl(?:ü|ue)ssel|token)|clé (?:d[’']api|secr[èe]te|d[’']accès)"
    r"|clave (?:de (?:la )?api|secreta)|jeton|apikey|secretkey"
)
# All are read in small letters.
_ANNOUNCED = re.compile(
    rf"(?:(?P<recovery>{_RECOVERY})|(?P<code>{_CODE})|(?P<token>{_FOR_PROGRAMS})|(?P<password>{_FOR_PEOPLE})"
    r"|(?P<verb>pass))(?![a-z])"  # "pass it on": a secret only before a sign
)
# Each of those words has one of these parts in it, and few others do: a text is searched for them, and their
# surroundings alone are held against the words, which takes a tenth of the time.
_PARTS = (
    *("pass", "kennw", "zugangsdaten", "contrase", "clave", "key", "schluessel", "cod", "ombination", "secr", "token"),
    *("credential", "jeton"),
)
_ACCENTED_PARTS = ("schlüssel", "clé", "cód", "öffnungszahl")
_SHORT_PARTS = ("pw", "mdp", "psk", "pin", "puk")  # that are a word of their own, or its beginning
_COMPOUNDS = ("passwor", "kennwor")  # which end a longer word, as in Startpasswort
_MOST_BEFORE = 28  # characters from the beginning of an announcing word to its part
_WORD_BEGINS = re.compile(r"(?<![^\W\d_])[^\W\d_]")
_KINDS = {"recovery": SecretKind.CODE, "code": SecretKind.CODE, "token": SecretKind.TOKEN}
# What says that a value comes, and the value. Between the word and that may be a few words.
_SIGN = re.compile(
    r"[*_`]{0,3}[ \t]{0,8}(?:[:=]{1,2}>?|->|→)[*_]{0,3}[ \t]{0,8}\n?[ \t]{0,8}"
    r"|[ \t]{1,8}(?:is|are|was|remains|will be|becomes|to|lautet|lauten|ist|sind|heißt|heisst|est|sont|devient|es|son"
    r"|será)"
    r"(?:[ \t]{1,8}(?:now|currently|still|set to|just|jetzt|nun|derzeit|désormais|maintenant|actuellement|ahora))?"
    r"[ \t]{0,8}:?[ \t]{1,8}"
)
_BETWEEN = re.compile(r"(?:[^\n:=→|@.]|\.(?=\w)){0,60}")
_VALUE = re.compile(r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|[“„«][^”“»\n]{3,80}[”“»]|[^\s|]{2,500}(?![^\s|])")
_QUOTES = "\"'`“”„«»"
_DIGITS = re.compile(r"[ \t]{1,3}([*#]?\d{4,10}[*#]?)(?![\w.,%]?\w)")  # a code right behind its word
_MOST_AFTER_VERB = 20  # characters
_LONGEST_SIGN = 40  # characters
# What is said about passwords, rather than which one it is.
_ABOUT = re.compile(
    r"\b(?:(?:must|should|may|can|cannot|never|no|not|without|who|if|when|until|last|form|link|age|muss|darf|nie|kein|nicht"
    r"|doit|jamais|ne|debe|nunca)\b"
    r"|(?:reset|polic|rule|requirement|manager|length|expir|history|hint|vault|protect|field|page|ticket|version|generator"
    r"|strength|complex|minimum|maximum|chang|rotat|number of|count|type|format|names?\b|hash|ring\b|management|storage"
    r"|question|phone|richtlinie|regel|länge|ablauf|wechsel|zurücksetz|politique|règle|longueur|réinitial|oubli"
    r"|política|regla|longitud|caduc|restabl))",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"^(?:(?:my|the)?[-_]?(?:pass(?:word|wd)?|pwd|secret|token|user(?:name)?|key)[s]?$)"
    r"|^(?:[<\[({]|\$[({]|\$[A-Z_][A-Z0-9_]{2,40}$|%\w{1,40}%$)|<[^<>]{0,80}>|\{[^{}]{0,80}\}|\.\.\.|…|\bx{3,}|\*{3,}|•{2,}|_{3,}|#{3,}|your|change.?me|example|placeholder|redacted"
    r"|hidden|secret-?name|env\[|os\.|process\.|vault|^(?:https?|see|siehe|voir|ver|none|null|nil|true|false|n/?a|tbd|tba)\b"
    r"|\.(?:pdf|docx?|xlsx?|md|txt|html?|ya?ml|json|com|org|de|fr|es|net|io)\b|^[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,20}$",
    re.IGNORECASE,
)
_DATE_OR_TIME = re.compile(
    r"^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}|\d{1,2}[:.]\d{2}(?:[ap]m|h|uhr)?)$", re.IGNORECASE
)
_COMBINATION = re.compile(r"^\d{1,2}-\d{1,2}-\d{1,2}$")  # of a lock; a date is written so seldom
_QUANTITY = re.compile(r"^\d+(?:[-–]\w+|st|nd|rd|th|\.|%|€|\$|h|min|ms|s|d|x)?$", re.IGNORECASE)
_CODE_VALUE = re.compile(r"^[*#]?(?:\d[ -]?){3,11}\d?[*#]?[A-Z]?$|^[A-Z]?\d{3,10}[A-Z]?[*#]?$")
_RECOVERY_VALUE = re.compile(r"(?<![\w-])(?=[\w-]{0,40}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){0,5}(?![\w-])")
_STRONG = re.compile(r"(?<!\S)[^\s|]{8,64}(?!\S)")
_SYMBOLS = frozenset("!@#$%^&*+=?~§€£;")
_BARE_SYMBOLS = frozenset("-_.,/:'()")
_NEAR = 160  # characters after the word within which a value of every kind of character counts
_RECOVERY_REACH = 400
_SHORTEST_TOKEN, _SHORTEST_KEY_LINE = 15, 40  # characters of a word that may be a token, or base64 of a key
_CAPITAL_OR_DIGIT = re.compile(r"[0-9A-Z]")  # every token has one, and few long words do behind their beginning
_MOST_ROUNDS = 4


def find_secrets(text: str) -> list[Secret]:
    """Find the secrets in a text, in their order; those that overlap count as one, of the kind that begins first.

    What is found in the text with these masked counts too, so that a masked text has no secret.
    """
    found: list[Secret] = []
    for _ in range(_MOST_ROUNDS):
        more = list(_find_all(text))
        if not more:
            break
        found = _merge([*found, *more])
        text = _mask(text, found)
    return found


def _merge(found: list[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for one in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if merged and one.start < merged[-1].end:
            merged[-1] = replace(merged[-1], end=max(merged[-1].end, one.end))
        else:
            merged.append(one)
    return merged


def _mask(text: str, found: Iterable[Secret]) -> str:
    pieces, done = [], 0
    for one in found:
        words = text[one.start : one.end]
        pieces += [text[done : one.start], "".join(letter if letter == "\n" else MASK for letter in words)]
        done = one.end
    return "".join([*pieces, text[done:]])


def mask_secrets(text: str, *, is_shown: Callable[[str], bool] | None = None) -> str:
    """Put a dot in the place of each character of each secret; line breaks stay.

    is_shown: says of a secret's words whether they are meant to be read; those stay. None: no secret is.
    """
    found = find_secrets(text)
    if is_shown is not None:
        found = [one for one in found if not is_shown(text[one.start : one.end])]
    return _mask(text, found) if found else text


def is_same_but_masked(one: str, other: str) -> bool:
    """Return True if two texts differ in nothing but what is masked in one of them.

    What was quoted before a secret was said to be meant to be read, or before secrets were masked, is still that quote.
    """
    if one == other:
        return True
    return len(one) == len(other) and all(
        left == right or MASK in (left, right) for left, right in zip(one, other, strict=True)
    )


def _find_all(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose small form is two, such as İ: places would differ
        lowered = "".join(letter if len(letter.lower()) > 1 else letter.lower() for letter in text)
    yield from _find_tokens(text)
    yield from _find_keys(text)
    yield from _find_credentials(text, lowered)
    yield from _find_announced(text, lowered)
    if "|" in text:
        yield from _find_in_tables(text)


def _find_tokens(text: str) -> Iterator[Secret]:
    """Yield what has the format of a token. Only words that are long enough are looked at."""
    done, has_key_lines = 0, False
    for word in text.split():
        if len(word) < _SHORTEST_TOKEN or not _CAPITAL_OR_DIGIT.search(word, 1):
            continue
        start = text.index(word, done)
        done = start + len(word)
        has_key_lines |= len(word) >= _SHORTEST_KEY_LINE
        for match in _FORMATS.finditer(text, start, done):
            yield Secret(match.start(), match.end(), SecretKind.TOKEN)
        for match in _WEBHOOK.finditer(text, start, done):
            yield Secret(match.start(1), match.end(1), SecretKind.TOKEN)
    for lines in _KEY_LINES.finditer(text) if has_key_lines else ():
        if _count_classes(lines[0]) >= 3:
            yield Secret(lines.start(), lines.end(), SecretKind.PRIVATE_KEY)


def _find_keys(text: str) -> Iterator[Secret]:
    """Yield private keys, each with its first and last line; one that is cut off goes as far as its base64 does."""
    begins = _KEY_BEGINS.search(text) if "PRIVATE KEY" in text else None
    ends: re.Match[str] | None = None
    is_cut_off = False
    while begins:
        ends = None if is_cut_off else _KEY_ENDS.search(text, begins.end())
        is_cut_off = ends is None
        end = ends.end() if ends else begins.end()
        if ends is None and (rest := _REST_OF_KEY.match(text, end)):
            end = rest.end()
        if _KEY_BODY.search(text, begins.end(), end):
            yield Secret(begins.start(), end, SecretKind.PRIVATE_KEY)
        begins = _KEY_BEGINS.search(text, end)


def _find_credentials(text: str, lowered: str) -> Iterator[Secret]:
    """Yield what is sent to log in: behind "Bearer", in curl's option, and within an address."""
    for word in ("bearer", "basic"):
        for place in _list_places(lowered, word):
            match = _BEARER.match(text, place)
            if match and (_count_classes(match[1]) >= 3 or len(match[1]) > 30):
                yield Secret(match.start(1), match.end(1), SecretKind.TOKEN)
    places = _list_places(text, "://") if "@" in text else []
    found = [_IN_ADDRESS.match(text, place) for place in places]
    found += [_USER_OPTION.match(text, place) for place in _list_places(lowered, "curl")]
    for match in filter(None, found):
        if not _PLACEHOLDER.search(match[1]):
            yield Secret(match.start(1), match.end(1), SecretKind.CONNECTION)


def _list_places(text: str, words: str) -> list[int]:
    """Return where words are in a text."""
    places, place = [], text.find(words)
    while place >= 0:
        places.append(place)
        place = text.find(words, place + 1)
    return places


def _find_announced(text: str, lowered: str) -> Iterator[Secret]:
    """Yield the values that a word for a secret announces."""
    for word in _list_announcing(text, lowered):
        group = str(word.lastgroup)
        kind = _KINDS.get(group, SecretKind.PASSWORD)
        if group == "recovery":
            yield from _find_recovery_codes(text, word.end())
            continue
        yield from _find_value(text, lowered, word.end(), kind, is_verb=group == "verb")
        if group == "password":
            yield from _find_strong(text, word.end())
        elif group == "code" and (digits := _DIGITS.match(text, word.end())):
            yield Secret(digits.start(1), digits.end(1), kind)


def _find_value(text: str, lowered: str, after: int, kind: SecretKind, *, is_verb: bool) -> Iterator[Secret]:
    """Yield the value behind the first sign that one comes."""
    between = _BETWEEN.match(lowered, after)
    sign = _SIGN.search(lowered, after, between.end() + _LONGEST_SIGN) if between else None
    if between is None or sign is None or sign.start() > between.end() or _ABOUT.search(lowered, after, sign.start()):
        return
    is_said = not sign[0].strip(" \t\n:=->→*_`")
    if is_verb and not (is_said and sign.start() - after <= _MOST_AFTER_VERB):
        return
    value = _VALUE.match(text, sign.end())
    if value:
        start, end = _trim(text, value.start(), value.end())
        if _is_value(text[start:end], kind, is_said=is_said, is_quoted=value[0][0] in _QUOTES):
            yield Secret(start, end, kind)


def _list_announcing(text: str, lowered: str) -> list[re.Match[str]]:
    """Return the words that announce a secret, in their order, none within another."""
    parts = _PARTS if lowered.isascii() else (*_PARTS, *_ACCENTED_PARTS)
    places = {place for part in parts if part in lowered for place in _list_places(lowered, part)}
    for part in _SHORT_PARTS:
        if part in lowered:
            places |= {place for place in _list_places(lowered, part) if not (place and lowered[place - 1].isalpha())}
    found: list[re.Match[str]] = []
    for place in sorted(places):
        if found and place < found[-1].end():
            continue
        least = max(found[-1].end() if found else 0, place - _MOST_BEFORE)
        starts = [begins.start() for begins in _WORD_BEGINS.finditer(lowered, least, place + 1)]
        is_within = not starts or starts[-1] != place
        if is_within and (_is_of_name(text, place) or lowered.startswith(_COMPOUNDS, place)):
            starts.append(place)
        for start in starts:
            match = _ANNOUNCED.match(lowered, start)
            if match and match.end() > place:
                found.append(match)
                break
    return found


def _is_of_name(text: str, place: int) -> bool:
    """Return True if a word begins within a name as programs have them, as in dbPassword."""
    return text[place] in "PST" and text[place - 1].islower()


def _find_recovery_codes(text: str, after: int) -> Iterator[Secret]:
    """Yield the codes of a list."""
    for code in _RECOVERY_VALUE.finditer(text, after, min(len(text), after + _RECOVERY_REACH)):
        if len(code[0]) >= 8:
            yield Secret(code.start(), code.end(), SecretKind.CODE)


def _find_strong(text: str, after: int) -> Iterator[Secret]:
    """Yield what looks like a password by itself, not far behind a word for one."""
    for word in _STRONG.finditer(text, after, min(len(text), after + _NEAR)):
        start, end = _trim(text, word.start(), word.end())
        value = text[start:end]
        inner = value.rstrip("!?").lstrip("#")
        if _count_classes(inner) == 4 and "://" not in value and not _PLACEHOLDER.search(value):
            yield Secret(start, end, SecretKind.PASSWORD)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the quotes around a value, and the punctuation behind it."""
    while end > start and text[end - 1] in ".,;:)]" + _QUOTES:
        end -= 1
    while start < end and text[start] in "([" + _QUOTES:
        start += 1
    return start, end


def _count_classes(value: str) -> int:
    """Count the kinds of characters: small letters, capitals, digits, symbols that are no punctuation of a word."""
    return sum(
        (
            any(letter.islower() for letter in value),
            any(letter.isupper() for letter in value),
            any(letter.isdigit() for letter in value),
            any(letter in _SYMBOLS for letter in value),
        )
    )


def _is_value(value: str, kind: SecretKind, *, is_said: bool, is_quoted: bool) -> bool:
    """Return True if what follows a word for a secret looks like one.

    is_said: a sign such as a colon announced it, rather than a verb. is_quoted: it was within quotes.
    """
    if not 3 <= len(value) <= 500 or _PLACEHOLDER.search(value):
        return False
    if kind == SecretKind.CODE and _COMBINATION.match(value):
        return True
    if _DATE_OR_TIME.match(value):
        return False
    if len(set(value)) < 2:
        return False
    if kind == SecretKind.CODE:
        return bool(_CODE_VALUE.match(value)) or (len(value) >= 4 and not _QUANTITY.match(value) and _mixes(value))
    if kind == SecretKind.TOKEN:
        return len(value) >= 12 and " " not in value and _count_classes(value) >= 2 and any(map(str.isdigit, value))
    if _QUANTITY.match(value):
        return is_said and len(value) >= 6 and value.isdigit()
    return len(value) >= 4 and (_mixes(value) or (is_quoted and (len(value) >= 6)))


def _mixes(value: str) -> bool:
    """Return True if a value mixes characters as words do not: digits with letters, symbols, capitals within."""
    if " " in value:
        return False
    letters = [letter for letter in value if letter.isalpha()]
    has_digit, has_symbol = any(map(str.isdigit, value)), any(letter in _SYMBOLS for letter in value[:-1])
    if letters and (has_digit or has_symbol):
        return True
    if has_digit and has_symbol:
        return True
    inner = value[1:]
    return inner.isalpha() and any(map(str.isupper, inner)) and any(map(str.islower, value))


def _find_in_tables(text: str) -> Iterator[Secret]:
    """Yield the cells below a heading that is a word for a secret, in tables of lines with bars."""
    columns: list[tuple[int, SecretKind]] | None = None
    offset = 0
    for line in text.split("\n"):
        cells = _split_row(line)
        if len(cells) < 2:
            columns = None
        elif columns is None:
            columns = [(place, kind) for place, (_, cell) in enumerate(cells) if (kind := _find_kind_of_column(cell))]
        else:
            for place, kind in columns:
                if place >= len(cells):
                    break
                yield from _find_in_cell(offset + cells[place][0], cells[place][1], kind)
        offset += len(line) + 1


def _split_row(line: str) -> list[tuple[int, str]]:
    """Return the cells of a table's row, each with where it begins in the line; none of a line without bars."""
    if "|" not in line:
        return []
    cells, start = [], 0
    for part in line.split("|"):
        cells.append((start, part))
        start += len(part) + 1
    if not cells[0][1].strip():
        cells = cells[1:]
    if cells and not cells[-1][1].strip():
        cells = cells[:-1]
    return cells


def _find_kind_of_column(heading: str) -> SecretKind | None:
    words = heading.strip()
    if len(words) > 40 or _ABOUT.search(words):
        return None
    match = next(iter(_list_announcing(words, words.lower())), None)
    return match and _KINDS.get(str(match.lastgroup), SecretKind.PASSWORD)


def _find_in_cell(offset: int, cell: str, kind: SecretKind) -> Iterator[Secret]:
    value = cell.strip(" \t" + _QUOTES)
    if not value or set(value) <= set("-: ") or " " in value.strip():
        return
    start = offset + cell.index(value)
    is_code = kind == SecretKind.CODE and any(map(str.isdigit, value))
    if _is_value(value, kind, is_said=True, is_quoted=False) or (is_code and not _PLACEHOLDER.search(value)):
        yield Secret(start, start + len(value), kind)


def list_words(text: str, found: Sequence[Secret]) -> list[str]:
    """Return the words of secrets that were found in a text."""
    return [text[one.start : one.end] for one in found]
