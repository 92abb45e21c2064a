"""Tools for collision meshes in edit mode, which change properties of selected sectors."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import Context, Event, Object

from ...formats import ExportError, Game
from ...formats.base import N_, T, as_message
from ...scene.core import Kind, Space, sector_game_of_level
from ...scene.properties import CONTEXT
from ..base.active import active_object
from ..base.conditions import condition
from ..base.levels import game_of, level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, explain, report_line
from ..base.text.i18n import translate
from ..rooms.collision_reports import report_fit, storey_setting

if TYPE_CHECKING:
    from ...scene.subjects.collision import CollisionEdit

# The numbers are those of the file (documentation, chapter 3.2.3).
MATERIALS = [
    ("MUD", "Mud", "Footsteps in mud", 0),
    ("SNOW", "Snow", "Footsteps in snow (TR3, TR5)", 1),
    ("SAND", "Sand", "Footsteps in sand", 2),
    ("GRAVEL", "Gravel", "Footsteps on gravel", 3),
    ("ICE", "Ice", "Footsteps on ice (TR3, TR5)", 4),
    ("WATER", "Water", "Footsteps in water, in water rooms only", 5),
    ("STONE", "Stone", "The usual footsteps", 6),
    ("WOOD", "Wood", "Footsteps on wood", 7),
    ("METAL", "Metal", "Footsteps on metal", 8),
    ("MARBLE", "Marble", "Footsteps on marble (TR4)", 9),
    ("GRASS", "Grass", "Sounds like sand", 10),
    ("CONCRETE", "Concrete", "Sounds like stone", 11),
    ("OLD_WOOD", "Old Wood", "Sounds like wood", 12),
    ("OLD_METAL", "Old Metal", "Sounds like metal", 13),
    ("MATERIAL_14", "Material 14", "Unused by the games", 14),
    ("MATERIAL_15", "Material 15", "Unused by the games", 15),
]
MARKS = [
    ("death", "Death", "The floor kills: lava, spikes or bottomless pits", 0),
    ("monkey_swing", "Monkey Swing", "Lara can swing along the ceiling (TR3 to TR5)", 1),
    ("deferred", "Trigger Triggerer", "The trigger waits for a Trigger Triggerer (TR4, TR5)", 2),
    ("beetle", "Mechanical Beetle", "The beetle stops here (TR4)", 3),
    ("stopper", "Stopper", "A marker for creatures in the box field (TR3 to TR5)", 4),
]
_FUNCTIONS = {"deferred": "DEFERRED", "beetle": "BEETLE"}  # with notes by game
_TR3_NAMES = {"deferred": N_("Minecart Left"), "beetle": N_("Minecart Right")}
_SIDES = [
    ("NORTH", "+Y", "The wall on the side of +Y", 1),
    ("EAST", "+X", "The wall on the side of +X", 2),
    ("SOUTH", "-Y", "The wall on the side of -Y", 4),
    ("WEST", "-X", "The wall on the side of -X", 8),
]
_SPLITS = [
    ("NONE", "As Needed", "One plane, or two triangles along the more level diagonal if needed", 0),
    ("FALLING", "-X +Y to +X -Y", "Two triangles (TR3 to TR5)", 1),
    ("RISING", "-X -Y to +X +Y", "Two triangles (TR3 to TR5)", 2),
]


def mark_name(mark: str, game: Game) -> str:
    """Return the name of a sector mark in a game."""
    label = next(label for name, label, _, _ in MARKS if name == mark)
    return _TR3_NAMES.get(mark, label) if game.traits.has_mine_carts else label


def is_collision(obj: Object | None) -> bool:
    """Return whether an object is the collision mesh of a room."""
    return obj is not None and obj.type == "MESH" and obj.tomb_raider.kind == Kind.COLLISION


class _CollisionTool(EditingTool):
    """Base of operators on the collision meshes in edit mode."""

    requires = condition(
        lambda context: context.mode == "EDIT_MESH" and is_collision(context.edit_object),
        T("Select sectors of a collision mesh in Edit Mode"),
    )

    def change(self, edit: "CollisionEdit") -> int:
        """Change the sectors of one mesh, and return the number of changed sectors."""
        raise NotImplementedError

    def apply(self, edit: "CollisionEdit", change: "Callable[[CollisionEdit], int]") -> int:
        """Change the sectors of one mesh, write the mesh, and return the number of changed sectors."""
        changed = change(edit)
        edit.write()
        return changed

    def execute(self, context: Context) -> Outcome:
        objects = [obj for obj in context.objects_in_mode_unique_data if is_collision(obj)]
        return self.run(objects, self.change)

    def run(self, objects: list[Object], change: "Callable[[CollisionEdit], int]") -> Outcome:
        """Change meshes one by one. A mesh that cannot be read or changed is left as it is."""
        from ...scene.authoring.mesh_from_sectors import follow
        from ...scene.subjects.collision import CollisionEdit

        changed = failed = 0
        for obj in objects:
            level = level_of(obj)
            if level is None:
                continue
            try:
                edit = CollisionEdit(obj, game_of(level), Space.of(level))
                changed += self.apply(edit, change)
                follow(level, obj)
            except ExportError as error:
                failed += 1
                report_line(self, "ERROR", explain(error))
        if failed == len(objects):
            return {"CANCELLED"}
        report_line(self, "INFO", T("Sectors: {changed}", changed=changed))
        return {"FINISHED"} if changed else {"CANCELLED"}  # without a change there is no step to undo


class TOMB_RAIDER_OT_refresh_collision(_CollisionTool):
    """Round heights to 256 units, and rebuild walls and colors from floors and ceilings"""

    bl_idname = "tomb_raider.refresh_collision"
    bl_label = "Refresh Collision"
    requires = condition(
        lambda context: is_collision(context.object), T("Select collision meshes")
    ) + condition(lambda context: context.mode in ("OBJECT", "EDIT_MESH"))

    def execute(self, context: Context) -> Outcome:
        if context.mode == "EDIT_MESH":
            return super().execute(context)
        chosen: list[Any] = [*context.selected_objects, context.object]
        by_mesh = {obj.data: obj for obj in chosen if is_collision(obj)}
        return self.run(list(by_mesh.values()), self.change)

    def change(self, edit: "CollisionEdit") -> int:
        return len(edit.grid)


class TOMB_RAIDER_OT_set_sector_mark(_CollisionTool):
    """Set or clear a mark of the selected sectors"""

    bl_idname = "tomb_raider.set_sector_mark"
    bl_label = "Set Sector Mark"

    mark: EnumProperty(
        name="Mark", translation_context=CONTEXT, items=MARKS, description="Mark to set or clear"
    )
    on: BoolProperty(
        name="Set", translation_context=CONTEXT, default=True, description="Set the mark rather than clear it"
    )

    @classmethod
    def description(cls, context: Context, properties: Any) -> str:
        from ...catalogue import names

        level = level_of(context.edit_object) if context.edit_object is not None else None
        note = ""
        if level is not None and properties.mark in _FUNCTIONS:
            from ...formats.levels.floor import FunctionType

            function = FunctionType[_FUNCTIONS[properties.mark]]
            note = names(sector_game_of_level(level)).note("function", function)
        text = note or next(text for name, _, text, _ in MARKS if name == properties.mark)
        return translate(T("{text}. Set it for the selected sectors, or clear it", text=as_message(text)))

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import set_mark

        return set_mark(edit, self.mark, self.on)


class TOMB_RAIDER_OT_set_sector_material(_CollisionTool):
    """Set the sound of footsteps on the selected sectors (TR3 to TR5)"""

    bl_idname = "tomb_raider.set_sector_material"
    bl_label = "Set Footstep Sound"
    bl_property = "material"

    material: EnumProperty(
        name="Footsteps", items=MATERIALS, default="STONE", description="Sound of the footsteps"
    )

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import set_material

        return set_material(edit, next(number for name, _, _, number in MATERIALS if name == self.material))


class TOMB_RAIDER_OT_set_climbable(_CollisionTool):
    """Make the selected walls, or walls of the selected sectors, climbable or not (TR2 to TR5)"""

    bl_idname = "tomb_raider.set_climbable"
    bl_label = "Set Climbable"

    sides: EnumProperty(
        name="Sides",
        items=_SIDES,
        options={"ENUM_FLAG"},
        default={"NORTH", "EAST", "SOUTH", "WEST"},
        description="Sides to change, of selected sectors and selected walls",
    )
    on: BoolProperty(name="Climbable", default=True, description="Lara can climb the walls")

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import set_climbable

        bits = sum(bit for name, _, _, bit in _SIDES if name in self.sides)
        return set_climbable(edit, bits, self.on)


class TOMB_RAIDER_OT_make_walls(_CollisionTool):
    """Turn the selected sectors into walls"""

    bl_idname = "tomb_raider.make_walls"
    bl_label = "Make Walls"

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import make_walls

        return make_walls(edit)


class TOMB_RAIDER_OT_make_floors(_CollisionTool):
    """Turn the selected walls into floors at the height of the sectors next to them"""

    bl_idname = "tomb_raider.make_floors"
    bl_label = "Make Floors"

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import make_floors

        return make_floors(edit)


class _HeightTool(_CollisionTool):
    """Base of tools that change heights and optionally move the faces of the room."""

    with_room: BoolProperty(
        name="Move Drawn Faces",
        default=True,
        description="Move the mesh with the collision, and draw walls in gaps",
    )

    def apply(self, edit: "CollisionEdit", change: "Callable[[CollisionEdit], int]") -> int:
        from ...scene.subjects.collision import MeshFollower

        room = edit.obj.parent
        # Rooms that are drawn from their sectors follow all tools.
        is_drawn = room is not None and room.tomb_raider.room.mesh_and_sectors == "MESH"
        followed = MeshFollower(edit) if self.with_room and room is not None and not is_drawn else None
        changed = super().apply(edit, change)
        if followed is not None and room is not None:
            followed.move(room)
        return changed


class TOMB_RAIDER_OT_raise_sectors(_HeightTool):
    """Raise or lower the selected floors and ceilings by steps of 256 units"""

    bl_idname = "tomb_raider.raise_sectors"
    bl_label = "Raise Floors and Ceilings"

    clicks: IntProperty(
        name="Steps",
        translation_context=CONTEXT,
        default=1,
        min=-255,
        max=255,
        description="Steps of 256 units, upward",
    )

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import raise_surfaces

        return raise_surfaces(edit, self.clicks)


class TOMB_RAIDER_OT_flatten_sectors(_HeightTool):
    """Flatten the selected floors to their lowest corner and ceilings to their highest"""

    bl_idname = "tomb_raider.flatten_sectors"
    bl_label = "Flatten Floors and Ceilings"

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import flatten

        return flatten(edit)


class TOMB_RAIDER_OT_divide_sectors(_CollisionTool):
    """Set the diagonal along which the selected floors and ceilings bend"""

    bl_idname = "tomb_raider.divide_sectors"
    bl_label = "Divide Floors and Ceilings"

    split: EnumProperty(
        name="Line", items=_SPLITS, default="FALLING", description="Diagonal between the two triangles"
    )

    def change(self, edit: "CollisionEdit") -> int:
        from ...formats.levels.collision import Split
        from ...scene.subjects.collision import divide

        return divide(edit, Split[self.split])


class TOMB_RAIDER_OT_open_sectors(_CollisionTool):
    """Open the selected floors, ceilings, triangles or walls to the chosen room"""

    bl_idname = "tomb_raider.open_sectors"
    bl_label = "Open to Room"

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import open_to

        target = edit.obj.tomb_raider.collision.target
        if target is None:
            raise ExportError(edit.obj.name, T("choose the room to open it to"))
        if target == edit.obj.parent:
            raise ExportError(edit.obj.name, T("a sector cannot open to its own room"))
        return open_to(edit, target)


class TOMB_RAIDER_OT_close_sectors(_CollisionTool):
    """Close the openings of the selected floors, ceilings and walls to other rooms"""

    bl_idname = "tomb_raider.close_sectors"
    bl_label = "Close"

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import close

        return close(edit)


class TOMB_RAIDER_OT_resize_collision(_CollisionTool):
    """Add or remove sectors of a room along +X and +Y. New ones are walls"""

    bl_idname = "tomb_raider.resize_collision"
    bl_label = "Resize Room's Sectors"

    x_sectors: IntProperty(name="Along X", default=3, min=1, max=255, description="Sectors along X")
    y_sectors: IntProperty(name="Along Y", default=3, min=1, max=255, description="Sectors along Y")

    requires = condition(
        lambda context: is_collision(context.object) and context.mode in ("OBJECT", "EDIT_MESH"),
        T("Make a collision mesh active"),
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        obj = context.object
        settings = obj.tomb_raider.collision
        self.x_sectors, self.y_sectors = settings.x_sectors, settings.z_sectors
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: Context) -> Outcome:
        return self.run([active_object(context)], self.change)

    def change(self, edit: "CollisionEdit") -> int:
        from ...scene.subjects.collision import resize

        settings = edit.obj.tomb_raider.collision
        before = settings.x_sectors, settings.z_sectors
        added = resize(edit, self.x_sectors, self.y_sectors)
        return max(added, int((settings.x_sectors, settings.z_sectors) != before))


class TOMB_RAIDER_OT_add_collision(EditingTool):
    """Add a collision mesh to the active room, read from its faces"""

    bl_idname = "tomb_raider.add_collision"
    bl_label = "Add Collision"
    requires = condition(
        lambda context: (
            context.mode == "OBJECT"
            and context.object is not None
            and context.object.tomb_raider.kind == Kind.ROOM
        ),
        T("Make a room active, in Object Mode"),
    ) + condition(
        lambda context: not any(map(is_collision, context.object.children)),
        T("The room already has a collision mesh"),
    )

    storey: storey_setting()

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.collision_from_mesh import add_collision_from_mesh

        room = active_object(context)
        level = level_of(room)
        if level is None:
            raise ToolError(T("The room belongs to no level"))
        report_fit(self, add_collision_from_mesh(level, room, self.storey))
        return {"FINISHED"}


_CLASSES = (
    TOMB_RAIDER_OT_refresh_collision,
    TOMB_RAIDER_OT_set_sector_mark,
    TOMB_RAIDER_OT_set_sector_material,
    TOMB_RAIDER_OT_set_climbable,
    TOMB_RAIDER_OT_make_walls,
    TOMB_RAIDER_OT_make_floors,
    TOMB_RAIDER_OT_raise_sectors,
    TOMB_RAIDER_OT_flatten_sectors,
    TOMB_RAIDER_OT_divide_sectors,
    TOMB_RAIDER_OT_open_sectors,
    TOMB_RAIDER_OT_close_sectors,
    TOMB_RAIDER_OT_resize_collision,
    TOMB_RAIDER_OT_add_collision,
)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
