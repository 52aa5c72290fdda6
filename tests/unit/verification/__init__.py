"""What verification keeps and drops, and why."""
