"""Find hosts, addresses, mentions and Slack markup in a text. Pure.

A question that a model has rewritten is shown, stored and asked on with. It may name no place that the one who asked,
and the conversation that the model was shown, did not name.
"""

import re
import unicodedata

_DOTS = str.maketrans({"。": ".", "·": ".", "․": "."})  # NFKC leaves some of what resolvers take for a dot
_HOST = re.compile(r"(?<![\w.-])[\w-]++(?:\.[\w-]++)++")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_SCHEME = re.compile(r"(?<![\w+.-])[a-z][\w+.-]*+:(?=[^\s\d])\S++")  # "at 10:30" and "Note: it" name no scheme
_PORT = re.compile(r"(?<![\w.-])(?=[\d_-]*+[^\W\d_])[\w-]++:\d++")  # intranet:8080
_MARKUP = re.compile(r"<[^\s<>]++>?|&lt;\S*+|@\S*+|//\S++|::\S*+")
_ENDS = ".,;:!?)]}>\"'“”’»*_~`"  # of a sentence, not of what leads somewhere


def adds_destination(text: str, *known: str) -> bool:
    """Return True if a text leads to where none of the known texts does."""
    found = _list_destinations(text)
    return bool(found) and not found <= set().union(*map(_list_destinations, known))


def _list_destinations(text: str) -> set[str]:
    plain = unicodedata.normalize("NFKC", text)
    seen = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf").casefold().translate(_DOTS)
    hosts = {host for host in map(_strip_end, _HOST.findall(seen)) if _is_host(host)}
    others = (found for pattern in (_SCHEME, _PORT, _MARKUP) for found in pattern.findall(seen))
    return hosts | {_strip_end(one) for one in others}


def _strip_end(found: str) -> str:
    return found.rstrip(_ENDS)


def _is_host(dotted: str) -> bool:
    """Return True if dotted words may be a host: not a number, nor an abbreviation such as "e.g" or "U.S"."""
    last = dotted.rpartition(".")[2]
    return (len(last) > 1 and not last.isdigit()) or _IPV4.fullmatch(dotted) is not None
