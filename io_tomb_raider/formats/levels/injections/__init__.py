"""Injections of TRX: edits that the engine makes in a level when it loads it.

They are files next to a level, or a block after a level's last section, as Tomb Editor writes it.
"""
