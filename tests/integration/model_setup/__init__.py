"""Setting up a model of this machine from the admin."""
