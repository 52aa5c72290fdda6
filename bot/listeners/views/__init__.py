"""What people send with a modal."""
