"""Hold the patterns by which secrets are found: formats of tokens, words that announce one, and what is none. Pure.

Formats are those that the vendors document. `core.values.secrets` says how the patterns are used.
"""

import re

# Each format is anchored on its literal beginning, and every repetition is bounded.
_FORMATS = (
    r"(?:"
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
FORMATS = re.compile(rf"(?<![A-Za-z0-9_]){_FORMATS}")
FORMATS_AFTER = re.compile(_FORMATS)  # right behind another one
WEBHOOK = re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,200})")
BEARER = re.compile(r"(?<!\w)(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,2000})", re.IGNORECASE)
USER_OPTION = re.compile(r"(?i:curl)\b[^\n]{0,200}?\s(?:-u|--user)[ =]['\"]?[^\s:'\"]{1,100}:([^\s'\"]{3,200})")
IN_ADDRESS = re.compile(r"://[^\s:/@<>'\"]{0,100}:([^\s/@<>'\"]{3,200})@")

KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
KEY_BODY = re.compile(r"[A-Za-z0-9+/]{16}")  # or else the lines are only spoken of
REST_OF_KEY = re.compile(r"(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{1,200}(?=\s|\\n|\Z)){1,400}")
# What is left of a key whose beginning is in another passage: lines of base64 alone, 40 characters and more.
KEY_LINES = re.compile(r"(?m)^[A-Za-z0-9+/]{40,100}={0,2}[ \t]*(?:\n[A-Za-z0-9+/]{1,100}={0,2}[ \t]*(?=\n|\Z)){1,200}")

FOR_PEOPLE = (
    r"pass ?words?|passwd|pass ?phrases?|pwd|pw"
    r"|passw(?:ö|oe)rter|passwort|kennwort|kennw(?:ö|oe)rter|zugangsdaten"
    r"|mots? de passe|mdp|phrase secr[èe]te"
    r"|contrase[ñn]as?|clave de(?: acceso| usuario|l? (?:la )?(?:red|wi-?fi|r[óo]uter))|clave wi-?fi"
    r"|(?:wi-?fi|wlan|wpa2?|netzwerk)[ -]?(?:key|schl(?:ü|ue)ssel)|network (?:security )?key|clé (?:wi-?fi|wpa2?)"
    r"|pre-?shared key|psk"
)
CODE = (
    r"pin(?:[ -]?(?:code|number|nummer))?|puk|pass ?codes?|(?:door|gate|alarm|safe|access|entry|lock|key ?pad|garage"
    r"|lift|cabinet|lock ?box|key ?safe|disarm) ?(?:codes?|pin|combination)|(?:safe|lock) combination|combination"
    r"|(?:tür|tuer|alarm|zugangs|tresor|schloss|zutritts|tor|öffnungs)-?(?:codes?|pin|kombination|zahl)|zahlenkombination"
    r"|codes? (?:d[’'] ?(?:accès|entrée|alarme)|d[eu] (?:la |l[’'] ?)?(?:porte|portail|coffre|alarme|digicode|secours))"
    r"|digicode|c[óo]digos? (?:de (?:la |el )?(?:puerta|alarma|acceso|caja|entrada|seguridad|recuperaci[óo]n)"
    r"|del? (?:portal|garaje))"
)
RECOVERY = (
    r"(?:recovery|backup|rescue|one[- ]time|scratch) codes?|wiederherstellungs-?codes?|notfall-?codes?|ersatz-?codes?"
    r"|codes? de (?:secours|récupération)|c[óo]digos? de (?:recuperaci[óo]n|respaldo)"
)
FOR_PROGRAMS = (
    r"(?:api|access|secret|auth|bearer|client|app|account|signing|encryption|shared|storage|subscription|master|webhook"
    r"|service)[ _-]?(?:access[ _-]?)?(?:keys?|secrets?|tokens?)|secret|tokens?|credentials?|private[ _-]?key"
    r"|(?:api|zugriffs|geheim)-?(?:schl(?:ü|ue)ssel|token)|clé (?:d[’']api|secr[èe]te|d[’']accès)"
    r"|clave (?:de (?:la )?api|secreta)|jeton|apikey|secretkey"
)
# All are read in small letters.
ANNOUNCED = re.compile(
    rf"(?:(?P<recovery>{RECOVERY})|(?P<code>{CODE})|(?P<token>{FOR_PROGRAMS})|(?P<password>{FOR_PEOPLE})"
    r"|(?P<verb>pass))(?![a-z])"  # "pass it on": a secret only before a sign
)
# Each of those words has one of these parts in it, and few others do: a text is searched for them, and their
# surroundings alone are held against the words, which takes a tenth of the time.
PARTS = (
    *("pass", "kennw", "zugangsdaten", "contrase", "clave", "key", "schluessel", "cod", "ombination", "secr", "token"),
    *("credential", "jeton"),
)
ACCENTED_PARTS = ("schlüssel", "clé", "cód", "öffnungszahl")
SHORT_PARTS = ("pw", "mdp", "psk", "pin", "puk")  # that are a word of their own, or its beginning
COMPOUNDS = ("passwor", "kennwor")  # which end a longer word, as in Startpasswort
MOST_BEFORE = 28  # characters from the beginning of an announcing word to its part
WORD_BEGINS = re.compile(r"(?<![^\W\d_])[^\W\d_]")
# What says that a value comes, and the value. Between the word and that may be a few words.
SIGN = re.compile(
    r"[*_`]{0,3}[ \t]{0,8}(?:[:=]{1,2}>?|->|→)[*_]{0,3}[ \t]{0,8}\n?[ \t]{0,8}"
    r"|[ \t]{1,8}(?:is|are|was|remains|will be|becomes|to|lautet|lauten|ist|sind|heißt|heisst|est|sont|devient|es|son"
    r"|será)"
    r"(?:[ \t]{1,8}(?:now|currently|still|set to|just|jetzt|nun|derzeit|désormais|maintenant|actuellement|ahora))?"
    r"[ \t]{0,8}:?[ \t]{1,8}"
)
BETWEEN = re.compile(r"(?:[^\n:=→|@.]|\.(?=\w)){0,60}")
VALUE = re.compile(r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|[“„«][^”“»\n]{3,80}[”“»]|[^\s|]{2,500}(?![^\s|])")
QUOTES = "\"'`“”„«»"
DIGITS = re.compile(r"[ \t]{1,3}([*#]?\d{4,10}[*#]?)(?![\w.,%]?\w)")  # a code right behind its word
DIRECTLY = re.compile(r"[ \t]{1,3}([^\s|]{6,80})(?![^\s|])")  # a password right behind its word
MOST_AFTER_VERB = 20  # characters
# A login is written as a pair: an address, a stroke, and the password.
PAIR = re.compile(r"@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}[ \t]{0,2}[/|,;][ \t]{0,2}([^\s|]{6,80})(?![^\s|])")
# Codes that nothing announces but what they open, and that something is opened.
# Near to these a value of every kind of character is a password, though nothing says so.
SIGNING_IN = (
    *("login", "log in", "logs in", "logon", "sign in", "signs in", "username", "user name", "user:", "account"),
    *("admin", "credential", "unlock", "encrypt", "decrypt", "zugang", "anmeld", "benutzer", "konto", "entsperr"),
    *(
        "verschlüssel",
        "identifiant",
        "connexion",
        "se connect",
        "compte",
        "usuario",
        "acceso",
        "cuenta",
        "iniciar sesi",
    ),
)
OPENED_PARTS = (
    *("door", "gate", "entrance", "alarm", "safe", "keypad", "key pad", "lock", "key box", "keybox", "garage"),
    *("shutter", "barrier", "tür", "eingang", "tresor", "schloss", "schlüsselkasten", "porte", "entrée", "portail"),
    *("coffre", "immeuble", "digicode", "cadenas", "puerta", "caja fuerte", "portal", "garaje", "candado"),
)
OPENED = re.compile(
    r"door|gate\b|entrance|alarm|\bsafe\b|key ?pad|padlock|\block\b|key ?box|garage|locker|shutter|barrier"
    r"|tür|eingang|tresor|schloss|schlüsselkasten|tor\b|porte|entrée|portail|coffre|immeuble|digicode|cadenas"
    r"|puerta|alarma|caja fuerte|portal|garaje|candado"
)
OPENING = re.compile(
    r"codes?\b|combination|opens? with|disarm|unlock|key ?pad|key ?box|punch in|type in|write\b"
    r"|öffne|entsperr|entschärf|unscharf|kombination|zahlen|coupe avec|ouvre avec|désactiv|taper|tapez"
    r"|c[óo]digo|apaga|abre con|desactiva"
)
# It begins with a digit, for which a text is searched quickly; capitals before it belong to it.
OPENING_VALUE = re.compile(r"\d(?:\d{0,1}-\d{1,2}-\d{1,2}|[\dA-Z]{1,7})[*#]?")
NO_CODE_AFTER = re.compile(
    r"[\w%€$£-]|[.,:/]\d|[ \t]?(?:euros?|dollars?|pounds?|units?|people|years?|days?|m\b|km\b|kg\b|mm\b)"
)
CODE_OF_CAPITALS = re.compile(r"(?=\D{0,7}\d\D{0,7}\d)[A-Z\d]{4,8}|[*#]?\d{4,8}[*#]?|\d{1,2}-\d{1,2}-\d{1,2}")
YEAR = re.compile(r"^(?:19|20)\d\d$")
NO_CODE_BEHIND = re.compile(
    r"(?:\bat|room|building|order|ticket|extension|ext\.?|tel\.?|phone|call|no\.?|number|nr\.?|since|until|article|part|model"
    r"|postcode|zip|um|raum|zimmer|telefon|salle|poste|tél\.?|n°|sala|oficina|tel[ée]fono|form|line|bay|flat|suite)\s?:?\s?$"
)
OPENING_REACH = 100  # characters before a code
LONGEST_SIGN = 40  # characters
# What is said about passwords, rather than which one it is.
ABOUT = re.compile(
    r"\b(?:(?:must|should|may|can|cannot|never|no|not|without|who|if|when|until|last|form|link|age|muss|darf|nie|kein|nicht"
    r"|doit|jamais|ne|debe|nunca)\b"
    r"|(?:reset|polic|rule|requirement|manager|length|expir|history|hint|vault|protect|field|page|ticket|version|generator"
    r"|strength|complex|minimum|maximum|chang|rotat|number of|count|type|format|names?\b|hash|ring\b|management|storage"
    r"|question|phone|richtlinie|regel|länge|ablauf|wechsel|zurücksetz|politique|règle|longueur|réinitial|oubli"
    r"|política|regla|longitud|caduc|restabl))",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(
    r"^(?:(?:my|the)?[-_]?(?:pass(?:word|wd)?|pwd|secret|token|user(?:name)?|key)[s]?$)"
    r"|^(?:[<\[({]|\$[({]|\$[A-Z_][A-Z0-9_]{2,40}$|%\w{1,40}%$)|<[^<>]{0,80}>|\{[^{}]{0,80}\}|\.\.\.|…|\bx{3,}|\*{3,}|•{2,}|_{3,}|#{3,}|your|change.?me|example|placeholder|redacted"
    r"|hidden|secret-?name|env\[|os\.|process\.|vault|^(?:https?|see|siehe|voir|ver|none|null|nil|true|false|n/?a|tbd|tba)\b"
    r"|\.(?:pdf|docx?|xlsx?|md|txt|html?|ya?ml|json|com|org|de|fr|es|net|io)\b|^[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,20}$",
    re.IGNORECASE,
)
DATE_OR_TIME = re.compile(
    r"^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}|\d{1,2}[:.]\d{2}(?:[ap]m|h|uhr)?)$", re.IGNORECASE
)
COMBINATION = re.compile(r"^\d{1,2}-\d{1,2}-\d{1,2}$")  # of a lock; a date is written so seldom
QUANTITY = re.compile(r"^\d+(?:[-–]\w+|st|nd|rd|th|\.|%|€|\$|h|min|ms|s|d|x)?$", re.IGNORECASE)
CODE_VALUE = re.compile(r"^[*#]?(?:\d[ -]?){3,11}\d?[*#]?[A-Z]?$|^[A-Z]?\d{3,10}[A-Z]?[*#]?$")
RECOVERY_VALUE = re.compile(r"(?<![\w-])(?=[\w-]{0,40}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){0,5}(?![\w-])")
STRONG = re.compile(r"(?<!\S)[^\s|]{8,64}(?!\S)")
SYMBOLS = frozenset("!@#$%^&*+=?~§€£;")
BARE_SYMBOLS = frozenset("-_.,/:'()")
LONG = 12  # characters of words that are joined to a password
BEFORE_SIGNING_IN = 60  # characters
NEAR = 160  # characters after the word within which a value of every kind of character counts
RECOVERY_REACH = 400
SHORTEST_TOKEN, SHORTEST_KEY_LINE = 15, 40  # characters of a word that may be a token, or base64 of a key
CAPITAL_OR_DIGIT = re.compile(r"[0-9A-Z]")  # every token has one, and few long words do behind their beginning
MOST_ROUNDS = 12
