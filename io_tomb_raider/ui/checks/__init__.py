"""Level checks: operators, and the list of findings."""
