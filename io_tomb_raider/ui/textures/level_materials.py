"""Make Level Material operator: users' materials that show the level's light."""

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Object, Operator

from ...formats import ExportError
from ...formats.base import T
from ..base.conditions import ConditionalTool, condition
from ..base.levels import level_of
from ..base.reports import Outcome, explain, report_line
from .operators import TEXTURED

_NAMED = 4  # materials that a report names before they are only counted


def textured_objects(context: Context) -> list[Object]:
    """Return the active and selected textured meshes of levels, the active one first."""
    objects = dict.fromkeys([context.object, *context.selected_objects])
    return [
        obj
        for obj in objects
        if obj is not None and obj.tomb_raider.kind in TEXTURED and level_of(obj) is not None
    ]


class TOMB_RAIDER_OT_make_level_material(ConditionalTool, Operator):
    """Show the level's light on your own materials, as in the game. Name and nodes are kept"""

    bl_idname = "tomb_raider.make_level_material"
    bl_label = "Make Level Material"
    bl_options = {"REGISTER", "UNDO"}

    material: StringProperty(
        name="Material",
        description="Name of the material. Empty: all materials of the selected objects",
        options={"SKIP_SAVE"},
    )

    requires = condition(
        lambda context: textured_objects(context), T("Select rooms, models or static meshes of a level")
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import first_few
        from ...scene.subjects.object_textures import make_level_material
        from ...scene.subjects.textures import materials_in_other_light

        objects, done, problem = textured_objects(context), [], ""
        for obj in objects:
            level = level_of(obj)
            for material in materials_in_other_light([obj]):
                if level is None or self.material not in ("", material.name):
                    continue
                try:
                    make_level_material(level, material)
                    done.append(material.name)
                except ExportError as error:
                    problem = explain(error)
        if problem:
            report_line(self, "WARNING" if done else "ERROR", problem)
        elif not done:
            report_line(self, "INFO", T("All materials already show the level's light"))
        else:
            report_line(self, "INFO", T("In the level's light: {done}", done=first_few(done, _NAMED)))
        return {"FINISHED"} if done else {"CANCELLED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_make_level_material,))
