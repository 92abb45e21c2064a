"""Public API for the script of TR4 and TR5 as text, see :mod:`.scripts.tr4_script_text`."""

from .scripts.tr4_script_text import script_to_text, text_to_script

__all__ = ["script_to_text", "text_to_script"]
