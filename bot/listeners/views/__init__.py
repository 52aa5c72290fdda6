"""What people submit in modals."""
