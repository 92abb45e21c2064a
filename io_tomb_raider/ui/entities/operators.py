"""Operators for entities."""

from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object

from ...formats.base import T
from ...scene.core import Kind, is_for_trx
from ..base.active import active_object
from ..base.conditions import active_object_of
from ..base.levels import level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome
from ..base.rows import remove_row

ACTIONS = [
    ("ADD", "Add Property", "Add a property"),
    ("REMOVE", "Remove Property", "Remove the active property"),
]
# The objects that have properties: for TRX, and in Lua.
TRX_OWNERS = frozenset({Kind.ENTITY, Kind.MODEL})
OWNERS = TRX_OWNERS | {Kind.AI_OBJECT, Kind.PLACEMENT, Kind.STATIC_MESH}


def has_properties(obj: Object | None) -> bool:
    """Return whether the interface shows properties of an object: in levels for TRX, and of TombEngine."""
    from ...scene.interop.projects import details

    level = None if obj is None or obj.tomb_raider.kind not in OWNERS else level_of(obj)
    if obj is None or level is None:
        return False
    if is_for_trx(level):
        return obj.tomb_raider.kind in TRX_OWNERS
    is_wad2 = level.tomb_raider.source.lower().endswith(".wad2")
    is_lua = is_wad2 or details(level).get("Target") == "TombEngine"
    return is_lua or len(obj.tomb_raider.properties) > 0


class TOMB_RAIDER_OT_edit_properties(EditingTool):
    """Add or remove properties of the active object, which TRX or scripts of TombEngine read"""

    bl_idname = "tomb_raider.edit_properties"
    bl_label = "Edit Properties"

    action: EnumProperty(
        name="Action", items=ACTIONS, description="Change to make to the list", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        return next(text for name, _, text in ACTIONS if name == properties.action)

    requires = active_object_of(OWNERS, T("Select an entity, a model or a static mesh"))

    def execute(self, context: Context) -> Outcome:
        settings = active_object(context).tomb_raider
        index, count = settings.active_property, len(settings.properties)
        if self.action == "ADD":
            added = settings.properties.add()
            level = level_of(active_object(context))
            added.type = "INTEGER" if level is not None and is_for_trx(level) else "LUA"
            settings.active_property = count
        elif 0 <= index < count:
            settings.active_property = remove_row(settings.properties, index)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_edit_properties,))
