"""Nothing of a forbidden document leaves by any door."""
