"""Tools that cut faces."""
