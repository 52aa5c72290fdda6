"""What is kept of earlier questions: shown under the rule of access as it is now, and erased in time."""
