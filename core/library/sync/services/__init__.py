"""Share code among kinds that ask an HTTP service: requests, paging, tokens, and readers set at several levels."""
