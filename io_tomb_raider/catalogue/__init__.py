"""Names for what levels know by number only: models, sprites, sounds, animations, and the like.

A name is for people. Nothing depends on names being known, unique or stable: what is unknown gets a
name made of its number. The data stand in this folder, one text file per game.
"""

from .names import Catalogue, names, unnamed

__all__ = ["Catalogue", "names", "unnamed"]
