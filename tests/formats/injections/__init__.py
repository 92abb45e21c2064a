"""Injections of TRX."""
