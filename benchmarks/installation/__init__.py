"""Share code between the burst and the soak: the Procfile's processes, a sender in Slack's place, settings."""
