"""Find the language of a text by its letters, or by the words that every sentence of a language has. Pure."""

import re

from core.language.nlp.scripts import is_beyond_latin, name_script
from core.language.nlp.text import STOP_WORDS

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
_NAMES = {"de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch"}
_MOST_READ = 4000  # characters, by which a language is known


def is_foreign(text: str) -> bool:
    """Return True if a text is not in English, judged by its letters and its commonest words."""
    return is_beyond_latin(text) or bool(_find_latin_language(text))


def name_language(text: str) -> str:
    """Name the language of a text, or its writing where several languages share it; "" for English and what is neither.

    Only the beginning is read.
    """
    beginning = text[:_MOST_READ]
    if is_beyond_latin(beginning):
        return name_script(beginning)
    return _NAMES.get(_find_latin_language(beginning), "")


def _find_latin_language(text: str) -> str:
    """Return the code of the language whose words a text has most of; "" where English has as many."""
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    counts = {code: sum(word in known for word in words) for code, known in _FUNCTION_WORDS.items()}
    foreign = max(counts.values())
    is_other = foreign >= _FEWEST and foreign > english and foreign * 4 >= len(words)
    return max(counts, key=lambda code: counts[code]) if is_other else ""
