"""Operators and panel of control rigs."""
