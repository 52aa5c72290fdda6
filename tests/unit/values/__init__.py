"""Test core.values."""
