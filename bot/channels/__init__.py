"""What is set for a channel, and who speaks to whom in it."""
