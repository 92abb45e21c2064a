"""Every text that users see has a translation."""
