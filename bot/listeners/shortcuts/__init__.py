"""What people choose from the menu of a message."""
