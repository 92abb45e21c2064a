"""Settings of the overlays that help to watch animations."""

from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import PropertyGroup

_MOTION = [
    ("NONE", "Off", "Neither the floor nor the view moves", 0),
    ("TREADMILL", "Treadmill", "A grid on the floor moves back at the speed of the animation", 1),
    ("FOLLOW", "Follow", "3D views follow a model that a chain moves", 2),
]


class TombRaiderWatching(PropertyGroup):
    """The settings of ghosts, tick preview, treadmill and follow."""

    ghosts: BoolProperty(
        name="Ghosts", description="Draw poses of nearby ticks: red before, green after the current one"
    )
    before: IntProperty(
        name="Before", default=3, min=0, max=16, description="Number of ghosts before the current frame"
    )
    after: IntProperty(
        name="After", default=3, min=0, max=16, description="Number of ghosts after the current frame"
    )
    step: IntProperty(name="Step", default=2, min=1, max=60, description="Ticks between ghosts")
    spread: BoolProperty(
        name="Spread by Speed",
        description="Draw ghosts spaced by the speed of the animation, as in a moving chain",
    )
    ticks: BoolProperty(
        name="Tick Preview",
        description="Draw the game's poses between keys in blue where they differ from Blender's",
    )
    rate: IntProperty(
        name="Rate",
        min=0,
        max=255,
        description="Ticks per key to preview, 0 for the frame rate of the animation",
    )
    is_stepped: BoolProperty(
        name="Stepped", description="Hold each key until the next one, as old consoles do"
    )
    dropped: BoolProperty(
        name="Dropped Keys",
        default=True,
        description="Draw poses of nearby keys that are dropped at this rate, in yellow",
    )
    motion: EnumProperty(
        name="Motion",
        items=_MOTION,
        description="Movement of the floor or view while an animation or chain plays",
    )


GROUPS = (TombRaiderWatching,)
