"""Answers of models that are malicious, confused, small or away."""
