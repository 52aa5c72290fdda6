"""Handle submitted modals."""
