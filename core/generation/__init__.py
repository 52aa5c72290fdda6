"""The agent that drafts: it reads passages, may search for more, and ends with statements and their quotes."""
