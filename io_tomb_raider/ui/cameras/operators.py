"""Operators for cameras: add one, preview a flyby, watch a cutscene, follow Lara."""

import bpy
from bpy.props import EnumProperty
from bpy.types import Collection, Context, Object, Operator

from ...formats import Game
from ...formats.base import T
from ...scene.core import Kind
from ...scene.properties import camera_kinds
from ..base.active import active_layer, active_object, active_scene
from ..base.conditions import ConditionalTool, active_object_of
from ..base.levels import level_of
from ..base.operators import AddingTool, EditingTool, LevelTool
from ..base.reports import Outcome, ToolError, report_line

KINDS = [
    ("CAMERA", "Camera", "A fixed camera, which triggers switch to", "CAMERA_DATA", 0),
    ("SINK", "Sink", "A point that a current pulls Lara to", "CONE", 1),
    ("FLYBY", "Flyby Camera", "A camera of a flyby sequence (TR4, TR5, TRX)", "CON_FOLLOWPATH", 2),
    ("CINEMATIC", "Cutscene Camera", "The camera of a cutscene level (TR1 to TR3)", "VIEW_CAMERA", 3),
    ("AI_OBJECT", "AI Object", "A marker that characters act on (TR3 to TR5)", "EMPTY_ARROWS", 4),
    ("LENS_FLARE", "Lens Flare", "The sun's lens flare, placed by the script (TR4, TR5)", "LIGHT_SUN", 5),
    ("MIRROR", "Mirror", "The plane in which the script mirrors a room (TR4, TR5)", "MOD_MIRROR", 6),
    ("LOAD_CAMERA", "Loading Camera", "The view during the loading of a level (TR4)", "CAMERA_STEREO", 7),
]


def kinds_of(
    game: Game, *, has_script: bool = False, for_trx: bool = False
) -> list[tuple[str, str, str, str, int]]:
    """Return the kinds that a game or TRX supports, with those of its scripts if the level has one."""
    from ...scene.subjects.script import script_kinds

    supported = camera_kinds(game.traits, for_trx=for_trx) | set(script_kinds(game) if has_script else ())
    return [kind for kind in KINDS if kind[0] in supported]


class TOMB_RAIDER_OT_add_camera(AddingTool):
    """Add a camera, a sink or an AI object to a level, at the 3D cursor"""

    bl_idname = "tomb_raider.add_camera"
    bl_label = "Add to Tomb Raider Level"

    kind: EnumProperty(name="Kind", items=KINDS, description="What to add")

    def add(self, context: Context, level: Collection) -> Object:
        from ...scene.authoring.new import add_object

        return add_object(level, self.kind, active_scene(context).cursor.location, context.object)


class TOMB_RAIDER_OT_preview_flyby(EditingTool):
    """Animate a camera along this sequence as the game does, from frame 0 on"""

    bl_idname = "tomb_raider.preview_flyby"
    bl_label = "Preview Flyby"

    requires = active_object_of({Kind.FLYBY}, T("Select a flyby camera"))

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.cameras import preview_flyby

        obj = active_object(context)
        level = level_of(obj)
        if level is None:
            raise ToolError(T("The camera belongs to no level"))
        number = obj.tomb_raider.flyby.sequence
        camera, frames = preview_flyby(level, number)
        _look_through(context, camera, frames)
        text = T(
            "Sequence {number} flies for {frames} frames, {seconds:.1f} seconds",
            number=number,
            frames=frames,
            seconds=frames / 30,
        )
        report_line(self, "INFO", text)
        return {"FINISHED"}


class TOMB_RAIDER_OT_watch_cutscene(ConditionalTool, Operator):
    """Make this the scene camera, and set the preview range to the cutscene's"""

    bl_idname = "tomb_raider.watch_cutscene"
    bl_label = "Watch Cutscene"

    bl_options = {"REGISTER", "UNDO"}
    requires = active_object_of({Kind.CINEMATIC}, T("Select the camera of a cutscene"))

    def execute(self, context: Context) -> Outcome:
        camera = active_object(context)
        data = camera.animation_data
        if data is None or data.action is None:
            raise ToolError(T("The camera has no action"))
        first, last = data.action.frame_range
        _look_through(context, camera, round(last - first) + 1, round(first))
        return {"FINISHED"}


class TOMB_RAIDER_OT_camera_behind_lara(LevelTool):
    """Look through a camera that follows Lara as in the game, and make it the scene camera"""

    bl_idname = "tomb_raider.camera_behind_lara"
    bl_label = "Camera behind Lara"

    edits_level = False

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.cameras import camera_behind, orbit_distance
        from ..view.first_view import orbit_around

        level = self.level(context)
        camera = camera_behind(level, active_scene(context))
        view = getattr(context.space_data, "region_3d", None)
        if view is not None:
            active_layer(context).update()
            # Blender orbits around the view's location when it leaves a camera.
            distance = orbit_distance(level.tomb_raider.scale)
            orbit_around(view, camera.matrix_world, distance)
            view.view_perspective = "CAMERA"
        return {"FINISHED"}


def _look_through(context: Context, camera: Object, frames: int, first: int = 0) -> None:
    scene = context.scene
    scene.camera = camera
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = max(first, 0), max(first + frames - 1, 0)
    scene.frame_set(first)


_CLASSES = (
    TOMB_RAIDER_OT_add_camera,
    TOMB_RAIDER_OT_preview_flyby,
    TOMB_RAIDER_OT_watch_cutscene,
    TOMB_RAIDER_OT_camera_behind_lara,
)


register, unregister = bpy.utils.register_classes_factory(_CLASSES)
