"""Operators for entities."""

from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Context

from ...formats.base import T
from ...scene.core import Kind
from ..base.active import active_object
from ..base.conditions import active_object_of
from ..base.operators import EditingTool
from ..base.reports import Outcome
from ..base.rows import remove_row

ACTIONS = [
    ("ADD", "Add Property", "Add a property"),
    ("REMOVE", "Remove Property", "Remove the active property"),
]
OWNERS = frozenset({Kind.ENTITY, Kind.MODEL})


class TOMB_RAIDER_OT_edit_properties(EditingTool):
    """Add or remove properties of the active entity or model, which TRX reads"""

    bl_idname = "tomb_raider.edit_properties"
    bl_label = "Edit TRX Properties"

    action: EnumProperty(
        name="Action", items=ACTIONS, description="Change to make to the list", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        return next(text for name, _, text in ACTIONS if name == properties.action)

    requires = active_object_of(OWNERS, T("Select an entity or a model"))

    def execute(self, context: Context) -> Outcome:
        settings = active_object(context).tomb_raider
        index, count = settings.active_property, len(settings.properties)
        if self.action == "ADD":
            settings.properties.add()
            settings.active_property = count
        elif 0 <= index < count:
            settings.active_property = remove_row(settings.properties, index)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_edit_properties,))
