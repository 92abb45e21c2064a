"""Public API for the script of TR2 and TR3 as text, see :mod:`.scripts.gameflow_text`."""

from .scripts.gameflow_text import gameflow_to_text, text_to_gameflow

__all__ = ["gameflow_to_text", "text_to_gameflow"]
