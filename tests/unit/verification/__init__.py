"""Test which statements verification keeps and drops, and why."""
