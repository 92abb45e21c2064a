"""Properties that show others in a handier form. They store nothing, so that exports know the fields only."""
