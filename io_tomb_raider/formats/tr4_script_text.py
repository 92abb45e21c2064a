"""The script of TR4 and TR5 as a text: the public door to :mod:`.scripts.tr4_script_text`."""

from .scripts.tr4_script_text import script_to_text, text_to_script

__all__ = ["script_to_text", "text_to_script"]
