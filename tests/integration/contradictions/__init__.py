"""Test the contradictions of sources: found, kept, shown and decided."""
