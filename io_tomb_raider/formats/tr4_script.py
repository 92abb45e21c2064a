"""Public API for SCRIPT.DAT of TR4 and TR5 (documentation, chapter 12.1), see :mod:`.scripts.tr4_script`."""

from .scripts.tr4_script import Script, read_script

__all__ = ["Script", "read_script"]
