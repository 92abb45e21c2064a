"""New levels that come from no file."""
