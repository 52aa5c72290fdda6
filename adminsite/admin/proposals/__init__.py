"""The pages of proposed changes: where to propose one, the text of it, how it looks, and what became of it."""
