"""Tests of readers of sections with a database."""
