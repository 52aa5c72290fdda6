"""Language models, all through LiteLLM, which client.py sets up once. local_model has those of this machine."""
