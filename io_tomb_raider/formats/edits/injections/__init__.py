"""Tools for injections of TRX: making, applying, merging."""
