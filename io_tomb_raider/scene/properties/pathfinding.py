"""How the boxes by which enemies find their way are shown."""

from __future__ import annotations

from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Object, PropertyGroup

ZONE_KINDS = [
    ("GROUND_1", "Walkers, One Step", "Wolves, bears and most other animals (TR1)", 0),
    ("GROUND_2", "Walkers, Two Steps", "Lara's human enemies (TR1)", 1),
    ("FLY_1", "Flyers and Swimmers", "What flies or swims (TR1)", 2),
    ("SKELETON", "Skeletons", "Characters of the first kind: skeletons (TR2 to TR5)", 10),
    ("BASIC", "Walkers", "Characters of the second kind: most of them (TR2 to TR5)", 11),
    ("CROCODILE", "Crocodiles", "Characters of the third kind: crocodiles (TR2 to TR5)", 12),
    ("HUMAN", "Climbers", "Characters of the fourth kind, which climb (TR2 to TR5)", 13),
    ("FLYER", "Flyers and Swimmers", "What flies or swims (TR2 to TR5)", 14),
]

RECOMPUTE = [
    ("AUTOMATIC", "When Collision Changed", "Recompute boxes, overlaps and zones when that is needed", 0),
    ("ALWAYS", "Always", "Recompute boxes, overlaps and zones in every export", 1),
    ("NEVER", "Never", "Keep boxes, overlaps and zones of the imported file", 2),
]


def _show(group: PropertyGroup, _context: Context) -> None:
    from ..pathfinding.boxes import show_zones  # which needs all properties registered

    thing = group.id_data
    if isinstance(thing, Object) and thing.type == "MESH":
        show_zones(thing)


class TombRaiderBoxes(PropertyGroup):
    """The overlay of boxes (documentation, chapter 7.3)."""

    zones: EnumProperty(
        name="Zones of",
        items=ZONE_KINDS,
        update=_show,
        description="Characters who can walk, climb or fly between boxes of one color",
    )
    flipped: BoolProperty(
        name="Flipped",
        update=_show,
        description="Show boxes and zones as they are while the level is flipped",
    )


GROUPS = (TombRaiderBoxes,)
