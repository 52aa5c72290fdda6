"""Workspaces that install the app themselves."""
