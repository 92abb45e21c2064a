"""Options of the operators that bring motions."""

from typing import Any

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import UILayout

from ...formats.base import T
from ...scene.properties import CONTEXT
from ..base.text.i18n import translate

Axes = tuple[tuple[float, float, float], ...]
SCENE_AXES: Axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FILE_AXES: Axes = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))  # Y up, as Blender reads them
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
    up: EnumProperty(
        name="Up Axis",
        items=[
            ("AUTO", "Automatic", "The axis along which the skeleton stands, in the motion and at rest", 0),
            ("X", "X", "", 1),
            ("Y", "Y", "", 2),
            ("Z", "Z", "", 3),
            ("-X", "-X", "", 4),
            ("-Y", "-Y", "", 5),
            ("-Z", "-Z", "", 6),
        ],
        description="Axis that points up in the file, of most files Y; in the scene it is Z",
    )
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
            ("AUTO", "Automatic", "The speeds of a source model, in proportion; else a constant speed", 3),
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
        default="AUTO",
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
    column.prop(tool, "up")
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


def store_found(settings: Any, name: str, made: Any, axes: Axes) -> None:
    """Store what was found in a skeleton, to show it.

    Args:
        settings: of the scene, see :class:`~...scene.properties.actions.TombRaiderMotion`.
        name: of the file or the armature.
        made: the retargeted motion.
        axes: Blender's direction of each axis of the source.
    """
    settings.found_name, settings.found_forward, settings.found_size = name, made.forward, made.size
    settings.found_bones = made.bones
    parts = [sum(a * b for a, b in zip(axis, made.up.tolist(), strict=True)) for axis in axes]
    number = max(range(3), key=lambda each: abs(parts[each]))
    settings.found_up = f"{'-' if parts[number] < 0 else ''}{'XYZ'[number]}"


_FORWARD = {
    "REST": "As at Rest",
    "START": "As It Starts",
    "PATH": "Along the Path",
    "AUTO": "As It Starts",  # along the nearest axis
}


def draw_found(settings: Any, layout: UILayout) -> None:
    """Draw what was found in the last skeleton: what the automatic options chose."""
    if not settings.found_name:
        return
    column: Any = layout.box().column(align=True)
    column.label(text=settings.found_name, icon="ARMATURE_DATA", translate=False)
    forward = translate(_FORWARD.get(settings.found_forward, _FORWARD["REST"]))
    lines = (
        T("Up axis {axis}, forward: {forward}", axis=settings.found_up, forward=forward.lower()),
        T("Size {size}, {count} bones", size=f"{settings.found_size:.3g}", count=settings.found_bones),
    )
    for line in lines:
        column.label(text=translate(line), translate=False)


def _up(choice: str, axes: Axes) -> tuple[float, ...] | None:
    if choice == "AUTO":
        return None
    sign = -1.0 if choice.startswith("-") else 1.0
    return tuple(sign * part for part in axes["XYZ".index(choice[-1])])


def options_of(
    tool: Any, listed: dict[str, str], shown: Any, frame_rate: float = 0.0, axes: Axes = SCENE_AXES
) -> Any:
    """Return the options of an operator for :func:`retarget_action`.

    Args:
        tool: the operator.
        listed: the chosen bones of the source by those of the model.
        shown: the animation that the model shows and the current frame, or None.
        frame_rate: frames per second of the motion, 0 for those of its scene.
        axes: Blender's direction of each axis of the source.
    """
    from ...scene.authoring.motion import Forward, PathKind, Rest, RetargetOptions

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
        up=_up(tool.up, axes),
        stance=shown if tool.stance == "SHOWN" else None,
    )
