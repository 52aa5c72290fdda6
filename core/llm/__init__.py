"""Language models, all through LiteLLM, which client.py sets up once."""
