"""From a question to an answer or a refusal: retrieval, the agent, verification, confidence, the record."""
