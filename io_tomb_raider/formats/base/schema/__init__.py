"""Schemas: one declaration of a file's content reads it, writes it, and keeps what is unknown.

:mod:`.codes` has the forms of values, :mod:`.fields` records of values, :mod:`.sections` files of arrays, and
:mod:`.chunks` records whose values are in chunks.
"""
