"""What people type behind a slash."""
