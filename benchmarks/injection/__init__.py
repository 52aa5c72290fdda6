"""Prompt injection: strings that give orders, planted at every door, and a model that obeys whatever it is shown."""
