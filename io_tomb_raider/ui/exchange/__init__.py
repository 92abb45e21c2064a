"""Operators for what goes to other programs, and comes from them."""
