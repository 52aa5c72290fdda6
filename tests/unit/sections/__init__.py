"""Tests of how sections are recognised."""
