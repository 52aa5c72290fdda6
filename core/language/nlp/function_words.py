"""Words of English grammar for patterns: those that questions begin with, and those that turn round what is said. Pure.

Who looks for more than these denials says which: verbs that deny, words that bound, superlatives.
"""

INTERROGATIVES = "what|when|where|who|whom|whose|which|why|how"
AUXILIARIES = "is|are|was|were|am|do|does|did|can|could|will|would|shall|should|has|have|had|may|must"
DENIALS = "not|no|never|none|neither|nor|without|cannot|unable"
NEGATION = (
    rf"\b(?:no longer|{DENIALS}|nobody|nothing|nowhere|hardly|scarcely|barely|seldom|rarely)\b|n['’]t\b"  # any case
)
