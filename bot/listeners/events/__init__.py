"""What people say where the bot can hear it."""
