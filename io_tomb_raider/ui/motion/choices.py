"""Options of the operators that bring motions."""

from typing import Any

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import UILayout

from ...scene.properties.kinds import CONTEXT

NEW, IN_USE = "NEW", "IN_USE"
GUESS, LISTED = "GUESS", "LISTED"


class MotionOptions:
    """Mixin with the options of operators that bring motions."""

    onto: EnumProperty(
        name="Onto",
        items=[
            (NEW, "New Animation", "Add an animation to the model", 0),
            (IN_USE, "Animation in Use", "Replace the keys of the animation that the model shows", 1),
        ],
        description="Animation that gets the motion",
    )
    bones: EnumProperty(
        name="Bones",
        items=[
            (GUESS, "By Name", "Match bones by their names", 0),
            (LISTED, "As Listed", "Use the list of bones in the panel Motion", 1),
        ],
        description="Matching of the bones of the model with the bones to follow",
    )
    rest: EnumProperty(
        name="Rest Pose",
        items=[
            ("AUTO", "Automatic", "The skeleton's rest pose where it stands in it, else by its joints", 2),
            ("REST", "Of the Skeleton", "The skeleton's rest pose corresponds to that of the model", 0),
            ("FRAME", "A Frame", "The skeleton is upright and faces forward at a frame of the motion", 1),
            ("JOINTS", "By Its Joints", "A standing pose from the joints and from where limbs bend", 3),
        ],
        default="AUTO",
        description="Pose of the skeleton that corresponds to the rest pose of the model",
    )
    rest_frame: IntProperty(name="Frame", default=1, description="Frame with that pose")
    stance: EnumProperty(
        name="Model",
        translation_context=CONTEXT,
        items=[
            ("REST", "At Rest", "The model's own rest pose, as for Lara", 0),
            ("SHOWN", "As Shown", "The current pose of the model, for models that are bent at rest", 1),
        ],
        description="Pose of the model that corresponds to the rest pose of the skeleton",
    )
    first: IntProperty(name="First Frame", min=0, description="First frame of the motion to use; 0 for all")
    last: IntProperty(name="Last Frame", min=0, description="Last frame of the motion to use; 0 for its end")
    forward: EnumProperty(
        name="Forward",
        items=[
            ("AUTO", "Automatic", "As at rest, unless the motion starts in or walks in another direction", 3),
            ("REST", "As at Rest", "The direction that the skeleton faces at rest", 0),
            ("START", "As It Starts", "The direction that the skeleton faces in the first frame", 1),
            ("PATH", "Along the Path", "The direction from the first to the last frame", 2),
        ],
        default="AUTO",
        description="Direction of the motion that becomes the forward direction of the model",
    )
    path: EnumProperty(
        name="Path",
        items=[
            ("SPEED", "Constant Speed", "The game moves the model at one speed, as in loops", 0),
            (
                "ACCELERATION",
                "Speed and Acceleration",
                "The game moves the model at a changing speed, as in starts and stops",
                1,
            ),
            (
                "OFFSETS",
                "In the Key Frames",
                "The key frames contain the path; the game moves the model to its end, as in climbing",
                2,
            ),
        ],
        description="How the game moves the model forward",
    )
    size: FloatProperty(
        name="Size",
        min=0.0,
        precision=4,
        description="Size of the model relative to the skeleton; 0: from the length of the legs",
    )
    rate: IntProperty(
        name="Frame Rate",
        min=0,
        max=30,
        translation_context=CONTEXT,
        description="Ticks (1/30 s) per key; 0: as many as keep the motion within 1 degree and 4 units",
    )
    skips_rest: BoolProperty(
        name="Skip Rest Pose",
        default=True,
        description="Skip the first frame if it is the rest pose, as in many recordings",
    )


def draw_options(tool: Any, layout: UILayout) -> None:
    """Draw the options of an operator."""
    column = layout.column()
    column.prop(tool, "onto")
    column.prop(tool, "bones")
    column.prop(tool, "path")
    column.prop(tool, "forward")
    column.prop(tool, "rest")
    row = column.row()
    row.enabled = tool.rest == "FRAME"
    row.prop(tool, "rest_frame")
    column.prop(tool, "stance")
    part = column.column(align=True)
    part.prop(tool, "first")
    part.prop(tool, "last")
    column.prop(tool, "skips_rest")
    column.prop(tool, "size")
    column.prop(tool, "rate")


def options_of(tool: Any, listed: dict[str, str], shown: Any, frame_rate: float = 0.0) -> Any:
    """Return the options of an operator for :func:`retarget_action`.

    Args:
        tool: the operator.
        listed: the chosen bones of the source by those of the model.
        shown: the animation that the model shows and the current frame, or None.
        frame_rate: frames per second of the motion, 0 for those of its scene.
    """
    from ...scene.authoring.motion.bringing import RetargetOptions
    from ...scene.authoring.motion.paths import PathKind
    from ...scene.authoring.motion.stance import Forward, Rest

    return RetargetOptions(
        names=listed if tool.bones == LISTED else None,
        rest=Rest(tool.rest),
        rest_frame=tool.rest_frame,
        first=tool.first,
        last=tool.last,
        forward=Forward(tool.forward),
        path=PathKind(tool.path),
        size=tool.size,
        rate=tool.rate,
        frame_rate=frame_rate,
        skips_rest=tool.skips_rest,
        stance=shown if tool.stance == "SHOWN" else None,
    )
