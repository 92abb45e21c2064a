"""Names for the numbers of models, sprites, sounds, animations and other elements.

Names are for people. No code requires names to be known, unique or stable: an unknown element gets a name
made of its number. The data are in this folder, one text file per game.
"""

from .names import Catalogue, names, unnamed

__all__ = ["Catalogue", "names", "unnamed"]
