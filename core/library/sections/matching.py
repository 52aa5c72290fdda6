"""Say which passages of a document rules name. Pure."""
