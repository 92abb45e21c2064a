"""The fixes of findings as tools for selected objects, so that Blender's search finds them."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Collection, Context, Object

from ...formats import ExportError, FormatError
from ...formats.base import N_, T, about
from ...scene.core import Kind, world_matrix
from ..base.conditions import condition
from ..base.levels import level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, explain, report_line
from .counts import with_count

_PLACED = (Kind.ENTITY, Kind.AI_OBJECT, Kind.PLACEMENT)
# Keys of fixes, with the kinds of objects that they are for.
_KINDS: dict[str, tuple[Kind, ...]] = {
    "put_down": (Kind.ENTITY,),
    "as_in_game": _PLACED,
    "remove_shine": (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH),
    "add_twin": (Kind.PORTAL,),
    "flip_portal": (Kind.PORTAL,),
}
_ITEMS = [
    ("put_down", "Drop to Floor", "Place the selected entities on the floor below", 0),
    ("as_in_game", "Show as in Game", "Show the selected objects upright and unscaled, as the game does", 1),
    ("remove_shine", "Remove Shine", "Remove the shine of all faces of the selected meshes", 2),
    ("add_twin", "Add Twin", "Add a portal back to each selected portal", 3),
    ("flip_portal", "Flip Portal", "Turn the selected portals around", 4),
]


class TOMB_RAIDER_OT_fix_selected(EditingTool):
    """Fix the selected objects, as the buttons of findings do"""

    bl_idname = "tomb_raider.fix_selected"
    bl_label = "Fix Selected"

    fix: EnumProperty(name="Fix", items=_ITEMS, description="Fix to apply", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        return next(text for key, _, text, _ in _ITEMS if key == properties.fix)

    requires = condition(
        lambda context: context.mode == "OBJECT" and any(level_of(obj) for obj in context.selected_objects),
        T("Select objects of a level in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.mesh_and_sectors import FIXES

        fix, fixed, failed = FIXES[self.fix], list[str](), list[str]()
        targets = _objects(context.selected_objects, _KINDS[self.fix])
        if not targets:
            raise ToolError(N_("None of the selected objects is of the kind that this fixes"))
        for root, obj in targets:
            name = obj.name
            try:
                fix.run(root, name, _floor_below(root, obj) if self.fix == "put_down" else None)
            except (ExportError, FormatError) as error:
                failed.append(explain(error))
            else:
                fixed.append(name)
        for text in failed:
            report_line(self, "WARNING" if fixed else "ERROR", text)
        if not fixed:
            return {"CANCELLED"}
        report_line(self, "INFO", about(with_count(fixed[0], len(fixed)), fix.done))
        return {"FINISHED"}


def _objects(objects: Iterable[Object], kinds: tuple[Kind, ...]) -> list[tuple[Collection, Object]]:
    """Return the objects of some kinds that are in levels, each with its level."""
    levels = ((level_of(obj), obj) for obj in objects if obj.tomb_raider.kind in kinds)
    return [(root, obj) for root, obj in levels if root is not None]


def _floor_below(root: Collection, obj: Object) -> tuple[float, float, float]:
    """Return the place on the floor below an entity. Raises ExportError if it is in no room."""
    from ...scene.authoring.new import spot_at
    from ...scene.subjects.rooms import SceneRooms

    position = world_matrix(obj).translation
    if SceneRooms(root).find(position) is None:
        raise ExportError(obj.name, T("it is in no room"))
    x, y, z = spot_at(root, position).place
    return x, y, z


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_fix_selected,))
