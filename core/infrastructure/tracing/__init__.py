"""Traces for OpenTelemetry: `spans` is what the code says, `export` sends it where an endpoint is set."""
