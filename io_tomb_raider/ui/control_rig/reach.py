"""Limbs that their controls are too far away for: the check, and an overlay of 3D views."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object

from ..animations.watched import watched
from ..base.layout.drawing import ViewDrawing, draw_batch

_OUT_OF_REACH = 0.005  # of the limb's length
_RED = (1.0, 0.1, 0.1, 0.9)
_WIDTH = 3.0  # pixels


def is_out_of_reach(armature: Object, limb: Any) -> bool:
    """Return whether a limb that its control poses is too short for it, as it is shown now."""
    from ...scene.authoring.control_rig import SWITCH

    if limb.is_trunk or not armature.pose.bones[limb.target][SWITCH]:
        return False
    upper, lower, there, wanted = _joints(armature, limb)
    size = (lower - upper).length + (there - lower).length
    return bool((wanted - there).length > _OUT_OF_REACH * size)


def _joints(armature: Object, limb: Any) -> list[Any]:
    """Return the joints of a limb, and the place that its control asks for, in the space of the armature."""
    from ...scene.authoring.control_rig import RigPart

    parts = (RigPart.UPPER, RigPart.LOWER, RigPart.END, RigPart.IK_END)
    return [armature.pose.bones[limb.bones[part]].head for part in parts]


def reach_lines(context: Context) -> Any | None:
    """Return the ends of lines in the world, (n, 3), along limbs out of reach and on to their controls.

    Those of the active object's model, where it is seen; None without any.
    """
    from ...scene.authoring.control_rig import SWITCH, has_rig, rig_limbs
    from ...scene.subjects.models import posed_armature

    armature = posed_armature(context.object)
    if armature is None or armature.type != "ARMATURE" or not has_rig(armature):
        return None
    model = watched(context)
    if model is None or model.armature.pose is None:
        return None
    shown: Any = model.armature
    limbs = [limb for limb in rig_limbs(shown) if SWITCH in shown.pose.bones[limb.target]]
    lines = [
        joints[each]
        for joints in (_joints(shown, limb) for limb in limbs if is_out_of_reach(shown, limb))
        for each in (0, 1, 1, 2, 2, 3)
    ]
    if not lines:
        return None
    return np.array(lines) @ model.matrix[:3, :3].T + model.matrix[:3, 3]


def _draw() -> None:
    """Draw in a 3D view, through the model's meshes."""
    context: Any = bpy.context
    lines = reach_lines(context) if context.space_data.overlay.show_overlays else None
    if lines is not None:
        draw_batch("LINES", lines, _RED, _WIDTH)


_drawing = ViewDrawing(_draw, "POST_VIEW")


def register() -> None:
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
