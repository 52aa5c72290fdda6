"""Places that documents come from and are kept in step with: what is there, what changed, what is gone."""
