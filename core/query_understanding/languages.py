"""Find the language of a question by the words that every sentence of a language has. Pure."""

import re
import unicodedata

from core.nlp.text import STOP_WORDS

_FEWEST = 2  # words of a language that must stand in a text
_WORD = re.compile(r"[^\W\d_]+")
_WORDS = {
    "de": """der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ich du er sie wir ihr es
        mein meine mir mich uns man ist sind war waren wird werden wurde habe hast hat haben hatte kann kannst können
        darf dürfen muss müssen soll sollen will wie was wer wen wem wann wo wohin woher warum wieso weshalb welche
        welcher welches welchen wieviel viel viele mit ohne für von vom zu zum zur bei beim auf aus nach über unter im
        am bis gibt wenn dass auch noch nur schon tage urlaub bitte gilt""",
    "fr": """le la les un une des du de et ou mais ne pas plus je tu il elle nous vous ils elles mon ma mes notre votre
        est sont était être ai as avons avez ont peut peux puis dois doit faut comment combien quand où qui que quoi
        quel quelle quels quelles pourquoi avec sans pour par sur sous dans en au aux ce cette ces si jours congé
        puis-je faire""",
    "es": """el la los las un una unos unas de del y o pero no me te se nos mi mis su sus es son está están ser estar
        fue era hay he ha han puedo puede pueden debo debe tengo tiene tenemos cómo como cuánto cuántos cuánta cuántas
        cuanto cuantos cuando cuándo dónde donde quién quien qué que cuál cual por para con sin sobre entre en al si
        días dias numero número teléfono telefono""",
    "it": """il lo la gli le un uno una di del della dei delle e o ma non mi ti si ci mio mia è sono era essere ho hai
        ha abbiamo hanno posso può devo deve come quanto quanti quante quando dove chi che cosa quale quali perché per
        con senza su tra fra in al alla nel nella giorni""",
    "pt": """o a os as um uma uns umas de do da dos das e ou mas não me te se nos meu minha é são está foi ser estar
        tenho tem temos têm posso pode devo deve como quanto quantos quantas quando onde quem que qual quais por para
        com sem sobre entre em no na nos nas ao dias""",
    "nl": """de het een en of maar niet geen ik jij je hij zij wij we u mijn onze is zijn was waren wordt worden heb
        hebt heeft hebben had kan kunnen mag mogen moet moeten zal wat wie waar wanneer waarom hoe hoeveel welke welk
        met zonder voor van naar bij op uit over onder in dit dat deze die als ook nog dagen""",
}
_FUNCTION_WORDS = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_ENGLISH = STOP_WORDS


def is_foreign(text: str) -> bool:
    """Return True if a text is not in English, judged by its letters and its commonest words."""
    words = [word.casefold() for word in _WORD.findall(text)]
    letters = "".join(words)
    if letters and sum(_is_latin(letter) for letter in letters) * 2 < len(letters):
        return True
    english = sum(word in _ENGLISH for word in words)
    foreign = max(sum(word in known for word in words) for known in _FUNCTION_WORDS.values())
    return foreign >= _FEWEST and foreign > english and foreign * 4 >= len(words)


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")
