"""Command line: ``blender --command tomb_raider …`` and ``python -m io_tomb_raider …``.

Each command is also a plain function that returns its output or raises an error. Commands that do not need
Blender do not load it.
"""

NAME = "tomb_raider"
