"""The words that questions begin with, for the patterns of whoever looks for one. Pure."""

INTERROGATIVES = "what|when|where|who|whom|whose|which|why|how"
AUXILIARIES = "is|are|was|were|am|do|does|did|can|could|will|would|shall|should|has|have|had|may|must"
