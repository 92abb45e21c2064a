"""Public API for TOMBPC.DAT of TR2 and TR3 (documentation, chapter 11), see :mod:`.scripts.gameflow`."""

from .scripts.gameflow import Gameflow, GameflowVariant, read_gameflow

__all__ = ["Gameflow", "GameflowVariant", "read_gameflow"]
