"""Programs that sign in: from finding the way to being disconnected."""
