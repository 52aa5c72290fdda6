"""What people hand in from a window."""
