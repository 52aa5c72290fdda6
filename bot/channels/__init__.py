"""Read a channel's settings, and decide who speaks to whom in it."""
