"""The words of English that turn round what is said: not, never, without, hardly. Pure.

Who looks for more than these says which: verbs that deny, words that bound, superlatives.
"""

DENIALS = "not|no|never|none|neither|nor|without|cannot|unable"
NEGATION = (
    rf"\b(?:no longer|{DENIALS}|nobody|nothing|nowhere|hardly|scarcely|barely|seldom|rarely)\b|n['’]t\b"  # any case
)
