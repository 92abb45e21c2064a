"""Operators for shots and sound of cutscenes: cameras that markers switch to, and a strip with sound."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import StringProperty
from bpy.types import Collection, Context, Event, Object

from ...formats.base import T
from ...scene.core import Kind, members
from ...scene.core.blender import compat
from ..base.active import active_scene
from ..base.conditions import condition
from ..base.files.browsing import FileBrowser, browse
from ..base.operators import EditingTool
from ..base.reports import Outcome, report_line
from .operators import active_cutscene

_CAMERAS = (Kind.CUTSCENE_CAMERA, Kind.CINEMATIC)
_DISTANCE = 3.0  # meters to the target of a camera that is not placed by a view


def shown_camera(context: Context) -> Object | None:
    """Return the camera of a cutscene that the scene shows, or else one of the active cutscene, or None."""
    scene, home = context.scene, active_cutscene(context)
    found = [None if scene is None else scene.camera, context.object, *(home.objects if home else ())]
    return next((each for each in found if each is not None and each.tomb_raider.kind in _CAMERAS), None)


class TOMB_RAIDER_OT_cut_to_camera(EditingTool):
    """Add a camera as this view sees it, and a marker that cuts to it at the current frame"""

    bl_idname = "tomb_raider.cut_to_camera"
    bl_label = "Cut to New Camera"
    requires = condition(shown_camera, T("Make a cutscene or its camera active first"))

    def edited(self, context: Context) -> Iterable[Any]:
        return [context.scene, shown_camera(context)]

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.cutscenes import add_camera

        old, scene = shown_camera(context), active_scene(context)
        assert old is not None
        # In the sidebar, the region is not that of the view.
        view: Any = getattr(context, "region_data", None) or getattr(context.space_data, "region_3d", None)
        is_free = view is not None and getattr(view, "view_perspective", "CAMERA") != "CAMERA"
        place = view.view_matrix.inverted() if is_free else None
        camera = add_camera(scene, old, place, view.view_distance if is_free else _DISTANCE)
        if is_free:
            view.view_perspective = "CAMERA"
        for obj in context.selected_objects:
            obj.select_set(False)
        camera.select_set(True)
        context.view_layer.objects.active = camera
        text = T("{name} is shown from frame {frame} on", name=camera.name, frame=scene.frame_current)
        report_line(self, "INFO", text)
        return {"FINISHED"}


class TOMB_RAIDER_OT_set_cutscene_sound(EditingTool, FileBrowser):
    """Play a sound file with this cutscene, in step with its frames. A strip of the sequencer plays it"""

    bl_idname = "tomb_raider.set_cutscene_sound"
    bl_label = "Set Sound"
    requires = condition(active_cutscene, T("Make a cutscene's collection or one of its objects active"))

    filter_glob: StringProperty(default="*.wav;*.ogg;*.mp3;*.flac", options={"HIDDEN"})

    def invoke(self, context: Context, _event: Event) -> Any:
        from ...scene.subjects.cutscenes import find_audio

        cutscene = active_cutscene(context)
        file = None if cutscene is None or self.filepath else find_audio(cutscene)
        if file is not None:
            self.filepath = str(file)
        return browse(self, context)

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.cutscenes import set_sound

        cutscene, scene = active_cutscene(context), active_scene(context)
        assert cutscene is not None
        path = bpy.path.abspath(self.filepath)
        strip = set_sound(scene, cutscene, path, _first_frame(cutscene, scene.frame_start))
        text = T("{name}: from frame {frame} on", name=strip.name, frame=round(compat.strip_start(strip)))
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _first_frame(cutscene: Collection, otherwise: int) -> int:
    """Return the first frame of a cutscene by the range of its camera, or else that of the scene."""
    for obj in members(cutscene):
        data = obj.animation_data if obj.tomb_raider.kind == Kind.CUTSCENE_CAMERA else None
        if data is not None and data.action is not None and data.action.use_frame_range:
            return round(data.action.frame_start)
    return otherwise


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_cut_to_camera, TOMB_RAIDER_OT_set_cutscene_sound)
)
