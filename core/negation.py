"""The words of English that turn round what is said: not, never, without, hardly. Pure.

Who looks for more than these says which: verbs that deny, words that bound, superlatives.
"""

NEGATION = (
    r"\b(?:no longer|not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|scarcely|barely|unable"
    r"|seldom|rarely)\b|n['’]t\b"
)  # any case
