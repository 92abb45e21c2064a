"""Materials: one for each way in which a level's faces are drawn, and what the user's own ones ask for."""

from __future__ import annotations

from typing import NamedTuple


class MaterialKey(NamedTuple):
    """What makes two faces share a material.

    Attributes:
        kind: ``"PAGE"``, ``"PALETTE"`` (faces of one palette colour, TR1-3) or ``"MISSING"``.
        page: number of the texture page, -1 for other kinds.
        attribute: blend mode of the object texture: 0 opaque, 1 colour-keyed, 2 additive.
        double_sided: seen from both sides (room faces, TR3 to TR5).
        bump: bump level of the object texture, 0 to 3 (TR4, TR5).
    """

    kind: str
    page: int
    attribute: int
    double_sided: bool
    bump: int
