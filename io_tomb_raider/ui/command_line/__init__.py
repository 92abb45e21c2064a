"""The command line: ``blender --command tomb_raider …`` and ``python -m io_tomb_raider …``.

Each command is a plain function, too, which says what it did, or raises what went wrong. Commands that need
no Blender load none of it.
"""

NAME = "tomb_raider"
