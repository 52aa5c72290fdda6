"""Serve other programs: asking.py answers them over REST and MCP, connected has those that sign in by OAuth."""
